/* SPDX-License-Identifier: Apache-2.0
 * gpu_throttle: is hardware holding the clocks down? The reasons are bits and
 * may come together; idle, application clocks and the power cap are no fault.
 */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>

#include "checks/gpu_each.h"
#include "lib/nvml.h"

/* A second sight counts when it comes this much later. */
#define CONFIRM_S 60

/* The most exact name: the generic slowdown bit comes with the others. */
static const char *bits_text(int64_t bits)
{
	if ((bits & NVML_REASON_HW_POWER_BRAKE) &&
	    (bits & NVML_REASON_HW_THERMAL))
		return "power brake and hardware thermal slowdown";
	if (bits & NVML_REASON_HW_POWER_BRAKE)
		return "hardware power brake";
	if (bits & NVML_REASON_HW_THERMAL)
		return "hardware thermal slowdown";
	if (bits & NVML_REASON_HW_SLOWDOWN)
		return "hardware slowdown";
	return "thermal slowdown by the driver";
}

/* Confirmed: the health check, on an idle node, meets bits that an earlier
 * run had noted. Anybody's first sight may be a passing load. */
static bool confirmed(const struct check_env *env, int i, int64_t bits)
{
	int64_t noted = gpu_recall(env, i, "bits");
	int64_t since = gpu_recall(env, i, "since");

	return env->context == CONTEXT_HEALTH && noted > 0 && since > 0 &&
	       (noted & bits) && env->now_s - since >= CONFIRM_S;
}

static void judge(const struct check_env *env, struct check_result *r, int i,
		  int64_t bits)
{
	bool sure = confirmed(env, i, bits);
	int64_t noted = gpu_recall(env, i, "bits");
	int64_t since = gpu_recall(env, i, "since");
	struct finding *f;

	if (noted < 0 || !(noted & bits) || since <= 0)
		since = env->now_s;
	gpu_note(r, env, i, "bits", bits);
	gpu_note(r, env, i, "since", since);
	f = result_add_gpu(r, STATUS_FAIL, "throttled", env, i,
			   "%s (0x%" PRIx64 ")%s", bits_text(bits), bits,
			   sure ? ", still" : "");
	if (!f)
		return;
	f->value = (double)bits;
	f->remedy = REMEDY_SERVICE;
	f->at_most = sure ? ACTION_DRAIN_AFTER : ACTION_WARN;
	gpu_evidence_boot(f, env, "bits=0x%" PRIx64 "@%" PRId64, bits, since);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	const struct gpu *g;
	int64_t bits;
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		g = &env->facts->gpus.gpu[i];
		if (!gpu_known(&l, i, g->throttle, "throttle reasons") ||
		    !gpu_known(&l, i, g->throttle_again, "throttle reasons"))
			continue;
		bits = g->throttle.v & g->throttle_again.v &
		       (int64_t)NVML_REASONS_HELD_BACK;
		if (bits)
			judge(env, r, i, bits);
		else if (gpu_recall(env, i, "bits") > 0)
			gpu_note(r, env, i, "bits", 0);
	}
	return gpu_done(&l, "no GPU tells why its clocks are held down");
}

const struct check check_gpu_throttle = {
	.name = "gpu_throttle",
	.summary = "no hardware reason holds the GPU's clocks down",
	.reads = "NVML clock event reasons, twice, 200 ms apart; the second "
		 "look is taken only where the first shows a fault",
	.fails = "hardware slowdown, thermal slowdown or power brake in both "
		 "looks; a warning until the health check meets it again on "
		 "the idle node at least a minute later",
	.advice = "Thermal: look at fans, air or coolant flow, neighbours. "
		  "Power brake: power supplies, their cables and the "
		  "chassis's power cap. A power cap alone is no fault.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.soft = true,
	.run = run,
};

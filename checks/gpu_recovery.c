/* SPDX-License-Identifier: Apache-2.0
 * gpu_recovery: what the driver itself asks for (NVML field 230). */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>

#include "checks/gpu_each.h"

static const struct wish {
	enum status status;
	enum remedy remedy;
	const char *text;
} wishes[] = {
	{ STATUS_PASS, REMEDY_NONE, "" },
	{ STATUS_FAIL, REMEDY_RESET_GPU, "driver asks for a GPU reset" },
	{ STATUS_FAIL, REMEDY_REBOOT, "driver asks for a reboot" },
	{ STATUS_WARN, REMEDY_NONE, "driver asks to quiesce peer traffic" },
	{ STATUS_FAIL, REMEDY_RESET_GPU, "driver asks for drain and reset" },
	{ STATUS_WARN, REMEDY_NONE, "driver asks to recover the IMEX domain" },
	{ STATUS_WARN, REMEDY_REBOOT, "driver asks for a bus reset" },
	{ STATUS_WARN, REMEDY_REBOOT, "driver asks for a system reboot" },
};

#define WISHES ((int64_t)(sizeof(wishes) / sizeof(wishes[0])))

/* A wish that went away and came back is a new one, on the same boot too: the
 * time at which this episode was first seen tells them apart. */
static int64_t since(const struct check_env *env, struct check_result *r, int i,
		     int64_t wish)
{
	int64_t s = env->now_s;

	if (gpu_recall(env, i, "wish") == wish && gpu_recall(env, i, "since") > 0)
		s = gpu_recall(env, i, "since");
	gpu_note(r, env, i, "since", s);
	return s;
}

static void judge(const struct check_env *env, struct check_result *r, int i)
{
	int64_t wish = env->facts->gpus.gpu[i].recovery.v;
	const struct wish *w = NULL;
	struct finding *f;

	if (wish >= 0 && wish < WISHES)
		w = &wishes[wish];
	if (gpu_recall(env, i, "wish") > 0 || wish)
		gpu_note(r, env, i, "wish", wish);
	if (!wish)
		return;
	if (w)
		f = result_add_gpu(r, w->status, "action", env, i, "%s", w->text);
	else
		f = result_add_gpu(r, STATUS_WARN, "unknown", env, i,
				   "unknown recovery action %" PRId64, wish);
	if (!f)
		return;
	f->value = (double)wish;
	f->limit = 0;
	f->remedy = w ? w->remedy : REMEDY_NONE;
	gpu_evidence_boot(f, env, "recovery=%" PRId64 "@%" PRId64, wish,
			  since(env, r, i, wish));
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i))
		if (gpu_known(&l, i, env->facts->gpus.gpu[i].recovery,
			      "recovery action"))
			judge(env, r, i);
	return gpu_done(&l, "the driver does not tell a recovery action");
}

const struct check check_gpu_recovery = {
	.name = "gpu_recovery",
	.summary = "the driver asks for no recovery of a GPU",
	.reads = "NVML field 230 (recovery action) of each GPU, read in one "
		 "batch with the others; drivers from 2024 on",
	.fails = "the driver asks for a GPU reset, a reboot, or drain and "
		 "reset; any other wish is a warning",
	.advice = "Do what it asks once the GPU is idle: nvidia-smi -r, or "
		  "reboot. XID 154 in the kernel log tells when and why.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0
 * nvlink_fabric: is each GPU registered with the NVLink fabric, and healthy
 * there? States and health fields as in NVML's fabric info. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <string.h>

#include "checks/gpu_each.h"

enum fabric_state {
	FABRIC_NOT_SUPPORTED,
	FABRIC_NOT_STARTED,
	FABRIC_IN_PROGRESS,
	FABRIC_COMPLETED
};

/* Two-bit fields of the health mask: 0 not told, 1 yes, 2 no. */
static const struct health_bits {
	int shift;
	int bad;
	enum status status;
	const char *text;
} health_bits[] = {
	{ 0, 1, STATUS_FAIL, "fabric bandwidth is degraded" },
	{ 2, 1, STATUS_WARN, "fabric route recovery is going on" },
	{ 4, 1, STATUS_FAIL, "fabric route is unhealthy" },
	{ 6, 1, STATUS_WARN, "fabric access timeout recovery is going on" },
	{ 12, 2, STATUS_WARN, "no fabric partition is assigned" },
};

/* Four bits from 8 on: 0 not told, 1 right, else what is wrong. */
#define CONFIGURATION(mask) (((mask) >> 8) & 0xf)

static const char *configuration_text(int64_t code)
{
	static const char *const text[] = {
		"not told",
		"right",
		"wrong system id",
		"wrong chassis serial number",
		"no partition",
		"too few NVLinks",
		"incompatible GPU firmware",
		"invalid location",
		"GPU state not valid",
	};

	if (code < (int64_t)(sizeof(text) / sizeof(text[0])))
		return text[code];
	return "unknown code";
}

static void finish(struct finding *f, const struct check_env *env, int64_t value)
{
	if (!f)
		return;
	f->value = (double)value;
	gpu_evidence_boot(f, env, "%s=%" PRId64, f->code, value);
}

/* Not registered (yet). True if the rest is to be judged. */
static bool judge_state(const struct check_env *env, struct check_result *r, int i)
{
	const struct gpu *g = &env->facts->gpus.gpu[i];
	struct finding *f = NULL;

	switch (g->fabric_state.v) {
	case FABRIC_NOT_SUPPORTED:
		return false;
	case FABRIC_COMPLETED:
		if (!VAL_KNOWN(g->fabric_status) || !g->fabric_status.v)
			return true;
		f = result_add_gpu(r, STATUS_FAIL, "status", env, i,
				   "fabric registration failed: NVML %" PRId64
				   " (%s)",
				   g->fabric_status.v,
				   gpu_rc_text((int)g->fabric_status.v));
		finish(f, env, g->fabric_status.v);
		break;
	case FABRIC_NOT_STARTED:
		f = result_add_gpu(r, STATUS_FAIL, "not_started", env, i,
				   "fabric registration has not started");
		finish(f, env, g->fabric_state.v);
		break;
	case FABRIC_IN_PROGRESS:
		f = result_add_gpu(r, STATUS_FAIL, "in_progress", env, i,
				   "fabric registration is still going on");
		finish(f, env, g->fabric_state.v);
		break;
	default:
		f = result_add_gpu(r, STATUS_WARN, "state", env, i,
				   "unknown fabric state %" PRId64,
				   g->fabric_state.v);
		finish(f, env, g->fabric_state.v);
	}
	if (f) {
		f->remedy = REMEDY_CONFIG;
		f->grace = true; /* registration takes its time */
	}
	return false;
}

static void judge_mask(const struct check_env *env, struct check_result *r, int i)
{
	int64_t mask = env->facts->gpus.gpu[i].fabric_health.v;
	const struct health_bits *b;
	struct finding *f;
	size_t j;

	for (j = 0; j < sizeof(health_bits) / sizeof(health_bits[0]); j++) {
		b = &health_bits[j];
		if (((mask >> b->shift) & 3) != b->bad)
			continue;
		f = result_add_gpu(r, b->status, "health", env, i, "%s", b->text);
		finish(f, env, mask);
	}
	if (CONFIGURATION(mask) < 2)
		return;
	f = result_add_gpu(r, STATUS_FAIL, "configuration", env, i,
			   "fabric configuration: %s",
			   configuration_text(CONFIGURATION(mask)));
	finish(f, env, mask);
	if (f)
		f->remedy = REMEDY_CONFIG;
}

static void judge_summary(const struct check_env *env, struct check_result *r,
			  int i)
{
	int64_t s = env->facts->gpus.gpu[i].fabric_summary.v;

	if (s == 2)
		finish(result_add_gpu(r, STATUS_FAIL, "summary", env, i,
				      "fabric health: unhealthy"),
		       env, s);
	else if (s == 3)
		finish(result_add_gpu(r, STATUS_WARN, "summary", env, i,
				      "fabric health: limited capacity"),
		       env, s);
}

/* GPUs of one node and one fabric belong to one clique. */
static void judge_clique(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	const struct gpu *a, *b;
	int i, first = -1;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		b = &g->gpu[i];
		if (!b->fabric_uuid[0] || !VAL_KNOWN(b->fabric_clique) ||
		    !VAL_KNOWN(b->fabric_state) ||
		    b->fabric_state.v != FABRIC_COMPLETED)
			continue;
		if (first < 0) {
			first = i;
			continue;
		}
		a = &g->gpu[first];
		if (a->fabric_clique.v == b->fabric_clique.v &&
		    !strcmp(a->fabric_uuid, b->fabric_uuid))
			continue;
		finish(result_add_gpu(r, STATUS_FAIL, "clique", env, i,
				      "fabric clique %" PRId64
				      ", but GPU%d is in %" PRId64,
				      b->fabric_clique.v, a->index,
				      a->fabric_clique.v),
		       env, b->fabric_clique.v);
	}
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	const struct gpu *g;
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		g = &env->facts->gpus.gpu[i];
		if (!gpu_known(&l, i, g->fabric_state, "fabric state"))
			continue;
		if (g->fabric_state.v == FABRIC_NOT_SUPPORTED)
			l.known--;
		if (!judge_state(env, r, i))
			continue;
		if (gpu_known(&l, i, g->fabric_health, "fabric health"))
			judge_mask(env, r, i);
		if (gpu_known(&l, i, g->fabric_summary, "fabric health"))
			judge_summary(env, r, i);
	}
	judge_clique(env, r);
	return gpu_done(&l, "no GPU here belongs to an NVLink fabric");
}

const struct check check_nvlink_fabric = {
	.name = "nvlink_fabric",
	.summary = "each GPU is registered with its NVLink fabric",
	.reads = "NVML fabric info: state, status, clique, health mask and "
		 "summary of each GPU",
	.fails = "registration failed, has not started or does not end (young "
		 "boots have their grace), a health field tells of a fault, or "
		 "the node's GPUs are in different cliques",
	.advice = "Look at the fabric manager (or IMEX and the rack's NVLink "
		  "manager) first: systemctl status nvidia-fabricmanager. A "
		  "fabric manager restarted alone needs all GPUs reset.",
	.domain = DOMAIN_NVLINK,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_DOMAIN,
	.def = ACTION_WARN,
	.run = run,
};

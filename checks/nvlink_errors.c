/* SPDX-License-Identifier: Apache-2.0
 * nvlink_errors: do the links' error counters grow? Only what came since the
 * last run counts, never what they stand at. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>

#include "checks/gpu_each.h"

extern const struct check check_nvlink_errors;

static const struct cfg_key keys[] = {
	{ .name = "recovery_warn",
	  .type = CFG_INT,
	  .def = "1",
	  .min = 1,
	  .max = 1000000000,
	  .help = "link recoveries since the last run worth a warning" },
	{ .name = "replay_warn",
	  .type = CFG_INT,
	  .def = "100",
	  .min = 1,
	  .max = 1000000000,
	  .help = "link replays since the last run worth a warning" },
	{ .name = "crc_warn",
	  .type = CFG_INT,
	  .def = "100",
	  .min = 1,
	  .max = 1000000000,
	  .help = "CRC errors since the last run worth a warning" },
	{ 0 },
};

static void judge(struct gpu_look *l, int i, struct val v, const char *name,
		  const char *key)
{
	int64_t limit = check_cfg_int(l->env, &check_nvlink_errors, key);
	struct finding *f;
	int64_t delta;

	if (!gpu_known(l, i, v, "NVLink error counters"))
		return;
	delta = gpu_delta(l->r, l->env, i, name, v.v);
	if (delta < limit)
		return;
	f = result_add_gpu(l->r, STATUS_FAIL, name, l->env, i,
			   "%" PRId64 " NVLink %s errors since the last run",
			   delta, name);
	if (!f)
		return;
	f->value = (double)delta;
	f->limit = (double)limit;
	f->remedy = REMEDY_SERVICE;
	gpu_evidence_boot(f, l->env, "%s=%" PRId64, name, v.v);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	const struct gpu *g;
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		g = &env->facts->gpus.gpu[i];
		judge(&l, i, g->nvlink_recovery, "recovery", "recovery_warn");
		judge(&l, i, g->nvlink_replay, "replay", "replay_warn");
		judge(&l, i, g->nvlink_crc, "crc", "crc_warn");
	}
	return gpu_done(&l, "no GPU tells NVLink error counters");
}

const struct check check_nvlink_errors = {
	.name = "nvlink_errors",
	.summary = "NVLink error counters stand still",
	.reads = "NVML: replay, recovery and CRC counters of each GPU, against "
		 "what the last run on this boot noted",
	.fails = "a counter grew by more than its limit since the last run; a "
		 "counter that was reset counts from 0, one at the end of its "
		 "range is not judged",
	.advice = "A few are harmless. If one GPU keeps collecting them, look "
		  "at nvlink_links and the kernel log, and have the board "
		  "looked at.",
	.domain = DOMAIN_NVLINK,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0
 * gpu_count: are all GPUs there? The PCI bus, the kernel module, NVML, the
 * job and the configuration each have their own number. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_each.h"

static const struct cfg_key keys[] = {
	{ .name = "expected",
	  .type = CFG_INT,
	  .def = "0",
	  .min = 0,
	  .max = FACTS_GPUS_MAX,
	  .help = "GPUs that this node must have; 0: whatever is there" },
	{ 0 },
};

extern const struct check check_gpu_count;

/* NVML does not count what Slurm keeps from the job that asks. */
static int fenced(const struct facts_gpus *g)
{
	int i, n = 0;

	for (i = 0; i < g->count; i++)
		n += g->gpu[i].fenced && !g->gpu[i].in_nvml;
	return n;
}

/* The number seen nearest to the job's work: NVML, else the kernel module,
 * else the bus. -1 if nobody could count. */
static int seen(const struct facts_gpus *g, const char **who)
{
	if (g->nvml_count >= 0) {
		*who = "NVML";
		return g->nvml_count + fenced(g);
	}
	if (g->proc_count >= 0 && g->module_loaded) {
		*who = "driver";
		return g->proc_count;
	}
	*who = "PCI";
	return g->pci_count;
}

/* The first GPU that the bus or the module shows and NVML does not; -1. */
static int missing(const struct facts_gpus *g)
{
	int i;

	if (g->nvml_count < 0)
		return -1;
	for (i = 0; i < g->count; i++)
		if ((g->gpu[i].in_pci || g->gpu[i].in_proc) &&
		    !g->gpu[i].in_nvml && !g->gpu[i].fenced)
			return i;
	return -1;
}

static void fill(const struct check_env *env, struct finding *f, int have,
		 int64_t want)
{
	if (!f)
		return;
	f->value = have;
	f->limit = (double)want;
	snprintf(f->unit, sizeof(f->unit), "GPUs");
	f->everybodys = true;
	gpu_evidence_boot(f, env, "count=%d/%" PRId64, have, want);
}

static struct finding *short_of(const struct check_env *env,
				struct check_result *r, enum status status,
				const char *suffix, int have, int64_t want)
{
	const struct facts_gpus *g = &env->facts->gpus;
	char bus[32], lack[64] = "";
	const char *who;
	int gone = missing(g);
	struct finding *f;

	seen(g, &who);
	if (gone >= 0)
		snprintf(lack, sizeof(lack), ", %s missing",
			 gpu_nvml_bus_id(g->gpu[gone].bus_id, bus, sizeof(bus)));
	f = result_add(r, status, suffix, "node",
		       "%s has %d<%" PRId64 " GPUs%s", who, have, want, lack);
	fill(env, f, have, want);
	if (f)
		f->remedy = REMEDY_REBOOT;
	return f;
}

static int against_config(const struct check_env *env, struct check_result *r,
			  int have, int64_t want)
{
	struct finding *f;

	if (have < want) {
		short_of(env, r, STATUS_FAIL, "short", have, want);
	} else if (have > want) {
		f = result_add(r, STATUS_WARN, "more", "node",
			       "%d GPUs, configured are %" PRId64, have, want);
		fill(env, f, have, want);
		if (f)
			f->remedy = REMEDY_CONFIG;
	}
	return 0;
}

static bool any_mig(const struct facts_gpus *g)
{
	int i;

	for (i = 0; i < g->count; i++)
		if (VAL_KNOWN(g->gpu[i].mig_mode) && g->gpu[i].mig_mode.v)
			return true;
	return false;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	int64_t want = check_cfg_int(env, &check_gpu_count, "expected");
	const char *who;
	int have, most;

	if (!env->job_has_gpus)
		return result_skip(r, "the job has no GPUs");
	/* A count that was not finished is not a count. */
	if (g->gather.end != GATHER_DONE && g->gather.end != GATHER_ABSENT)
		return result_skip(r, "the GPUs could not be counted");
	have = seen(g, &who);
	if (have < 0)
		return result_skip(r, "nobody could count the GPUs");
	if (want > 0)
		return against_config(env, r, have, want);
	/* Nothing promised: the sources may only contradict each other. */
	most = have;
	if (g->module_loaded && g->proc_count > most)
		most = g->proc_count;
	if (g->pci_count > most)
		most = g->pci_count;
	if (most == 0 && !env->job_gpus)
		return result_skip(r, "no NVIDIA GPU here, none expected");
	if (have < most)
		short_of(env, r, STATUS_WARN, "differ", have, most);
	else if (have < env->job_gpus && !any_mig(g))
		short_of(env, r, STATUS_WARN, "job", have, env->job_gpus);
	return 0;
}

const struct check check_gpu_count = {
	.name = "gpu_count",
	.summary = "all GPUs are there",
	.reads = "the PCI bus, /proc/driver/nvidia/gpus, NVML's count, the "
		 "GPUs that Slurm gave the job; no call of its own",
	.fails = "fewer GPUs than [check gpu_count] expected; warns where the "
		 "sources disagree or there are more than configured",
	.advice = "Look for the missing address in the kernel log; reboot, "
		  "then reseat or exchange the board if it stays away.",
	.domain = DOMAIN_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.keys = keys,
	.run = run,
};

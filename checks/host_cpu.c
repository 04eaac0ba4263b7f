/* SPDX-License-Identifier: Apache-2.0
 * host_cpu: are all CPUs at work, and may they run at full clock?
 *
 * The clock of an idle CPU means nothing, so it is never judged: only the
 * ceiling that somebody set, and, under the governor that never slows down,
 * the clock of the one CPU that was surely busy: the one that looked. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <string.h>

#include "checks/node.h"

static const struct cfg_key keys[] = {
	{ "max_offline", CFG_INT, NULL, "0", 0, 8192, NULL,
	  "CPUs that may be offline (beside those that SMT control took)" },
	{ "governor", CFG_TEXT, NULL, NULL, 0, 0, NULL,
	  "the cpufreq governor that is wanted; unset: any" },
	{ "min_khz", CFG_INT, "kHz", "0", 0, 10000000, NULL,
	  "the ceiling of the clock has to be this high; 0: 90% of nominal" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_host_cpu;

/* SMT switched off leaves at least every second CPU. */
static bool smt_explains(const struct facts_host *h)
{
	if (!h->smt[0] || !strcmp(h->smt, "on") ||
	    !strncmp(h->smt, "not", 3))
		return false;
	return h->cpus_online > 0 && h->cpus_online * 8 >= h->cpus_present;
}

static void judge_online(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	int offline = h->cpus_present - h->cpus_online;
	int64_t max = check_cfg_int(env, &check_host_cpu, "max_offline");
	struct finding *f;

	if (h->cpus_present < 0 || offline <= max || smt_explains(h))
		return;
	f = result_add(r, STATUS_FAIL, "offline", "node",
		       "%d<%d CPUs online, offline %s", h->cpus_online,
		       h->cpus_present, h->offline_list);
	node_numbers(f, h->cpus_online, h->cpus_present, "CPUs");
	node_remedy(f, REMEDY_REBOOT);
	node_evidence(f, env, "offline=%s", h->offline_list);
}

static void judge_governor(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	const char *want = check_cfg_text(env, &check_host_cpu, "governor");
	struct finding *f = NULL;

	if (!want || !want[0] || !h->governor[0])
		return;
	if (strcmp(want, h->governor))
		f = result_add(r, STATUS_WARN, "governor", "node",
			       "governor is %s, not %s", h->governor, want);
	else if (h->governor_mixed)
		f = result_add(r, STATUS_WARN, "governor", "node",
			       "governor is %s, but not on all CPUs", want);
	node_remedy(f, REMEDY_CONFIG);
}

static void judge_clock(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	int64_t min = check_cfg_int(env, &check_host_cpu, "min_khz");
	int64_t floor = min ? min : h->base_khz / 10 * 9;
	struct finding *f;

	if (h->limit_khz && floor && h->limit_khz < floor) {
		f = result_add(r, STATUS_WARN, "limited", "node",
			       "CPU clock is limited to %" PRId64 "<%" PRId64
			       " MHz", h->limit_khz / 1000,
			       (min ? min : h->base_khz) / 1000);
		node_numbers(f, (double)(h->limit_khz / 1000),
			     (double)(floor / 1000), "MHz");
		node_remedy(f, REMEDY_CONFIG);
	} else if (h->cur_khz && h->cur_khz < h->base_khz / 2 &&
		   !strcmp(h->governor, "performance")) {
		f = result_add(r, STATUS_WARN, "slow", "node",
			       "a busy CPU runs at %" PRId64 "<%" PRId64 " MHz",
			       h->cur_khz / 1000, h->base_khz / 1000);
		node_numbers(f, (double)(h->cur_khz / 1000),
			     (double)(h->base_khz / 1000), "MHz");
		node_remedy(f, REMEDY_SERVICE);
	}
}

static int run(const struct check_env *env, struct check_result *r)
{
	if (env->facts->host.cpus_online < 0)
		return result_skip(r, "/sys tells no CPUs");
	judge_online(env, r);
	judge_governor(env, r);
	judge_clock(env, r);
	return 0;
}

const struct check check_host_cpu = {
	.name = "host_cpu",
	.summary = "all CPUs are online and may run at full clock",
	.reads = "/sys/devices/system/cpu, cpufreq of 16 CPUs; under 1 ms",
	.fails = "CPUs are offline that SMT control does not explain; a wrong"
		 " governor or a clock held down is a warning",
	.advice = "look for CPUs that the kernel took offline, for a power cap"
		  " and for a failed power supply or fan",
	.domain = DOMAIN_HOST,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};

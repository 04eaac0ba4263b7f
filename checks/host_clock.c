/* SPDX-License-Identifier: Apache-2.0
 * host_clock: does the node know what time it is? Time is the site's: this
 * never drains a node. */
#include "config.h"
#include "checks/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "checks/node.h"

static const struct cfg_key keys[] = {
	{ "max_offset_ms", CFG_INT, "ms", "100", 0, 1000000, NULL,
	  "how far the clock may be off; 0: not judged" },
	{ "require_sync", CFG_BOOL, NULL, "yes", 0, 0, NULL,
	  "no: the time daemon does not tell the kernel (PTP, or chrony"
	  " without rtcsync)" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_host_clock;

static void judge_offset(const struct check_env *env, struct check_result *r)
{
	int64_t off = llabs(env->facts->host.clock_offset_us) / 1000;
	int64_t max = check_cfg_int(env, &check_host_clock, "max_offset_ms");
	struct finding *f;

	if (!max || off <= max)
		return;
	f = result_add(r, STATUS_FAIL, "offset", "node",
		       "clock is off by %" PRId64 ">%" PRId64 " ms", off, max);
	node_numbers(f, (double)off, (double)max, "ms");
	node_remedy(f, REMEDY_CONFIG);
	node_evidence(f, env, "clock=offset");
	if (f)
		f->grace = true;
}

static void judge_sync(const struct check_env *env, struct check_result *r)
{
	struct finding *f;

	if (!check_cfg_bool(env, &check_host_clock, "require_sync"))
		return;
	f = result_add(r, STATUS_FAIL, "unsynchronised", "node",
		       "clock is not synchronised");
	node_remedy(f, REMEDY_CONFIG);
	node_evidence(f, env, "clock=unsync");
	if (f)
		f->grace = true;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;

	if (h->clock_rc < 0 && (h->clock_errno == ENOSYS || !h->clock_errno))
		return result_skip(r, "the state of the clock is not known");
	if (h->clock_rc < 0)
		return result_error(r, "adjtimex: %s",
				    strerror(h->clock_errno));
	if (h->clock_rc == TIME_ERROR || h->clock_status & STA_UNSYNC)
		judge_sync(env, r);
	else
		judge_offset(env, r);
	return 0;
}

const struct check check_host_clock = {
	.name = "host_clock",
	.summary = "the clock is synchronised",
	.reads = "adjtimex(2); microseconds",
	.fails = "the kernel's clock is marked unsynchronised, or off by more"
		 " than max_offset_ms",
	.advice = "look at chronyd, ntpd or systemd-timesyncd",
	.domain = DOMAIN_HOST,
	.scope = SCOPE_SITE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};

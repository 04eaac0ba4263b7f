/* SPDX-License-Identifier: Apache-2.0
 * What in slurm.conf would hurt: a pure look at its settings. */
#include "config.h"
#include "cmd/doctor.h"

#include <inttypes.h>
#include <string.h>

#define TOPIC "slurm.conf"
#define MARGIN_MS 2000		/* between the gate's end and Slurm's patience */

/* A word of a list that must be there, or must not. */
struct word {
	const char *key, *word;
	const char *implied[4];	/* other words that bring it along */
	bool wanted;
	enum doctor_level level;
	const char *what, *mend;
};

static const struct word words[] = {
	{ "PrologFlags", "Alloc",
	  { "Contain", "X11", "ForceRequeueOnFail", "RunInJob" }, true,
	  DOCTOR_WRONG,
	  "PrologFlags lacks Alloc: the gate runs only where and when a step "
	  "starts, when the job is running already",
	  "PrologFlags=Alloc,DeferBatch" },
	{ "PrologFlags", "DeferBatch", { NULL }, true, DOCTOR_WRONG,
	  "PrologFlags lacks DeferBatch: the batch script starts before a sick "
	  "peer node is found",
	  "PrologFlags=Alloc,DeferBatch" },
	{ "PrologFlags", "RunInJob", { NULL }, false, DOCTOR_WRONG,
	  "PrologFlags has RunInJob: the gate runs inside the job's cgroup and "
	  "sees only the job's devices and memory",
	  "remove RunInJob" },
	{ "PrologFlags", "Serial", { NULL }, false, DOCTOR_NOTE,
	  "PrologFlags has Serial: jobs on one node wait for each other's gates",
	  "remove Serial unless something else needs it" },
	{ "PrologFlags", "NoHold", { NULL }, false, DOCTOR_NOTE,
	  "PrologFlags has NoHold: salloc does not wait for the gate",
	  "remove NoHold unless something else needs it" },
};

static bool has(const struct slurmconf *c, const struct word *w)
{
	size_t i;

	if (slurmconf_has(c, w->key, w->word))
		return true;
	for (i = 0; i < 4 && w->implied[i]; i++)
		if (slurmconf_has(c, w->key, w->implied[i]))
			return true;
	return false;
}

static bool look_at_words(const struct doctor *d)
{
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has(&d->slurm, &words[i]) != words[i].wanted) {
			doctor_say(d, words[i].level, TOPIC, words[i].mend,
				   "%s", words[i].what);
			good = false;
		}
	return good;
}

/* Without it a batch job that met a sick node is held for ever. */
static bool look_at_hold(const struct doctor *d)
{
	bool once = !strcmp(cfg_text(d->s->cfg, "policy", "requeue"), "once");

	if (slurmconf_has(&d->slurm, "SchedulerParameters",
			  "nohold_on_prolog_fail"))
		return true;
	doctor_say(d, once ? DOCTOR_NOTE : DOCTOR_WRONG, TOPIC,
		   "SchedulerParameters=nohold_on_prolog_fail",
		   "a batch job that meets a sick node is requeued but held%s",
		   once ? "; [policy] requeue = once releases it the first time"
			: " until an admin releases it");
	return false;
}

struct patience {
	const char *key;
	int64_t def_s;		/* Slurm's default, -1: none */
	enum doctor_level level;
	const char *then;
};

static const struct patience patience[] = {
	{ "PrologEpilogTimeout", -1, DOCTOR_WRONG,
	  "slurmd kills the gate and drains the node" },
	{ "PrologTimeout", -1, DOCTOR_WRONG,
	  "slurmd kills the gate and drains the node" },
	{ "EpilogTimeout", -1, DOCTOR_WRONG,
	  "slurmd kills the gate and drains the node" },
	{ "MessageTimeout", 10, DOCTOR_WRONG,
	  "a slow gate makes srun and slurmctld give up on the node" },
	{ "BatchStartTimeout", 10, DOCTOR_NOTE,
	  "a slow gate delays a launch beyond what srun waits for" },
};

static bool look_at_timeouts(const struct doctor *d)
{
	int64_t total_ms = cfg_int(d->s->cfg, "budget", "total_ms");
	int64_t need_s = (total_ms + MARGIN_MS + 999) / 1000;
	bool good = true;
	int64_t have_s;
	char mend[120];
	size_t i;

	for (i = 0; i < sizeof(patience) / sizeof(patience[0]); i++) {
		have_s = slurmconf_seconds(&d->slurm, patience[i].key,
					   patience[i].def_s);
		/* In both forms 0 is no limit for scripts. */
		if (have_s <= 0 || have_s >= need_s)
			continue;
		snprintf(mend, sizeof(mend), "%s=%" PRId64 " or more, or a "
			 "smaller [budget] total_ms", patience[i].key, need_s);
		doctor_say(d, patience[i].level, TOPIC, mend,
			   "%s is %" PRId64 " s, the gate may take %" PRId64
			   " ms: %s", patience[i].key, have_s, total_ms,
			   patience[i].then);
		good = false;
	}
	return good;
}

static bool look_at_power(const struct doctor *d)
{
	const struct slurmconf *c = &d->slurm;

	if (!*slurmconf_get(c, "SuspendProgram") ||
	    slurmconf_seconds(c, "SuspendTime", -1) < 0 ||
	    slurmconf_has(c, "SuspendExcStates", "DRAIN") ||
	    slurmconf_has(c, "SuspendExcStates", "DRAINED"))
		return true;
	doctor_say(d, DOCTOR_WRONG, TOPIC, "SuspendExcStates=DRAIN,DOWN",
		   "power saving is on and SuspendExcStates lacks DRAIN: a "
		   "drained node is powered down before anyone has looked at it");
	return false;
}

static bool look_at_return(const struct doctor *d)
{
	if (slurmconf_seconds(&d->slurm, "ReturnToService", 0) > 0)
		return true;
	doctor_say(d, DOCTOR_NOTE, TOPIC, "ReturnToService=1 or 2",
		   "ReturnToService is 0: a node that rebooted unexpectedly "
		   "stays DOWN; assay resumes only its own drains");
	return false;
}

static bool look_at_health(const struct doctor *d)
{
	const struct slurmconf *c = &d->slurm;
	int64_t every_s = slurmconf_seconds(c, "HealthCheckInterval", 0);
	const char *states = slurmconf_get(c, "HealthCheckNodeState");

	if (!*slurmconf_get(c, "HealthCheckProgram"))
		return true;	/* told by doctor_scripts() */
	if (every_s <= 0) {
		doctor_say(d, DOCTOR_WRONG, TOPIC, "HealthCheckInterval=300",
			   "HealthCheckInterval is 0: the health check never "
			   "runs");
		return false;
	}
	if (every_s < 30 || every_s > 3600)
		doctor_say(d, DOCTOR_NOTE, TOPIC, "HealthCheckInterval=300",
			   "HealthCheckInterval is %" PRId64 " s: %s", every_s,
			   every_s < 30 ? "that loads every node" :
			   "a sick idle node is found late");
	/* A drained node must be tested, or it is never resumed. */
	if (*states && slurmconf_has(c, "HealthCheckNodeState",
				     "NONDRAINED_IDLE")) {
		doctor_say(d, DOCTOR_WRONG, TOPIC, "HealthCheckNodeState=IDLE",
			   "HealthCheckNodeState is %s: drained nodes are not "
			   "tested and so never resumed", states);
		return false;
	}
	return true;
}

void doctor_flags(struct doctor *d)
{
	bool good = true;

	if (!doctor_has_slurm(d))
		return;
	good &= look_at_words(d);
	good &= look_at_hold(d);
	good &= look_at_timeouts(d);
	good &= look_at_power(d);
	good &= look_at_return(d);
	good &= look_at_health(d);
	if (good)
		doctor_say(d, DOCTOR_OK, TOPIC, NULL,
			   "flags and timeouts suit the gate");
}

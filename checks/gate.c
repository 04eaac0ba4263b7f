/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/gate.h"

#include <stdlib.h>
#include <unistd.h>

#include "checks/memo.h"
#include "checks/pass.h"
#include "lib/clock.h"
#include "lib/log.h"

/* Did the job ask for a full pass, and may it? */
static bool wants_full(const struct session *s)
{
	return s->job->wishes & JOB_WISH_FULL &&
	       cfg_list_has(s->cfg, "policy", "user_may", "full");
}

/* May this short job be answered from memory? */
static bool memory_answers(struct pass *p)
{
	struct session *s = p->s;

	if (p->context != CONTEXT_PROLOG || !memo_job_is_short(s->job) ||
	    wants_full(s))
		return false;
	p->run.kmsg_only = true;
	if (run_gather(&p->run, NULL) < 0)
		return false;
	p->from_memory = memo_holds(
		p->doc[DOC_MEMO], &p->run.facts->kmsg, run_wants_gpus(&p->run),
		memo_pci_digest(&s->roots), cfg_digest(s->cfg),
		(int)cfg_int(s->cfg, "policy", "memo_s"), p->now_s);
	p->run.kmsg_only = false;
	if (!p->from_memory)
		run_fini(&p->run);
	return p->from_memory;
}

/* Write the verdict into the job's run directory; the final one is also the
 * one line of this run in syslog. */
static void write_verdict(struct pass *p, bool final)
{
	struct record rec;
	struct err e = { "no run directory" };
	json_t *doc;
	char *line;
	int dir;

	pass_record(p, &rec);
	doc = record_json(&rec);
	if (!doc) {
		log_error("the verdict cannot be written as JSON");
		return;
	}
	dir = session_job_dir(p->s, p->s->job->id);
	if (dir < 0 || record_write(doc, dir, "verdict.json", &e) < 0)
		log_warn("verdict not written: %s", e.text);
	if (dir >= 0)
		close(dir);
	line = final ? json_dumps(doc, JSON_COMPACT) : NULL;
	if (line)
		log_record(line);
	free(line);
	json_decref(doc);
}

static int exit_code(const struct pass *p)
{
	enum acted acted = p->outcome.acted;

	if (p->context == CONTEXT_PROLOG)
		return acted == ACTED_DRAIN || acted == ACTED_REFUSE;
	return (acted == ACTED_DRAIN || acted == ACTED_DRAIN_AFTER) &&
	       !p->outcome.told;
}

/* If the time ends while Slurm is being told: a hard fault refuses the job. */
static int expected_code(const struct pass *p)
{
	return p->context == CONTEXT_PROLOG && p->verdict.act == ACTION_DRAIN &&
	       !p->verdict.soft;
}

static int work(struct supervised *link, struct pass *p,
		const struct gate_hooks *hooks)
{
	supervise_deadline(link,
			   (int)cfg_int(p->s->cfg, "budget", "total_ms"));
	if (!memory_answers(p)) {
		if (pass_judge(p) < 0)
			return 0;
		pass_probe(p, TIER_QUICK);
		if (p->verdict.act > ACTION_WARN)
			write_verdict(p, false);
		supervise_expect(link, expected_code(p));
		pass_act(p);
	}
	/* From here on only what was done counts, should a disk hang. */
	supervise_expect(link, exit_code(p));
	write_verdict(p, true);
	pass_keep(p);
	pass_say(p);
	/* Last: whatever becomes of a job's record, the node's state is kept. */
	if (hooks->after)
		hooks->after(p, exit_code(p));
	return exit_code(p);
}

int gate_run(struct supervised *link, const struct gate_request *q)
{
	struct session s;
	struct pass p;
	struct err e;
	int code;

	/* First of all, but here: even this look may hang on a dead disk. */
	if (session_switched_off(q->config_path, &e)) {
		log_info("switched off by the file OFF beside the config");
		return 0;
	}
	if (e.text[0])
		log_warn("%s", e.text);
	if (!q->job->id) {
		log_error("no SLURM_JOB_ID: not called by slurmd?");
		return 0;
	}
	if (session_open(&s, q->config_path, q->job, &e) < 0) {
		log_error("%s", e.text);
		return 0;
	}
	if (q->context == CONTEXT_PROLOG)
		session_job_begin(&s, q->job->id);
	else if (q->context == CONTEXT_EPILOG)
		session_job_ending(&s, q->job->id);
	if (q->hooks.before)
		q->hooks.before(&s);
	pass_open(&p, &s, q->context);
	code = work(link, &p, &q->hooks);
	pass_close(&p);
	if (q->context == CONTEXT_EPILOG) {
		session_job_end(&s, q->job->id);
		session_jobs_purge(&s, clock_wall_s());
	}
	session_close(&s);
	return code;
}

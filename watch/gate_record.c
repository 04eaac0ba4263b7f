/* SPDX-License-Identifier: Apache-2.0
 * What the Epilog keeps of a job. (Of its own, so that the Prolog is not
 * linked with what makes a record.) */
#include "config.h"
#include "watch/gate_side.h"

#include <errno.h>
#include <string.h>

#include "checks/record.h"
#include "epilog/publisher.h"
#include "epilog/spool.h"
#include "lib/log.h"
#include "watch/mark.h"
#include "watch/scribe.h"

/* The mark is of this run, whatever Slurm counts: of a job that is requeued
 * the Epilog may be told the number of the run to come. But one whose Epilog
 * has been is another run's, unless the number is the same. */
static bool take_mark(const struct pass *p, const struct instant *now,
		      struct mark *m)
{
	const struct session *s = p->s;
	const struct facts *f = p->run.facts;

	if (s->run_dir < 0 || mark_read(s->run_dir, s->job->id, m) < 0)
		return false;
	mark_settle(m, now, f && !strcmp(m->boot_id, f->kmsg.boot_id));
	if (m->restart == s->job->restart ||
	    !mark_has(s->run_dir, s->job->id, MARK_ENDED))
		return true;
	mark_fini(m);
	return false;
}

static void store(const struct session *s, const json_t *record,
		  const struct mark *m, const struct instant *now)
{
	int64_t uid = m ? m->uid : s->job->uid;
	struct err e = { "" };

	if (spool_store(cfg_text(s->cfg, "paths", "spool"), record,
			uid >= 0 ? (uid_t)uid : (uid_t)-1,
			m && scribe_is_shared(s->cfg, m->nodes,
					      now->up_s - m->start_up_s),
			&e) < 0)
		log_warn("%s", e.text);
	/* In any case: it also makes room in the spool. */
	if (publisher_start(s->cfg) < 0)
		log_warn("no publisher: %s", strerror(errno));
}

void watch_job_record(struct pass *p, int code)
{
	struct gathered_from from = { .s = p->s,
				      .job = p->s->job,
				      .facts = p->run.facts,
				      .now = { .wall_s = p->now_s,
					       .up_s = p->up_s } };
	struct record rec;
	struct mark m;
	json_t *after, *record;

	(void)code;
	pass_record(p, &rec);
	after = record_json(&rec);
	from.after = after;
	if (take_mark(p, &from.now, &m))
		from.mark = &m;
	record = scribe_record(&from);
	if (record)
		store(p->s, record, from.mark, &from.now);
	else
		log_warn("the job has no record: out of memory");
	json_decref(record);
	json_decref(after);
	if (from.mark)
		mark_fini(&m);
}

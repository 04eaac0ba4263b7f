/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/act.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checks/brakes.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/scrub.h"
#include "lib/slurm.h"

#define COUNT_MS 1700		/* to count the drains of a soft rule */
#define RESUME_MS 1000		/* to take one back */

static void note(struct act_outcome *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct act_outcome *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out->note, sizeof(out->note), fmt, ap);
	va_end(ap);
	scrub(out->note);
}

static enum acted done(const struct act_request *q)
{
	return q->action == ACTION_DRAIN ? ACTED_DRAIN : ACTED_DRAIN_AFTER;
}

/* A job is refused only before it starts. */
static bool refuses(const struct act_request *q)
{
	return done(q) == ACTED_DRAIN && q->context == CONTEXT_PROLOG;
}

/* slurmctld did not answer: the exit code still drains, and our reason comes
 * later. A soft rule whose limit cannot be known lets the job run, and what
 * somebody has resumed the node with drains it no second time. */
static void not_reached(const struct act_request *q, const struct slurm *slurm,
			const struct err *e, struct act_outcome *out)
{
	bool by_exit_code = refuses(q) || q->context == CONTEXT_EPILOG;

	out->told = false;
	out->acted = ACTED_RUN;
	if (q->soft || !by_exit_code || (q->consumed && q->long_ago)) {
		note(out, "not drained: %s", e->text);
		return;
	}
	out->acted = done(q);
	note(out, "by exit code: %s", e->text);
	if (slurm_retry_detached(slurm, q->s->job->node, q->reason,
				 cfg_text(q->s->cfg, "paths", "run")) < 0)
		log_warn("the reason will not be told to Slurm later");
}

static void tell_user(const struct act_request *q, const struct slurm *slurm)
{
	const struct session *s = q->s;
	char text[256];
	struct err e;

	if (!refuses(q) || !s->job->id)
		return;
	if (cfg_bool(s->cfg, "policy", "notify")) {
		snprintf(text, sizeof(text), "node %s was drained: %s",
			 s->job->node, q->reason);
		if (slurm_notify(slurm, s->job->id, text, &e) < 0)
			log_warn("the user is not told: %s", e.text);
	}
	if (!strcmp(cfg_text(s->cfg, "policy", "requeue"), "once") &&
	    !s->job->restart && slurm_requeue(slurm, s->job->id, &e) < 0)
		log_warn("the job is not requeued: %s", e.text);
}

/* Without a shared directory: drained first, then counted. */
static bool back_out(const struct act_request *q, const struct slurm *first,
		     struct act_outcome *out)
{
	const struct cfg *cfg = q->s->cfg;
	struct slurm own = *first, *slurm = &own;
	int limit = (int)cfg_int(cfg, "policy", "drains_per_rule");
	struct err e = { "" };
	int rank = 0;

	/* A slow slurmctld must not switch the limit off: counting has its
	 * own time, and so has the way back. */
	own.until_ms = clock_mono_ms() + COUNT_MS;
	if (slurm_rank(slurm, q->s->job->node, q->rule,
		       (int)cfg_int(cfg, "policy", "drains_window_s"), &rank,
		       &e) == 0 && rank <= limit)
		return false;
	own.until_ms = clock_mono_ms() + RESUME_MS;
	if (slurm_resume(slurm, q->s->job->node, &e) < 0) {
		note(out, "over the limit of %d drains, but cannot resume: %s",
		     limit, e.text);
		return false;
	}
	out->acted = ACTED_RUN;
	if (rank > limit)
		note(out, "ALARM: %s would drain node %d within %llds (limit %d)",
		     q->rule, rank,
		     (long long)cfg_int(cfg, "policy", "drains_window_s"),
		     limit);
	else
		note(out, "not drained: limit unknown: %s", e.text);
	return true;
}

static bool braked(const struct act_request *q, const struct slurm *slurm,
		   enum brake *brake, struct act_outcome *out)
{
	int left = (int)(slurm->until_ms - clock_mono_ms());
	struct err e = { "" };

	*brake = BRAKE_FREE;
	if (!q->soft)
		return false;
	*brake = brakes_take(q->s->cfg, q->rule, q->s->job->node,
			     left > 1000 ? left - 1000 : 100, &e);
	if (*brake == BRAKE_LIMIT) {
		out->acted = ACTED_RUN;
		note(out, "ALARM: %s is over the limit of %lld drains", q->rule,
		     (long long)cfg_int(q->s->cfg, "policy",
					"drains_per_rule"));
		return true;
	}
	if (*brake == BRAKE_UNKNOWN) {
		out->acted = ACTED_RUN;
		note(out, "not drained: limit unknown: %s", e.text);
		return true;
	}
	return false;
}

static void drain_free_node(const struct act_request *q,
			    const struct slurm *slurm, bool has_text,
			    struct act_outcome *out)
{
	struct err e = { "" };
	enum brake brake;
	int rc;

	if (braked(q, slurm, &brake, out))
		return;
	/* Slurm's own text is replaced; a free node is drained. */
	rc = has_text ? slurm_set_reason(slurm, q->s->job->node, q->reason,
					 &e) :
			slurm_drain(slurm, q->s->job->node, q->reason, &e);
	if (rc < 0) {
		not_reached(q, slurm, &e, out);
		return;
	}
	out->told = true;
	out->acted = done(q);
	if (brake == BRAKE_RANK && back_out(q, slurm, out))
		return;
	tell_user(q, slurm);
}

/* Somebody else's node, or hands off: it stays exactly as it is. Slurm drains
 * a node that refuses a job, so only one that is drained may refuse. */
static void leave(const struct act_request *q, const struct node_state *n,
		  struct act_outcome *out)
{
	bool drained = n->flags & NODE_DRAIN;

	out->told = true;
	out->acted = drained && refuses(q) ? ACTED_REFUSE : ACTED_RUN;
	note(out, "node left as it is: %s%s%.80s", n->tokens,
	     n->reason[0] ? ", " : "", n->reason);
}

/* An earlier try got no answer in time, but did drain the node: it is ours. */
static bool came_late(const struct act_request *q, const struct node_state *n,
		      struct act_outcome *out)
{
	if (strcmp(n->reason, q->reason) ||
	    (q->noted && !strcmp(q->noted, q->reason)))
		return false;
	out->told = true;
	out->acted = done(q);
	note(out, "drained by an earlier try");
	return true;
}

void act(const struct act_request *q, struct act_outcome *out)
{
	struct node_state n;
	struct slurm slurm;
	struct err e = { "" };

	memset(out, 0, sizeof(*out));
	session_slurm(q->s, &slurm);
	clock_sleep_ms(slurm_jitter_ms(
		q->s->job->node, q->s->job->num_nodes,
		(int)cfg_int(q->s->cfg, "policy", "jitter_ms")));
	if (slurm_show_node(&slurm, q->s->job->node, &n, &e) < 0) {
		not_reached(q, &slurm, &e, out);
		return;
	}
	switch (slurm_owner(&n)) {
	case NODE_OURS:
		if (!came_late(q, &n, out))
			leave(q, &n, out);
		break;
	case NODE_FOREIGN:
		leave(q, &n, out);
		break;
	case NODE_PROLOG_ERROR:
		drain_free_node(q, &slurm, true, out);
		break;
	case NODE_FREE:
		if (q->consumed)
			out->acted = ACTED_RESUMED;
		else
			drain_free_node(q, &slurm, false, out);
		break;
	}
}

const char *acted_name(enum acted a)
{
	static const char *const name[] = { "run", "drain-after", "drain",
					    "refuse", "run" };

	return name[a];
}

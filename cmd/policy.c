/* SPDX-License-Identifier: Apache-2.0
 * assay policy - what each rule does, did, and would have done on this node;
 * and by hand: promote a rule to enforce, demote it again. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "checks/exec.h"
#include "checks/fuse.h"
#include "checks/tally.h"
#include "cmd/audit.h"
#include "cmd/cmd.h"
#include "cmd/page.h"
#include "lib/clock.h"
#include "lib/log.h"

#define WEEK 7

extern char **environ;

/* One line of the table. */
struct line {
	char name[64];
	const char *state;	/* "observe", "enforce", "held" ... */
	char action[3][16];	/* by enum context */
	bool soft;
	const json_t *promoted;	/* its entry, or NULL */
	struct tally today, week;
};

struct report {
	const struct session *s;
	json_t *tally, *promoted, *fuse;
	int64_t now_s;
};

static void actions(const struct cfg *cfg, const char *section,
		    const char *def, struct line *l)
{
	int i;

	for (i = 0; i < 3; i++) {
		const char *word = cfg_text(cfg, section,
					    action_key((enum context)i));

		snprintf(l->action[i], sizeof(l->action[i]), "%s",
			 *word ? word : def);
	}
}

static const char *state_of(const struct report *r, const char *section,
			    const struct line *l)
{
	if (cfg_broken(r->s->cfg, section))
		return "broken";
	if (!cfg_bool(r->s->cfg, section, "enabled"))
		return "off";
	if (!session_enforces(r->s) && !l->promoted)
		return "observe";
	if (l->soft && fuse_untested(r->fuse, l->name))
		return "held";
	return l->promoted ? "promoted" : "enforce";
}

static void fill(const struct report *r, const char *section, const char *name,
		 const char *def, bool soft, struct line *l)
{
	memset(l, 0, sizeof(*l));
	snprintf(l->name, sizeof(l->name), "%s", name);
	l->soft = soft;
	l->promoted = json_object_get(r->promoted, name);
	actions(r->s->cfg, section, def, l);
	l->state = state_of(r, section, l);
	l->today = tally_sum(r->tally, name, 1, r->now_s);
	l->week = tally_sum(r->tally, name, WEEK, r->now_s);
}

/* The i-th rule: the checks, then the site's own. False behind the last. */
static bool rule_at(const struct report *r, int i, struct line *l)
{
	char name[64], section[64];
	const char *own;
	int checks = 0;

	while (checks_all[checks])
		checks++;
	if (i < checks) {
		snprintf(section, sizeof(section), "check %s",
			 checks_all[i]->name);
		fill(r, section, checks_all[i]->name,
		     action_name(checks_all[i]->def), checks_all[i]->soft, l);
		return true;
	}
	own = cfg_section_at(r->s->cfg, "exec *", i - checks);
	if (!own)
		return false;
	snprintf(name, sizeof(name), "exec_%s", own + strlen("exec "));
	fill(r, own, name, "warn", true, l);
	return true;
}

static void print_line(const struct line *l)
{
	char action[40], today[32], week[40];

	if (!strcmp(l->action[0], l->action[1]) &&
	    !strcmp(l->action[0], l->action[2]))
		snprintf(action, sizeof(action), "%s", l->action[0]);
	else
		snprintf(action, sizeof(action), "%s/%s/%s", l->action[0],
			 l->action[1], l->action[2]);
	snprintf(today, sizeof(today), "%lld/%lld/%lld",
		 (long long)l->today.runs, (long long)l->today.would,
		 (long long)l->today.did);
	snprintf(week, sizeof(week), "%lld/%lld/%lld", (long long)l->week.runs,
		 (long long)l->week.would, (long long)l->week.did);
	printf("%-16s%-9s", l->name, l->state);
	if (printf("%-19s ", action) > 20)
		printf("\n%45s", "");
	printf("%14s %18s\n", today, week);
}

static void print_table(const struct report *r)
{
	const char *who;
	struct line l;
	int i;

	printf("%-16s%-9s%-19s %14s %18s\n", "RULE", "STATE",
	       "PROLOG/EPILOG/HEALTH", "TODAY", "LAST 7 DAYS");
	for (i = 0; rule_at(r, i, &l); i++)
		print_line(&l);
	printf("\nNumbers are runs/would have drained/drained, on this node "
	       "only.\nheld: a soft rule that has not passed since the last "
	       "change; it observes.\n");
	for (i = 0; rule_at(r, i, &l); i++) {
		who = json_string_value(json_object_get(l.promoted, "by"));
		if (l.promoted)
			printf("%s was promoted by %s.\n", l.name,
			       who ? who : "somebody");
	}
	if (r->s->complaint[0])
		page_item(stdout, 2, "!", r->s->complaint);
}

static json_t *counts(const struct tally *t)
{
	return json_pack("{s:I, s:I, s:I}", "runs", (json_int_t)t->runs,
			 "would", (json_int_t)t->would, "did",
			 (json_int_t)t->did);
}

static void print_json(const struct report *r)
{
	json_t *rules = json_array();
	struct line l;
	json_t *doc;
	int i;

	for (i = 0; rule_at(r, i, &l); i++)
		json_array_append_new(
			rules,
			json_pack("{s:s, s:s, s:b, s:{s:s, s:s, s:s}, s:o, s:o, "
				  "s:O?}", "name", l.name, "state", l.state,
				  "soft", l.soft, "action", "prolog",
				  l.action[CONTEXT_PROLOG], "epilog",
				  l.action[CONTEXT_EPILOG], "health",
				  l.action[CONTEXT_HEALTH], "today",
				  counts(&l.today), "week", counts(&l.week),
				  "promoted", (json_t *)l.promoted));
	doc = json_pack("{s:s, s:s, s:s, s:s, s:o}", "schema",
			"assay.policy/1", "node", r->s->job->node, "mode",
			session_enforces(r->s) ? "enforce" : "observe",
			"nodes", "this", "rules", rules);
	json_dumpf(doc, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(doc);
}

static int show(const char *config, bool json)
{
	static struct job job;
	struct session s;
	struct report r = { .s = &s, .now_s = clock_wall_s() };
	struct err e;
	bool known;

	job_from_env(&job, environ);
	job.id = 0;
	if (session_open(&s, config, &job, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	r.tally = state_get(&s.state, "tally");
	r.promoted = state_get(&s.state, "promoted");
	r.fuse = state_get(&s.state, "fuse");
	known = cmd_state_is_known(&s);
	if (known && json)
		print_json(&r);
	else if (known)
		print_table(&r);
	json_decref(r.tally);
	json_decref(r.promoted);
	json_decref(r.fuse);
	session_close(&s);
	return known ? 0 : 2;
}

/* Does a failure of this rule drain in any context? */
static bool may_drain(const struct session *s, const char *name)
{
	const struct check *c = checks_find(name);
	const char *own = exec_section(s->cfg, name);
	char sec[64];
	int i;

	if (!c && !own)
		return false;
	snprintf(sec, sizeof(sec), "check %s", name);
	for (i = CONTEXT_PROLOG; i <= CONTEXT_HEALTH; i++)
		if (check_action(s->cfg, c ? sec : own, (enum context)i,
				 c ? c->def : ACTION_WARN) > ACTION_WARN)
			return c ? c->scope == SCOPE_NODE :
				   !strcmp(cfg_text(s->cfg, own, "scope"),
					   "node");
	return false;
}

/* 0 done, also if it was so already; 2 it could not be done. */
static int change(struct session *s, bool promote, const char *name)
{
	json_t *doc = state_get(&s->state, "promoted");
	char who[160];
	struct err e;
	int code = 2;

	/* What was promoted may be demoted, whatever it is by now. */
	if (!json_object_get(doc, name) && !checks_find(name) &&
	    !exec_section(s->cfg, name)) {
		cmd_usage("policy", "no check '%.60s'", name);
		goto out;
	}
	if (promote == (json_object_get(doc, name) != NULL)) {
		printf("%s is %s\n", name,
		       promote ? "promoted already" : "not promoted");
		code = 0;
		goto out;
	}
	if (promote)
		json_object_set_new(doc, name,
				    json_pack("{s:s, s:I}", "by",
					      audit_who(who, sizeof(who)), "at",
					      (json_int_t)clock_wall_s()));
	else
		json_object_del(doc, name);
	if (state_put(&s->state, "promoted", doc, &e) < 0) {
		log_error("%s", e.text);
		goto out;
	}
	audit_say("%s %s on %s", promote ? "promoted" : "demoted", name,
		  s->job->node);
	if (promote && !may_drain(s, name))
		log_warn("%s only warns, promoted or not: its actions or its "
			 "scope drain nothing (assay explain %s)", name, name);
	code = 0;
out:
	json_decref(doc);
	return code;
}

int cmd_policy(const char *config, int argc, char **argv)
{
	static struct job job;
	const char *word[2] = { NULL, NULL };
	struct session s;
	bool json = false;
	int words = 0;
	int code, i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			json = true;
		else if (!strcmp(argv[i], "--config") && i + 1 < argc)
			i++;
		else if (argv[i][0] != '-' && words < 2)
			word[words++] = argv[i];
		else
			return cmd_unknown("policy", argv[i]);
	}
	if (!words)
		return show(config, json);
	if (words < 2 || json ||
	    (strcmp(word[0], "promote") && strcmp(word[0], "demote")))
		return cmd_usage("policy", "promote or demote a check");
	if (audit_open(&s, config, &job) < 0)
		return 2;
	code = change(&s, !strcmp(word[0], "promote"), word[1]);
	session_close(&s);
	return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * assay check - run the checks here and now, for a person or a script. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/exec.h"
#include "checks/probing.h"
#include "checks/record.h"
#include "cmd/cmd.h"
#include "lib/clock.h"
#include "lib/hostlist.h"
#include "lib/log.h"
#include "lib/words.h"

extern char **environ;

struct wish {
	const char *only;
	const char *gpus;
	bool json;
	enum tier tier;
	bool gpu[FACTS_GPUS_MAX];
};

static const char *const tiers[] = { "passive", "quick", "deep" };

static bool parse_tier(const char *word, enum tier *out)
{
	size_t i;

	for (i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++)
		if (!strcmp(word, tiers[i])) {
			*out = (enum tier)i;
			return true;
		}
	return false;
}

/* "0-3,5" as indices; false if it is no such list. */
static bool parse_gpus(const char *list, bool *gpu)
{
	char text[256];
	char **names;
	char *end;
	unsigned long g;
	bool ok = true;
	int i, n;

	snprintf(text, sizeof(text), "[%s]", list);
	n = hostlist_expand(text, &names);
	for (i = 0; i < n; i++) {
		g = strtoul(names[i], &end, 10);
		if (*end || g >= FACTS_GPUS_MAX)
			ok = false;
		else
			gpu[g] = true;
	}
	if (n >= 0)
		hostlist_free(names, n);
	return ok && n > 0;
}

/* 0, or said: the site's own checks are known by its configuration. */
static int check_names(const struct cfg *cfg, const char *only)
{
	char name[80];

	if (!*only)
		return cmd_usage("check", "--only names no check");
	while (words_next(&only, name, sizeof(name)))
		if (!checks_find(name) && !exec_section(cfg, name))
			return cmd_usage("check", "no check '%s'", name);
	return 0;
}

static int parse(struct wish *w, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			w->json = true;
		else if (!strcmp(argv[i], "--only") && i + 1 < argc)
			w->only = argv[++i];
		else if (!strcmp(argv[i], "--gpus") && i + 1 < argc)
			w->gpus = argv[++i];
		else if (!strcmp(argv[i], "--config") && i + 1 < argc)
			i++;
		else if (!strcmp(argv[i], "--tier") && i + 1 < argc) {
			if (!parse_tier(argv[++i], &w->tier))
				return cmd_usage("check", "no tier '%s': "
						 "passive, quick or deep",
						 argv[i]);
		} else
			return cmd_unknown("check", argv[i]);
	}
	if (w->gpus && !parse_gpus(w->gpus, w->gpu))
		return cmd_usage("check", "not a list of GPUs: '%s'", w->gpus);
	return 0;
}

/* 0, or said: each GPU that is asked for has to be here. */
static int check_gpus(const struct facts_gpus *g, const bool *gpu)
{
	bool here[FACTS_GPUS_MAX] = { false };
	int i;

	for (i = 0; i < g->count; i++)
		here[g->gpu[i].index] = true;
	/* --only names none that looks at GPUs: then they were not counted. */
	for (i = 0; g->gather.end != GATHER_NONE && i < FACTS_GPUS_MAX; i++)
		if (gpu[i] && !here[i])
			return cmd_usage("check", "no GPU%d here, of %d", i,
					 g->count);
	return 0;
}

/* A finding on a GPU that was not asked for is none. */
static void keep_gpus(const struct facts *facts, const bool *gpu,
		      struct check_result *r)
{
	int k, n = 0;

	for (k = 0; k < r->count; k++)
		if (r->finding[k].gpu < 0 ||
		    gpu[facts->gpus.gpu[r->finding[k].gpu].index])
			r->finding[n++] = r->finding[k];
	r->count = n;
}

static void weigh(const struct session *s, const struct wish *w, struct run *r,
		  struct verdict *v)
{
	struct policy p = {
		.devices_sure = true,
		.young_boot = run_boot_is_young(r),
	};
	int i;

	for (i = 0; i < r->count; i++) {
		if (w->gpus)
			keep_gpus(r->facts, w->gpu, &r->results[i]);
		policy_weigh(&p, &r->rules[i], &r->results[i]);
	}
	policy_decide(&p, r->rules, r->results, r->count, v);
	v->blind |= s->complaint[0] != '\0';
}

static void print_json(const struct session *s, const struct run *r,
		       const struct verdict *v, const char *reason)
{
	struct record rec = {
		.node = s->job->node,
		.mode = session_enforces(s) ? "enforce" : "observe",
		.time_s = clock_wall_s(),
		.elapsed_us = clock_mono_us() - r->started_us,
		.verdict = v,
		.action = "run",
		.reason = reason,
		.note = s->complaint,
		.results = r->results,
		.count = r->count,
		.probes = r->probes,
	};
	json_t *doc = record_json(&rec);

	if (doc)
		json_dumpf(doc, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(doc);
}

static int exit_code(const struct run *r, const struct verdict *v)
{
	int judged = 0;
	int i;

	if (v->would > ACTION_WARN)
		return 1;
	for (i = 0; i < r->count; i++) {
		if (r->results[i].status == STATUS_FAIL)
			return 1;
		judged += r->results[i].status == STATUS_PASS ||
			  r->results[i].status == STATUS_WARN;
	}
	return judged ? 0 : 2;
}

/* Load the GPUs and ports, if the node is free for it. */
static void probe(struct session *s, const struct wish *w, struct run *r)
{
	struct probing q = { .tier = probing_tier(r, w->only ? TIER_DEEP :
							       w->tier),
			     .gpus = w->gpus ? w->gpu : NULL };
	int64_t now_s = clock_wall_s();
	char why[160];

	if (q.tier == TIER_PASSIVE)
		return;
	q.budget_ms = probing_budget_ms(s->cfg, q.tier);
	if (probing_node_allows(r, why, sizeof(why)) < 0)
		probing_skip(r, why);
	else if (probing_is_due(r, &q, now_s))
		probing_round(r, &q, now_s);
}

static int report(struct session *s, const struct wish *w, struct run *r)
{
	struct verdict v;
	char reason[128];
	struct err e;

	if (run_gather(r, &e) < 0 || run_judge(r, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	if (w->gpus && check_gpus(&r->facts->gpus, w->gpu))
		return 2;
	probe(s, w, r);
	weigh(s, w, r, &v);
	policy_reason(&v, r->results, 0, reason, sizeof(reason));
	if (w->json)
		print_json(s, r, &v, reason);
	else
		show_results(s, r, &v, reason);
	return exit_code(r, &v);
}

int cmd_check(const char *config, int argc, char **argv)
{
	static struct job job;
	struct wish w = { 0 };
	struct session s;
	struct run r = { .s = &s, .context = CONTEXT_PROLOG };
	struct err e;
	int code = parse(&w, argc, argv);

	if (code)
		return code;
	job_from_env(&job, environ);
	job.id = 0;	/* a person's check is about the node, not a job */
	if (session_open(&s, config, &job, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	r.only = w.only;
	r.tier = w.tier;
	r.passive_ms = (int)cfg_int(s.cfg, "budget", "passive_ms");
	code = w.only ? check_names(s.cfg, w.only) : 0;
	if (!code)
		code = report(&s, &w, &r);
	run_fini(&r);
	session_close(&s);
	return code;
}

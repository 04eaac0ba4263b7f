/* SPDX-License-Identifier: Apache-2.0
 * healthy - how often would healthy nodes be drained? Never, over all checks
 * and the policy, in enforce mode; and nodes with one fault always.
 *
 *	healthy [COUNT [SEED]]
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks/places.h"
#include "checks/policy.h"
#include "lib/profile.h"
#include "lib/xid.h"
#include "tests/fuzz/faults.h"
#include "tests/fuzz/node.h"

#define CHECKS_MAX 64
#define COUNT_DEFAULT 20000
#define NOW 1800000000

struct bench {
	struct cfg_section sections[CHECKS_MAX];
	char names[CHECKS_MAX][48];
	struct cfg *defaults, *expect[FACTS_GPUS_MAX + 1];
	struct profiles *profiles;
	struct xid_table *xids;
	struct rule rules[CHECKS_MAX];
	struct check_result results[CHECKS_MAX];
	json_t *memory[CHECKS_MAX];
	int64_t status[CHECKS_MAX][STATUS_FAIL + 1];
	int64_t doubts;
	int count;
};

/* ---- setting up ----------------------------------------------------------- */

/* [check gpu_count] expected = n. */
static struct cfg *expecting(const struct bench *b, int n)
{
	char path[] = "/tmp/assay-fuzz-XXXXXX";
	int fd = mkstemp(path);
	struct cfg *c = NULL;
	struct err e = { "" };

	if (fd < 0)
		return NULL;
	if (dprintf(fd, "[check gpu_count]\nexpected = %d\n", n) > 0)
		c = cfg_load(path, b->sections, NULL, &e);
	close(fd);
	unlink(path);
	return c;
}

static void add_check(struct bench *b, const struct check *c)
{
	static const struct cfg_key none[] = { { 0 } };
	int i = b->count++;

	snprintf(b->names[i], sizeof(b->names[i]), "check %s", c->name);
	b->sections[i].name = b->names[i];
	b->sections[i].keys = c->keys ? c->keys : none;
	b->rules[i] = (struct rule){ .action = c->def,
				     .scope = c->scope,
				     .soft = c->soft,
				     .enforce = true };
}

static int set_up(struct bench *b)
{
	const char *src = getenv("SRCDIR");
	struct err e = { "" };
	char path[512];
	int i;

	for (i = 0; checks_all[i] && i < CHECKS_MAX - 1; i++)
		add_check(b, checks_all[i]);
	snprintf(path, sizeof(path), "%s/etc/profiles", src ? src : ".");
	b->profiles = profiles_load(path, &e);
	b->xids = xid_load(NULL, &e);
	b->defaults = cfg_defaults(b->sections);
	for (i = 1; i <= 16; i++)
		b->expect[i] = expecting(b, i);
	if (b->profiles && b->xids && b->defaults && b->expect[16])
		return 0;
	fprintf(stderr, "healthy: cannot set up: %s\n", e.text);
	return -1;
}

static void tear_down(struct bench *b)
{
	int i;

	for (i = 0; i < b->count; i++)
		json_decref(b->memory[i]);
	for (i = 0; i <= FACTS_GPUS_MAX; i++)
		cfg_destroy(b->expect[i]);
	cfg_destroy(b->defaults);
	profiles_destroy(b->profiles);
	xid_destroy(b->xids);
}

/* ---- one run of the gate's judges ------------------------------------------- */

static bool needs_met(const struct check *c, const struct check_env *env)
{
	const struct facts_gpus *g = &env->facts->gpus;
	int i, answered = 0;

	for (i = 0; i < g->count; i++)
		answered += g->gpu[i].answered;
	if ((c->needs & NEED_GPU) && (!env->job_has_gpus || !g->count))
		return false;
	if (c->tier != TIER_PASSIVE && !c->also_state && !env->probes)
		return false;
	return !(c->needs & NEED_NVML) || answered;
}

/* What the checks would have repeated. The repeats are there already. */
static void count_doubts(struct bench *b, const struct check *c,
			 const struct check_env *env)
{
	int i;

	PLACE_EACH(i, env->facts, c->probe)
		b->doubts += c->doubts(env, i);
}

static void judge(struct bench *b, int i, const struct check_env *env)
{
	const struct check *c = checks_all[i];
	struct check_result *r = &b->results[i];

	result_fini(r);
	*r = (struct check_result){ .check = c, .name = c->name };
	if (!needs_met(c, env))
		result_skip(r, "what it needs is not here");
	else if (c->run(env, r))
		r->status = STATUS_ERROR;
	else if (c->doubts && env->probes)
		count_doubts(b, c, env);
	if (!r->memory)
		return;
	json_decref(b->memory[i]);
	b->memory[i] = json_incref(r->memory);
}

static const struct cfg *config_of(const struct bench *b, const struct node *n)
{
	if (n->expect_count && n->installed && b->expect[n->installed])
		return b->expect[n->installed];
	return b->defaults;
}

static void run(struct bench *b, const struct node *n, struct verdict *v)
{
	const struct facts_gpus *g = &n->facts.gpus;
	struct check_env env = {
		.facts = &n->facts,
		.probes = n->probes,
		.cfg = config_of(b, n),
		.xids = b->xids,
		.context = n->context,
		.job_has_gpus = !n->has_job || n->job_gpus > 0,
		.job_gpus = n->job_gpus,
		.owned = n->owned,
		.gpu_is_jobs = n->has_job ? n->gpu_is_jobs : NULL,
		.now_s = NOW,
	};
	struct policy p = { .has_job = n->has_job,
			    .devices_sure = true,
			    .gpu_is_jobs = env.gpu_is_jobs };
	int i;

	if (g->count)
		env.profile = profiles_find(b->profiles, g->gpu[0].pci_id,
					    g->gpu[0].name);
	for (i = 0; i < b->count; i++) {
		env.memory = b->memory[i];
		judge(b, i, &env);
		policy_weigh(&p, &b->rules[i], &b->results[i]);
		b->status[i][b->results[i].status]++;
	}
	policy_decide(&p, b->rules, b->results, b->count, v);
}

/* ---- the two halves ----------------------------------------------------------- */

static void new_machine(struct bench *b, struct node *n, struct rng *r, bool whole)
{
	int i;

	for (i = 0; i < b->count; i++) {
		json_decref(b->memory[i]);
		b->memory[i] = NULL;
	}
	node_new_machine(n, r, whole);
}

static int64_t healthy_nodes(struct bench *b, struct node *n, int64_t count,
			     uint64_t seed)
{
	struct rng r = { .s = seed };
	int64_t i, drains = 0;
	struct verdict v;
	char reason[256];

	for (i = 0; i < count; i++) {
		if (!i || rng_chance(&r, 10))
			new_machine(b, n, &r, false);
		node_make(n, &r, rng_chance(&r, 10));
		run(b, n, &v);
		if (v.act == ACTION_RUN)
			continue;
		if (++drains <= 10)
			printf("# node %" PRId64 ": %s\n", i,
			       policy_reason(&v, b->results, 1, reason,
					     sizeof(reason)));
	}
	return drains;
}

/* Does the check that must see the fault want the node drained? */
static bool seen(const struct bench *b, int check, const struct verdict *v)
{
	const struct check_result *r = &b->results[check];
	int i;

	for (i = 0; i < r->count; i++)
		if (r->finding[i].action > ACTION_WARN)
			return v->act > ACTION_RUN;
	return false;
}

static int index_of(const struct bench *b, const char *name)
{
	int i;

	for (i = 0; i < b->count; i++)
		if (!strcmp(checks_all[i]->name, name))
			return i;
	return -1;
}

static int64_t sick_nodes(struct bench *b, struct node *n,
			  const struct injection *in, int64_t count,
			  uint64_t seed)
{
	struct rng r = { .s = seed };
	int check = index_of(b, in->check);
	int64_t i, missed = 0;
	struct verdict v;

	for (i = 0; check >= 0 && i < count; i++) {
		new_machine(b, n, &r, true);
		node_make(n, &r, true);
		in->put(n, rng_below(&r, 8), &b->memory[check]);
		run(b, n, &v);
		missed += !seen(b, check, &v);
	}
	return missed;
}

static void print_tally(const struct bench *b)
{
	int i, s;

	for (i = 0; i < b->count; i++) {
		printf("# %-16s", checks_all[i]->name);
		for (s = 0; s <= STATUS_FAIL; s++)
			printf(" %s %" PRId64, status_name((enum status)s),
			       b->status[i][s]);
		printf("\n");
	}
}

/* A check that never passes among healthy nodes cannot be said to leave them
 * alone. (What judges probes has none to judge here.) NULL: all pass. */
static const char *never_passed(const struct bench *b)
{
	int i;

	for (i = 0; i < b->count; i++)
		if (checks_all[i]->tier == TIER_PASSIVE &&
		    !b->status[i][STATUS_PASS])
			return checks_all[i]->name;
	return NULL;
}

static int report(int number, bool ok, const char *what, int64_t count)
{
	printf("%sok %d - %s (%" PRId64 " nodes)\n", ok ? "" : "not ", number,
	       what, count);
	return !ok;
}

int main(int argc, char *argv[])
{
	int64_t count = argc > 1 ? atoll(argv[1]) : COUNT_DEFAULT;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct bench *b = calloc(1, sizeof(*b));
	struct node *n = calloc(1, sizeof(*n));
	int64_t drains, each;
	int i, number = 1, bad = 0;

	if (!b || !n || set_up(b))
		return 1;
	drains = healthy_nodes(b, n, count, seed);
	bad |= report(number++, !drains, "healthy nodes are not drained", count);
	/* Disturbances must have been there, or this proves nothing. */
	bad |= report(number++, b->doubts > 0, "some measurements are doubted",
		      b->doubts);
	print_tally(b);
	bad |= report(number++, !never_passed(b), "each check passes some",
		      count);
	if (never_passed(b))
		printf("# never: %s\n", never_passed(b));
	for (i = 0; injections[i].check; i++) {
		if (index_of(b, injections[i].check) < 0) {
			printf("ok %d - %s # SKIP no %s\n", number++,
			       injections[i].what, injections[i].check);
			continue;
		}
		each = count / 100 + 1;
		bad |= report(number++,
			      !sick_nodes(b, n, &injections[i], each,
					  seed + (uint64_t)i + 1),
			      injections[i].what, each);
	}
	printf("1..%d\n", number - 1);
	tear_down(b);
	for (i = 0; i < b->count; i++)
		result_fini(&b->results[i]);
	free(n);
	free(b);
	return bad;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/runner.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/exec.h"
#include "checks/gather.h"
#include "checks/policy.h"
#include "lib/clock.h"
#include "lib/facts_exec.h"
#include "lib/facts_fabric.h"
#include "lib/facts_host.h"
#include "lib/facts_kmsg.h"
#include "lib/facts_storage.h"
#include "lib/words.h"

#define KMSG_MS 1000
#define SECOND_LOOK_MS 200

static int fill_kmsg(struct gather_task *t, int sock)
{
	const struct session *s = t->run->s;
	json_t *prev = state_get(&t->run->s->state, "kmsg");
	json_t *next = NULL;
	struct gather_msg *m;
	char *text;
	size_t len;

	facts_kmsg_gather(&s->roots, prev, s->xids, clock_wall_s(),
			  &t->page->facts.kmsg, &next);
	text = next ? json_dumps(next, JSON_COMPACT) : NULL;
	len = text ? strlen(text) : 0;
	m = text ? malloc(sizeof(*m) + len) : NULL;
	if (!m)
		return 0;
	m->say = SAY_STATE;
	m->index = 0;
	memcpy(m->text, text, len);
	return worker_send(sock, m, sizeof(*m) + len);
}

static int fill_host(struct gather_task *t, int sock)
{
	(void)sock;
	return facts_host_gather(&t->run->s->roots, &t->run->s->sysfacts,
				 SECOND_LOOK_MS, &t->page->facts.host);
}

static int fill_fabric(struct gather_task *t, int sock)
{
	(void)sock;
	return facts_fabric_gather(&t->run->s->roots,
				   json_object_get(t->run->memory, "ib_errors"),
				   &t->page->facts.fabric);
}

static int fill_storage(struct gather_task *t, int sock)
{
	int left = (int)(t->until_ms - clock_mono_ms()) - 200;

	(void)sock;
	return facts_storage_gather(&t->run->s->roots, &t->run->s->sysfacts,
				    t->run->s->cfg,
				    json_object_get(t->run->memory,
						    "storage_mounts"),
				    left > 100 ? left : 100,
				    &t->page->facts.storage);
}

static int fill_exec(struct gather_task *t, int sock)
{
	int left = (int)(t->until_ms - clock_mono_ms()) - 200;
	struct exec_request q = {
		.cfg = t->run->s->cfg,
		.job = t->run->s->job,
		.only = t->run->only,
		.deadline_ms = left > 100 ? left : 100,
	};

	(void)sock;
	return facts_exec_gather(&q, &t->page->facts.exec);
}

#define KIND(which, dom) \
	{ #which, dom, false, offsetof(struct facts, which), \
	  sizeof(((struct facts *)0)->which), fill_##which }

static const struct gather_kind kmsg_kind = KIND(kmsg, DOMAIN_KMSG);
static const struct gather_kind file_kinds[] = {
	KIND(host, DOMAIN_HOST),
	KIND(fabric, DOMAIN_FABRIC),
	KIND(storage, DOMAIN_STORAGE),
	KIND(exec, DOMAIN_EXEC),
};

#define FILE_KINDS ((int)(sizeof(file_kinds) / sizeof(file_kinds[0])))

bool run_selected(const struct run *r, const struct check *c)
{
	char sec[64];

	if (r->only ? !words_have(r->only, c->name) :
		      c->tier > r->tier && !c->also_state)
		return false;
	snprintf(sec, sizeof(sec), "check %s", c->name);
	return cfg_bool(r->s->cfg, sec, "enabled");
}

bool run_wants_gpus(const struct run *r)
{
	const struct job *j = r->s->job;

	if (!j->id || j->has_gpus)
		return true;
	return !strcmp(cfg_text(r->s->cfg, "general", "gpus_without_gres"),
		       "all");
}

/* Does any selected check live in this domain? GPUs have two domains, and are
 * what a round of probes is about. */
static bool domain_wanted(const struct run *r, enum domain d)
{
	int i;

	if (d == DOMAIN_EXEC)
		return cfg_section_at(r->s->cfg, "exec *", 0) &&
		       (!r->only || strstr(r->only, "exec_"));
	if (d == DOMAIN_GPU && !run_wants_gpus(r))
		return false;
	for (i = 0; checks_all[i]; i++)
		if ((checks_all[i]->domain == d ||
		     (d == DOMAIN_GPU &&
		      (checks_all[i]->domain == DOMAIN_NVLINK ||
		       checks_all[i]->tier != TIER_PASSIVE))) &&
		    run_selected(r, checks_all[i]))
			return true;
	return d == DOMAIN_GPU && r->only && strstr(r->only, "kmsg_");
}

bool run_boot_is_young(const struct run *r)
{
	int64_t up_s = r->facts->kmsg.uptime_s;

	return up_s >= 0 && up_s < cfg_int(r->s->cfg, "policy", "boot_grace_s");
}

void run_own(struct run *r)
{
	const struct job *j = r->s->job;
	enum gres_order order = session_gres_order(r->s);
	struct gres_conf gres;
	bool have = session_gres(r->s, &gres) == 0;

	devices_of_job(j, &r->facts->gpus, have ? &gres : NULL, order,
		       &r->devices);
	if (j->id && !j->has_gpus && run_wants_gpus(r)) {
		/* gpus_without_gres = all: every GPU is this job's. */
		memset(r->devices.gpu, true, sizeof(r->devices.gpu));
		r->devices.sure = true;
	}
	devices_owned(j, &r->devices, &r->facts->gpus, session_other_jobs(r->s),
		      &r->owned);
}

/* A domain that has nothing that could block needs no worker. */
static bool done_without(struct run *r, const struct gather_kind *kind)
{
	if (kind->domain != DOMAIN_STORAGE || facts_storage_wanted(r->s->cfg))
		return false;
	r->facts->storage.gather.end = GATHER_DONE;
	return true;
}

int run_gather(struct run *r, struct err *e)
{
	struct gather_task task[FILE_KINDS + 1 + GATHER_GPU_TASKS];
	int64_t until;
	int n = 0;
	int i;

	r->started_us = clock_mono_us();
	r->facts = calloc(1, sizeof(*r->facts));
	if (!r->memory)
		r->memory = state_get(&r->s->state, "memory");
	if (!r->facts || !r->memory)
		return err_errno(e, "gather");
	memset(task, 0, sizeof(task));
	until = clock_mono_ms() + r->passive_ms;
	gather_start(&task[n++], &kmsg_kind, r, clock_mono_ms() + KMSG_MS);
	for (i = 0; !r->kmsg_only && i < FILE_KINDS; i++)
		if (domain_wanted(r, file_kinds[i].domain) &&
		    !done_without(r, &file_kinds[i]))
			gather_start(&task[n++], &file_kinds[i], r, until);
	/* The log first: it says which GPUs must not be asked. */
	gather_wait(task, 1);
	if (!r->kmsg_only && domain_wanted(r, DOMAIN_GPU))
		n = gather_gpus(r, task, n, until);
	else
		gather_wait(task, n);
	for (i = 0; i < n; i++)
		gather_end(&task[i]);
	run_own(r);
	return 0;
}

/* Why it was not measured what this check judges; NULL: it was, or the check
 * has something to say without. */
static const char *not_measured(const struct run *r, const struct check *c)
{
	if (c->tier == TIER_PASSIVE || c->also_state || r->probes)
		return NULL;
	if (probe_is_of_ports(c->probe) && r->port_why[0])
		return r->port_why;
	return r->probe_why[0] ? r->probe_why : "nothing was measured";
}

/* Why a check of this domain cannot run; NULL: it can. */
static const char *unmet(const struct run *r, const struct check *c)
{
	const struct facts_gpus *g = &r->facts->gpus;
	const char *why = not_measured(r, c);
	int i;

	if (c->needs & NEED_GPU && !run_wants_gpus(r))
		return "the job has no GPUs";
	if (why)
		return why;
	if (c->needs & NEED_GPU && c->domain != DOMAIN_KMSG && !g->count)
		return "no GPUs here";
	if (c->needs & NEED_NVML) {
		for (i = 0; i < g->count; i++)
			if (g->gpu[i].answered)
				return NULL;
		return g->gather.end == GATHER_TIMEOUT ?
			       "the driver did not answer (gpu_driver)" :
			       "NVML is not available";
	}
	return NULL;
}

static const struct gather *gather_for(const struct facts *f, enum domain d)
{
	switch (d) {
	case DOMAIN_KMSG:
		return &f->kmsg.gather;
	case DOMAIN_FABRIC:
		return &f->fabric.gather;
	case DOMAIN_HOST:
		return &f->host.gather;
	case DOMAIN_STORAGE:
		return &f->storage.gather;
	case DOMAIN_EXEC:
		return &f->exec.gather;
	default:
		return NULL;	/* gpu_driver judges how that went */
	}
}

/* The domain's worker did not deliver: its checks say so. True if handled. */
static bool no_facts(const struct run *r, const struct check *c,
		     struct check_result *res)
{
	const struct gather *g = gather_for(r->facts, c->domain);

	if (!g || g->end == GATHER_DONE)
		return false;
	switch (g->end) {
	case GATHER_TIMEOUT:
		result_add(res, STATUS_TIMEOUT, "timeout", "node", "%s",
			   g->why[0] ? g->why : "no answer in time");
		break;
	case GATHER_ABSENT:
		result_skip(res, "%s", g->why);
		break;
	default:
		result_error(res, "%s", g->why[0] ? g->why : "not gathered");
	}
	return true;
}

/* How many GPUs did Slurm give the job? 0: none, or no job. */
static int job_gpus(const struct job *j)
{
	if (!j->id)
		return 0;
	return j->uuid_count > j->gpu_count ? j->uuid_count : j->gpu_count;
}

void run_env(struct run *r, struct check_env *env)
{
	const struct facts_gpus *g = &r->facts->gpus;
	const struct gpu *first = g->count ? &g->gpu[0] : NULL;
	const struct profiles *profiles;

	*env = (struct check_env){
		.facts = r->facts,
		.probes = r->probes,
		.cfg = r->s->cfg,
		.xids = r->s->xids,
		.context = r->context,
		.job_has_gpus = run_wants_gpus(r),
		.job_gpus = job_gpus(r->s->job),
		.owned = r->owned.owned,
		.gpu_is_jobs = r->s->job->id ? r->devices.gpu : NULL,
		.now_s = clock_wall_s(),
	};
	profiles = first ? session_profiles(r->s) : NULL;
	if (profiles)
		env->profile = profiles_find(profiles, first->pci_id,
					     first->name);
}

static void judge_one(struct run *r, struct check_env *env,
		      const struct check *c, struct check_result *res)
{
	int64_t began = clock_mono_us();
	const char *why;
	char sec[64];

	res->check = c;
	res->name = c->name;
	snprintf(sec, sizeof(sec), "check %s", c->name);
	why = cfg_broken(r->s->cfg, sec);
	if (why) {
		result_error(res, "%s", why);
	} else if (!no_facts(r, c, res)) {
		why = unmet(r, c);
		env->memory = json_object_get(r->memory, c->name);
		if (why)
			result_skip(res, "%s", why);
		else if (c->run(env, res) < 0 && res->status != STATUS_ERROR)
			result_error(res, "%s", strerror(errno));
	}
	if (res->status != STATUS_ERROR)
		res->status = result_status(res);
	if (res->memory) {
		json_object_set(r->memory, c->name, res->memory);
		r->memory_changed = true;
	}
	res->elapsed_us = clock_mono_us() - began;
}

static void rule_of(const struct run *r, const struct check *c,
		    struct rule *rule)
{
	char sec[64];

	snprintf(sec, sizeof(sec), "check %s", c->name);
	*rule = (struct rule){ .action = check_action(r->s->cfg, sec, r->context,
						     c->def),
			       .scope = c->scope,
			       .soft = c->soft,
			       .enforce = session_enforces(r->s) };
}

int run_judge(struct run *r, struct err *e)
{
	struct check_env env;
	int n = 0;
	int i;

	while (checks_all[n])
		n++;
	n += FACTS_EXECS_MAX;
	r->results = calloc((size_t)n, sizeof(*r->results));
	r->rules = calloc((size_t)n, sizeof(*r->rules));
	if (!r->results || !r->rules)
		return err_errno(e, "judge");
	run_env(r, &env);
	for (i = 0; checks_all[i]; i++) {
		if (!run_selected(r, checks_all[i]))
			continue;
		rule_of(r, checks_all[i], &r->rules[r->count]);
		judge_one(r, &env, checks_all[i], &r->results[r->count++]);
	}
	for (i = 0; i < r->facts->exec.count; i++) {
		exec_judge(&env, i, &r->results[r->count]);
		exec_rule(r->s->cfg, i, &env, r->context,
			  &r->rules[r->count]);
		r->rules[r->count++].enforce = session_enforces(r->s);
	}
	return 0;
}

void run_rejudge(struct run *r, enum tier tier)
{
	struct check_env env;
	const struct check *c;
	int i;

	run_env(r, &env);
	for (i = 0; i < r->count; i++) {
		c = r->results[i].check;
		if (!c || c->tier == TIER_PASSIVE || c->tier > tier)
			continue;
		result_fini(&r->results[i]);
		memset(&r->results[i], 0, sizeof(r->results[i]));
		judge_one(r, &env, c, &r->results[i]);
	}
}

void run_fini(struct run *r)
{
	int i;

	for (i = 0; i < r->count; i++)
		result_fini(&r->results[i]);
	free(r->results);
	free(r->rules);
	free(r->facts);
	free(r->probes);
	json_decref(r->kmsg_state);
	json_decref(r->memory);
	r->results = NULL;
	r->rules = NULL;
	r->facts = NULL;
	r->probes = NULL;
	r->kmsg_state = r->memory = NULL;
	r->count = 0;
}

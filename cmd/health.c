/* SPDX-License-Identifier: Apache-2.0
 * assay health - Slurm's HealthCheckProgram: find the sick node before a job
 * does, and give back the node that assay drained and that is well again. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checks/evidence.h"
#include "checks/pass.h"
#include "checks/probing.h"
#include "checks/retest.h"
#include "cmd/cmd.h"
#include "epilog/job_metrics.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/slurm.h"
#include "lib/supervise.h"

#define DEADLINE_MS 20000	/* slurmd kills the program after 60 s */
#define BESIDE_MS 10000		/* of the probes' own time: all the rest */
#define REST_MS 4000		/* but for the passive checks and Slurm */

extern char **environ;

struct health {
	const char *config;
	const struct job *job;
	pid_t parent;		/* who started this program */
	bool early;		/* slurmd may not have registered yet */
	bool deep;		/* the deep tier as well */
	int64_t began_ms;	/* clock_mono_ms() */
};

/* The name of a process, "" if it cannot be read. */
static void name_of(pid_t pid, char *buf, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

/* slurmd runs its health check before it registers, and waits for it: then
 * slurmctld must not be called, and a failure must not hold slurmd back. The
 * first run below a given slurmd is that one; a person's is never. */
static bool first_below_slurmd(const struct session *s, pid_t parent)
{
	char seen[32] = "", now[32], name[64];
	int fd;

	name_of(parent, name, sizeof(name));
	if (strcmp(name, "slurmd") || s->run_dir < 0)
		return false;
	snprintf(now, sizeof(now), "%d", (int)parent);
	fd = openat(s->run_dir, "health.slurmd",
		    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	if (read(fd, seen, sizeof(seen) - 1) < 0 || strcmp(seen, now)) {
		if (ftruncate(fd, 0) < 0 ||
		    pwrite(fd, now, strlen(now), 0) < 0)
			log_warn("health.slurmd not written");
		close(fd);
		return true;
	}
	close(fd);
	return false;
}

/* Is this text one of ours, to the letter? Who has added a word to it has
 * taken the node over. */
static bool is_own_reason(const struct pass *p, const char *reason)
{
	const json_t *entries =
		json_object_get(p->doc[DOC_EVIDENCE], "entries");
	const char *own = json_string_value(
		json_object_get(p->doc[DOC_DRAIN], "reason"));
	const char *key;
	json_t *entry;

	if (own && !strcmp(own, reason))
		return true;
	/* Of two gates that drained at once one had the word. */
	json_object_foreach((json_t *)entries, key, entry) {
		own = json_string_value(json_object_get(entry, "reason"));
		if (own && !strcmp(own, reason))
			return true;
	}
	return false;
}

static void lift(struct pass *p, const struct slurm *slurm)
{
	json_t *d = p->doc[DOC_DRAIN];
	struct node_state n;
	const char *key;
	json_t *value;
	struct err e;

	if (slurm_show_node(slurm, p->s->job->node, &n, &e) < 0) {
		log_warn("not resumed: %s", e.text);
		return;
	}
	if (slurm_owner(&n) == NODE_OURS && is_own_reason(p, n.reason)) {
		if (slurm_resume(slurm, p->s->job->node, &e) < 0) {
			log_warn("not resumed: %s", e.text);
			return;
		}
		log_warn("resumed: tested good %lld times since \"%s\"",
			 (long long)json_integer_value(
				 json_object_get(d, "passes")),
			 n.reason);
	} else {
		log_info("not resumed: the drain is not assay's (any more): "
			 "%s %.80s", n.tokens, n.reason);
	}
	/* The condition is gone: should it come back, it is new. */
	json_object_foreach(json_object_get(d, "keys"), key, value)
		evidence_forget(p->doc[DOC_EVIDENCE], key);
	json_object_clear(d);
	pass_put(p, DOC_EVIDENCE);
}

/* A node that is kept although it looks well: why, and how long still. */
static void tell_wait(const struct pass *p, const struct retest_limits *limits)
{
	const json_t *d = p->doc[DOC_DRAIN];

	log_info("tests good, %lld of %d times and %lld of %d s: not resumed "
		 "yet",
		 (long long)json_integer_value(json_object_get(d, "passes")),
		 limits->passes,
		 (long long)(p->now_s - json_integer_value(json_object_get(
						d, "first_pass_s"))),
		 limits->min_s);
}

static void retest(struct pass *p)
{
	const struct cfg *cfg = p->s->cfg;
	struct retest_limits limits = {
		.passes = (int)cfg_int(cfg, "policy", "resume_passes"),
		.min_s = (int)cfg_int(cfg, "policy", "resume_min_s"),
	};
	struct slurm slurm;
	enum retest answer = retest_step(p->doc[DOC_DRAIN], p->run.facts,
					 p->run.results, p->run.count,
					 &p->verdict, &limits, p->now_s);

	if (answer == RETEST_NONE)
		return;
	if (answer == RETEST_HAND)
		log_info("looks well, but needs a hand before it is resumed");
	if (answer == RETEST_WAIT)
		tell_wait(p, &limits);
	if (answer == RETEST_RESUME) {
		session_slurm(p->s, &slurm);
		lift(p, &slurm);
	}
	pass_put(p, DOC_DRAIN);
}

/* An idle node has no Epilog that takes the jobs of more than an hour ago out
 * of the metrics. */
static void forget_jobs(const struct session *s)
{
	struct err e;

	if (job_metrics_write(cfg_text(s->cfg, "paths", "spool"),
			      cfg_text(s->cfg, "report", "metrics_dir"),
			      clock_wall_s(), &e) < 0)
		log_warn("%s", e.text);
}

static int exit_code(const struct pass *p)
{
	int judged = 0;
	int i;

	if (p->verdict.would > ACTION_WARN)
		return 1;
	for (i = 0; i < p->run.count; i++)
		judged += p->run.results[i].status == STATUS_PASS ||
			  p->run.results[i].status == STATUS_WARN;
	return judged ? 0 : 2;
}

/* Who gives a part of it more time wants all of it to have that. */
static int deadline_ms(const struct cfg *cfg, int probes_ms)
{
	int beside_ms = (int)(cfg_int(cfg, "budget", "passive_ms") +
			      cfg_int(cfg, "budget", "slurm_ms")) + REST_MS;
	int all_ms = probes_ms +
		     (beside_ms > BESIDE_MS ? beside_ms : BESIDE_MS);

	return all_ms > DEADLINE_MS ? all_ms : DEADLINE_MS;
}

/* What only the deep tier can find must be looked for by it again before the
 * node is given back. */
static void choose_tier(struct supervised *link, const struct health *h,
			struct pass *p)
{
	int ms;

	if (h->early)
		return;
	if (h->deep || retest_tier(p->doc[DOC_DRAIN]) == TIER_DEEP)
		p->run.tier = TIER_DEEP;
	ms = deadline_ms(p->s->cfg, pass_probe_ms(p, p->run.tier));
	p->until_ms = h->began_ms + ms;
	supervise_deadline(link, ms);
}

static int work(struct supervised *link, void *arg)
{
	struct health *h = arg;
	struct session s;
	struct pass p;
	struct err e;
	int code = 2;

	h->began_ms = clock_mono_ms();
	if (session_switched_off(h->config, &e)) {
		log_info("switched off by the file OFF beside the config");
		return 0;
	}
	if (e.text[0])
		log_warn("%s", e.text);
	if (session_open(&s, h->config, h->job, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	h->early = first_below_slurmd(&s, h->parent);
	if (h->early)
		supervise_expect(link, 0);
	pass_open(&p, &s, CONTEXT_HEALTH);
	choose_tier(link, h, &p);
	p.run.ask_dead = json_object_size(json_object_get(p.doc[DOC_DRAIN],
							  "keys")) > 0;
	if (pass_judge(&p) == 0) {
		if (!h->early) {
			pass_probe(&p, p.run.tier);
			pass_act(&p);
			retest(&p);
		}
		pass_keep(&p);
		pass_say(&p);
		forget_jobs(&s);
		code = h->early ? 0 : exit_code(&p);
	}
	pass_close(&p);
	session_close(&s);
	return code;
}

int cmd_health(const char *config, int argc, char **argv)
{
	static struct job job;
	struct health h = { .config = config, .job = &job,
			    .parent = getppid() };
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--config") && i + 1 < argc)
			i++;
		else if (!strcmp(argv[i], "--deep"))
			h.deep = true;
		else
			return cmd_unknown("health", argv[i]);
	}
	log_open("assay-health", true, LOG_LVL_INFO);
	job_from_env(&job, environ);
	job.id = 0;	/* an idle node has no job, whatever the environment */
	return supervise(work, &h, DEADLINE_MS, 2);
}

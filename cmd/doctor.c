/* SPDX-License-Identifier: Apache-2.0
 * assay doctor - what on this node and in its Slurm would hurt. */
#include "config.h"
#include "cmd/doctor.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/page.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/scrub.h"
#include "lib/spawn.h"

#define FINDINGS_MAX 256
#define VALUES_MAX 512
#define INDENT 17

extern char **environ;

static const struct look {
	const char *name;
	doctor_probe_f look;
	int limit_ms;
} looks[] = {
	{ "configuration", doctor_config, 3000 },
	{ "values", doctor_values, 3000 },
	{ "switch", doctor_switch, 3000 },
	{ "places", doctor_places, 5000 },
	{ "passes", doctor_memory, 3000 },
	{ "profile", doctor_profile, 3000 },
	{ "stuck workers", doctor_stuck, 3000 },
	{ "slurm", doctor_slurm, 3000 },
	{ "slurm.conf", doctor_flags, 3000 },
	{ "scripts", doctor_scripts, 3000 },
	{ "plugin", doctor_plugin, 3000 },
	{ "gres", doctor_gres, 3000 },
	{ "driver", doctor_driver, 8000 },
};

#define LOOKS ((int)(sizeof(looks) / sizeof(looks[0])))
#define OPEN_MS 3000		/* the session */
#define READ_SLURM_MS 15000	/* two commands and some files */

struct value {
	char key[160], value[512], source[256];
};

/* What the worker says: it begins a step, found something, has a value. */
struct message {
	enum { SAY_STEP, SAY_FINDING, SAY_VALUE } say;
	int look;		/* SAY_STEP: -2 session, -1 Slurm, >= 0 */
	union {
		struct diagnosis d;
		struct value v;
	};
};

struct doctoring {
	const char *config;
	struct job *job;
	int first;		/* look to begin with */
	struct diagnosis *found;	/* [FINDINGS_MAX] */
	int count;
	struct value *values;		/* [VALUES_MAX] */
	int value_count;
	/* in the worker */
	int sock;
	int skip_slurm;		/* reading it hung before */
};

void doctor_say(const struct doctor *d, enum doctor_level level,
		const char *topic, const char *mend, const char *fmt, ...)
{
	struct diagnosis out = { .level = level };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out.what, sizeof(out.what), fmt, ap);
	va_end(ap);
	scrub(out.what);
	snprintf(out.topic, sizeof(out.topic), "%s", topic);
	scrub_copy(out.mend, sizeof(out.mend), mend);
	d->emit(&out, d->arg);
}

/* ---- in the worker ----------------------------------------------------- */

static void send_step(const struct doctoring *w, int look)
{
	struct message m = { .say = SAY_STEP, .look = look };

	worker_send(w->sock, &m, sizeof(m));
}

static void send_finding(const struct diagnosis *d, void *arg)
{
	struct message m = { .say = SAY_FINDING, .d = *d };

	worker_send(((struct doctoring *)arg)->sock, &m, sizeof(m));
}

static void send_value(const char *key, const char *value, const char *source,
		       void *arg)
{
	struct message m = { .say = SAY_VALUE };

	scrub_copy(m.v.key, sizeof(m.v.key), key);
	scrub_copy(m.v.value, sizeof(m.v.value), value);
	scrub_copy(m.v.source, sizeof(m.v.source), source);
	worker_send(((struct doctoring *)arg)->sock, &m, sizeof(m));
}

static int work(int sock, void *arg)
{
	struct doctoring *w = arg;
	struct doctor d = { .emit = send_finding, .value = send_value,
			    .arg = w };
	static struct session s;
	struct err e;
	int i;

	w->sock = sock;
	send_step(w, -2);
	if (session_open(&s, w->config, w->job, &e) < 0)
		return 2;
	d.s = &s;
	send_step(w, -1);
	if (!w->skip_slurm)
		doctor_read_slurm(&d);
	/* Then gres.conf is looked for beside the slurm.conf that was found. */
	if (!w->job->slurm_conf[0])
		snprintf(w->job->slurm_conf, sizeof(w->job->slurm_conf), "%s",
			 d.slurm_conf);
	for (i = w->first; i < LOOKS; i++) {
		send_step(w, i);
		looks[i].look(&d);
	}
	slurmconf_fini(&d.slurm);
	session_close(&s);
	return 0;
}

/* ---- in the parent ----------------------------------------------------- */

static void keep_finding(const struct diagnosis *d, void *arg)
{
	struct doctoring *w = arg;

	if (w->count < FINDINGS_MAX)
		w->found[w->count++] = *d;
}

static int limit_ms(int look)
{
	return look == -2 ? OPEN_MS : look == -1 ? READ_SLURM_MS :
						     looks[look].limit_ms;
}

static void keep(struct doctoring *w, const struct message *m, int *look,
		 int64_t *until_ms)
{
	switch (m->say) {
	case SAY_STEP:
		*look = m->look;
		*until_ms = clock_mono_ms() + limit_ms(*look);
		break;
	case SAY_FINDING:
		keep_finding(&m->d, w);
		break;
	case SAY_VALUE:
		if (w->value_count < VALUES_MAX)
			w->values[w->value_count++] = m->v;
	}
}

/* Listen until the worker has ended (true) or a step took too long (false);
 * *look is the step it was in. */
static bool listen_to(struct doctoring *w, struct worker *worker, int *look)
{
	int64_t until_ms = clock_mono_ms() + OPEN_MS;
	struct pollfd p = { .fd = worker->sock, .events = POLLIN };
	struct message m;
	int64_t left;
	ssize_t n;

	for (;;) {
		left = until_ms - clock_mono_ms();
		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = worker_recv(worker, &m, sizeof(m));
		if (n == (ssize_t)sizeof(m))
			keep(w, &m, look, &until_ms);
		else if (n == 0 || (n < 0 && errno != EAGAIN))
			return true;
	}
}

static void tell_lost(struct doctoring *w, int look, bool hung)
{
	struct doctor d = { .emit = keep_finding, .arg = w };

	doctor_say(&d, DOCTOR_WRONG, "doctor",
		   "look for a dead file system or a hung driver",
		   "the look at '%s' %s", look < 0 ? "slurm" :
		   looks[look].name, hung ? "did not come back in time" :
		   "crashed");
}

/* One worker after the other until all looks are done. -1: not even the
 * session could be had. */
static int examine(struct doctoring *w)
{
	struct worker worker;
	bool ended;
	int look;

	for (w->first = 0; w->first < LOOKS; w->first = look + 1) {
		look = -2;
		if (worker_start(&worker, work, w, false) < 0)
			return -1;
		ended = listen_to(w, &worker, &look);
		worker_stop(&worker);
		if (look == -2)
			return -1;
		if (ended && look == LOOKS - 1 && worker.status == 0)
			return 0;
		tell_lost(w, look, !ended);
		if (look == -1) {
			w->skip_slurm = true;
			look = w->first - 1;
		}
	}
	return 0;
}

static int count(const struct doctoring *w, enum doctor_level level)
{
	int i, n = 0;

	for (i = 0; i < w->count; i++)
		n += w->found[i].level == level;
	return n;
}

static const char *const level_name[] = { "OK", "NOTE", "WRONG" };

static void print_one(const struct diagnosis *d)
{
	char label[32];

	snprintf(label, sizeof(label), "%-6s%-11s", level_name[d->level],
		 d->topic);
	page_item(stdout, INDENT, label, d->what);
	if (d->mend[0])
		page_itemf(stdout, INDENT, "", "-> %s", d->mend);
}

static void print_text(const struct doctoring *w)
{
	int level, i;

	for (level = DOCTOR_WRONG; level >= DOCTOR_OK; level--)
		for (i = 0; i < w->count; i++)
			if ((int)w->found[i].level == level)
				print_one(&w->found[i]);
	if (w->value_count)
		printf("\nValues that are not their defaults:\n");
	for (i = 0; i < w->value_count; i++)
		page_itemf(stdout, 4, "", "%s = %s (%s)", w->values[i].key,
			   w->values[i].value, w->values[i].source);
	printf("\n%s: %d wrong, %d to note, %d good\n", w->job->node,
	       count(w, DOCTOR_WRONG), count(w, DOCTOR_NOTE),
	       count(w, DOCTOR_OK));
}

static void print_json(const struct doctoring *w)
{
	json_t *found = json_array(), *values = json_array();
	const struct diagnosis *d;
	const struct value *v;
	json_t *doc;
	int i;

	for (i = 0; i < w->count; i++) {
		d = &w->found[i];
		json_array_append_new(
			found, json_pack("{s:s, s:s, s:s, s:s}", "level",
					 level_name[d->level], "topic",
					 d->topic, "what", d->what, "mend",
					 d->mend));
	}
	for (i = 0; i < w->value_count; i++) {
		v = &w->values[i];
		json_array_append_new(
			values, json_pack("{s:s, s:s, s:s}", "key", v->key,
					  "value", v->value, "source",
					  v->source));
	}
	doc = json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema",
			"assay.doctor/1", "version", PACKAGE_VERSION, "node",
			w->job->node, "findings", found, "values", values);
	json_dumpf(doc, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(doc);
}

int cmd_doctor(const char *config, int argc, char **argv)
{
	static struct job job;
	struct doctoring w = { .config = config, .job = &job };
	bool json = false;
	int code = 2;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			json = true;
		else if (!strcmp(argv[i], "--config") && i + 1 < argc)
			i++;
		else
			return cmd_unknown("doctor", argv[i]);
	}
	job_from_env(&job, environ);
	job.id = 0;
	w.found = calloc(FINDINGS_MAX, sizeof(*w.found));
	w.values = calloc(VALUES_MAX, sizeof(*w.values));
	if (!w.found || !w.values || examine(&w) < 0) {
		log_error("the node could not be looked at: no configuration, "
			  "no root or no memory");
		goto out;
	}
	if (json)
		print_json(&w);
	else
		print_text(&w);
	code = count(&w, DOCTOR_WRONG) ? 1 : 0;
out:
	free(w.found);
	free(w.values);
	return code;
}

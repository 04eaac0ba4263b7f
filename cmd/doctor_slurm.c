/* SPDX-License-Identifier: Apache-2.0
 * Slurm's settings: asked live, else read from slurm.conf. */
#include "config.h"
#include "cmd/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/spawn.h"

#define ASK_MS 5000
#define OUT_MAX (256 * 1024)

/* Where slurm.conf lies when nobody tells. */
static const char *const usual[] = {
	"/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf",
	"/usr/local/etc/slurm.conf", "/run/slurm/conf/slurm.conf",
};

static void find_conf(struct doctor *d)
{
	const char *conf = cfg_text(d->s->cfg, "slurm", "conf");
	size_t i;

	if (!*conf)
		conf = d->s->job->slurm_conf;
	for (i = 0; !*conf && i < sizeof(usual) / sizeof(usual[0]); i++)
		if (access(usual[i], R_OK) == 0)
			conf = usual[i];
	snprintf(d->slurm_conf, sizeof(d->slurm_conf), "%s", conf);
}

/* Run scontrol with two arguments; its output (malloc'ed), or NULL. */
static char *scontrol(const struct doctor *d, const char *a, const char *b)
{
	const char *path = cfg_text(d->s->cfg, "slurm", "scontrol");
	const char *const argv[] = { path, a, b, NULL };
	char env[4128] = "";
	const char *const envp[] = { env, NULL };
	const char *const none[] = { NULL };
	struct spawn_out out;
	char *text = NULL;
	struct err e;

	if (d->slurm_conf[0])
		snprintf(env, sizeof(env), "SLURM_CONF=%s", d->slurm_conf);
	if (spawn_run(argv, env[0] ? envp : none, ASK_MS, OUT_MAX, &out, &e) < 0)
		return NULL;
	if (!out.timed_out && out.status == 0) {
		text = out.text;
		out.text = NULL;
	}
	spawn_out_fini(&out);
	return text;
}

static char *include(const char *path, void *arg)
{
	const struct doctor *d = arg;
	const char *slash = strrchr(d->slurm_conf, '/');
	char full[8192];

	if (path[0] == '/' || !slash)
		return session_read_text(d->s, path);
	snprintf(full, sizeof(full), "%.*s/%s", (int)(slash - d->slurm_conf),
		 d->slurm_conf, path);
	return session_read_text(d->s, full);
}

/* "slurm-wlm 22.05.8" */
static void ask_version(struct doctor *d)
{
	const char *live = slurmconf_get(&d->slurm, "SLURM_VERSION");
	char *text = *live ? NULL : scontrol(d, "--version", NULL);
	const char *word = text ? strchr(text, ' ') : NULL;

	if (*live)
		snprintf(d->slurm_version, sizeof(d->slurm_version), "%.31s",
			 live);
	else if (word)
		snprintf(d->slurm_version, sizeof(d->slurm_version), "%.*s",
			 (int)strcspn(word + 1, " \n"), word + 1);
	free(text);
}

void doctor_read_slurm(struct doctor *d)
{
	char *text;

	find_conf(d);
	text = scontrol(d, "show", "config");
	if (text && slurmconf_show(&d->slurm, text) == 0 && d->slurm.count) {
		if (!d->slurm_conf[0])
			snprintf(d->slurm_conf, sizeof(d->slurm_conf), "%s",
				 slurmconf_get(&d->slurm, "SLURM_CONF"));
	} else {
		free(text);
		slurmconf_fini(&d->slurm);
		text = d->slurm_conf[0] ? session_read_text(d->s, d->slurm_conf) : NULL;
		if (text)
			slurmconf_file(&d->slurm, text, include, d);
	}
	free(text);
	if (doctor_has_slurm(d))
		ask_version(d);
}

bool doctor_has_slurm(const struct doctor *d)
{
	return d->slurm.count > 0;
}

void doctor_slurm(struct doctor *d)
{
	const char *path = cfg_text(d->s->cfg, "slurm", "scontrol");

	if (access(path, X_OK) < 0 && !doctor_has_slurm(d)) {
		doctor_say(d, DOCTOR_NOTE, "slurm",
			   "[slurm] scontrol and conf tell where it is",
			   "no Slurm here: no %s, no slurm.conf", path);
		return;
	}
	if (access(path, X_OK) < 0)
		doctor_say(d, DOCTOR_WRONG, "slurm",
			   "set [slurm] scontrol in assay.conf",
			   "%s cannot be executed: no drain will ever be told "
			   "to Slurm", path);
	if (!doctor_has_slurm(d) && !d->slurm_conf[0])
		doctor_say(d, DOCTOR_NOTE, "slurm",
			   "set [slurm] conf in assay.conf",
			   "%s is here, but no slurmctld answers and no "
			   "slurm.conf was found", path);
	else if (!doctor_has_slurm(d))
		doctor_say(d, DOCTOR_WRONG, "slurm",
			   "mend [slurm] conf in assay.conf",
			   "neither slurmctld nor %s could be read",
			   d->slurm_conf);
	else if (d->slurm.live)
		doctor_say(d, DOCTOR_OK, "slurm", NULL,
			   "slurmctld answers: Slurm %s",
			   d->slurm_version[0] ? d->slurm_version : "?");
	else
		doctor_say(d, DOCTOR_NOTE, "slurm",
			   "look at slurmctld; what follows is only what the "
			   "file says",
			   "slurmctld did not answer scontrol show config: %s "
			   "was read", d->slurm_conf);
}

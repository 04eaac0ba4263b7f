/* SPDX-License-Identifier: Apache-2.0
 * Does Slurm call assay, and who is called before it? */
#include "config.h"
#include "cmd/doctor.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOPIC "scripts"
#define SCRIPT_MAX 65536

struct script {
	const char *key;	/* of slurm.conf */
	const char *program;
	enum doctor_level absent;
	const char *then;	/* what is lost without it */
};

static const struct script scripts[] = {
	{ "Prolog", "assay-prolog", DOCTOR_WRONG,
	  "no job's node is checked before it starts" },
	{ "Epilog", "assay-epilog", DOCTOR_NOTE,
	  "a fault that a job met is found only by the next one" },
};

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is it the program itself, a link to it, or a script that names it? */
static bool names(const char *path, const char *program)
{
	char buf[SCRIPT_MAX], real[PATH_MAX];
	struct stat st;
	ssize_t n = -1;
	int fd;

	if (!strcmp(base(path), program) ||
	    (realpath(path, real) && !strcmp(base(real), program)))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = read(fd, buf, sizeof(buf) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 4 || !memcmp(buf, "\177ELF", 4))
		return false;
	buf[n] = '\0';
	return strstr(buf, program) != NULL;
}

/* Relative names are meant beside slurm.conf. */
static void whole_path(const struct doctor *d, const char *value, char *buf,
		       size_t size)
{
	const char *slash = strrchr(d->slurm_conf, '/');

	if (value[0] == '/' || !slash)
		snprintf(buf, size, "%s", value);
	else
		snprintf(buf, size, "%.*s/%s", (int)(slash - d->slurm_conf),
			 d->slurm_conf, value);
}

/* One value, which may be a pattern. Slurm runs what it matches in the reverse
 * of the alphabet and stops at the first that fails. True if ours is there. */
static bool look_at_value(const struct doctor *d, const struct script *w,
			  const char *value)
{
	char path[8192];
	size_t i, at;
	glob_t g;

	whole_path(d, value, path, sizeof(path));
	if (glob(path, 0, NULL, &g) != 0) {
		doctor_say(d, DOCTOR_WRONG, TOPIC, "mend the path in slurm.conf",
			   "%s=%s: no such file here", w->key, value);
		return false;
	}
	for (at = 0; at < g.gl_pathc; at++)
		if (names(g.gl_pathv[at], w->program))
			break;
	if (at < g.gl_pathc && access(g.gl_pathv[at], X_OK) < 0)
		doctor_say(d, DOCTOR_WRONG, TOPIC, "chmod 755",
			   "%s: %s cannot be executed", w->key,
			   g.gl_pathv[at]);
	for (i = at + 1; i < g.gl_pathc; i++)
		doctor_say(d, DOCTOR_NOTE, TOPIC,
			   "rename one of them if the gate shall come first; "
			   "names late in the alphabet run first",
			   "%s: %s runs before %s, and if it fails the gate "
			   "does not run", w->key, base(g.gl_pathv[i]),
			   base(g.gl_pathv[at]));
	i = g.gl_pathc;
	globfree(&g);
	return at < i;
}

static void look_at(const struct doctor *d, const struct script *w)
{
	const char *value;
	char mend[200];
	bool found = false;
	int i;

	for (i = 0; (value = slurmconf_at(&d->slurm, w->key, i)); i++)
		found |= look_at_value(d, w, value);
	if (found) {
		doctor_say(d, DOCTOR_OK, TOPIC, NULL, "%s calls %s", w->key,
			   w->program);
		return;
	}
	snprintf(mend, sizeof(mend), "%s=" ASSAY_LIBEXECDIR "/%s", w->key,
		 w->program);
	doctor_say(d, w->absent, TOPIC, mend, "%s does not call %s: %s", w->key,
		   w->program, w->then);
}

/* HealthCheckProgram takes no arguments: "assay health" needs a script. */
static void look_at_health(const struct doctor *d)
{
	const char *value = slurmconf_get(&d->slurm, "HealthCheckProgram");
	const char *mend = "HealthCheckProgram=" ASSAY_LIBEXECDIR
			   "/assay-health";

	if (!*value)
		doctor_say(d, DOCTOR_WRONG, TOPIC, mend,
			   "no HealthCheckProgram: idle nodes are not checked, "
			   "and a node that assay drained never comes back by "
			   "itself");
	else if (!strcmp(base(value), "assay"))
		doctor_say(d, DOCTOR_WRONG, TOPIC, mend,
			   "HealthCheckProgram=%s: Slurm gives no argument, so "
			   "this only prints its usage", value);
	else if (access(value, X_OK) < 0)
		doctor_say(d, DOCTOR_WRONG, TOPIC, mend,
			   "HealthCheckProgram=%s cannot be executed here",
			   value);
	else if (!names(value, "assay-health") && !names(value, "assay health"))
		doctor_say(d, DOCTOR_NOTE, TOPIC,
			   "let it call assay health as well",
			   "HealthCheckProgram=%s does not seem to call assay "
			   "health", value);
	else
		doctor_say(d, DOCTOR_OK, TOPIC, NULL,
			   "HealthCheckProgram calls assay health");
}

void doctor_scripts(struct doctor *d)
{
	size_t i;

	if (!doctor_has_slurm(d))
		return;
	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		look_at(d, &scripts[i]);
	look_at_health(d);
}

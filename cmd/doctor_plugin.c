/* SPDX-License-Identifier: Apache-2.0
 * The SPANK plugin in plugstack.conf: how it is installed, and for which
 * Slurm it was built. The gate works without it. */
#include "config.h"
#include "cmd/doctor.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOPIC "plugin"
#define DEPTH_MAX 4

struct stack {
	const struct doctor *d;
	char before[64];	/* a required plugin in front of ours, "" */
	char path[4096];	/* ours, as written; "" not there */
	char run[4096];		/* run=, "" the default */
	char odd[64];		/* an argument it does not know, "" none */
	bool required;
	int times;
};

static void read_stack(struct stack *s, const char *path, int depth);

static void include(struct stack *s, const char *from, const char *what,
		    int depth)
{
	const char *slash = strrchr(from, '/');
	char path[8192];
	glob_t g;
	size_t i;

	if (what[0] == '/' || !slash)
		snprintf(path, sizeof(path), "%s", what);
	else
		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - from),
			 from, what);
	if (depth >= DEPTH_MAX || glob(path, 0, NULL, &g) != 0)
		return;
	for (i = 0; i < g.gl_pathc; i++)
		read_stack(s, g.gl_pathv[i], depth + 1);
	globfree(&g);
}

static void ours(struct stack *s, bool required, const char *path, char **save)
{
	const char *arg;

	if (s->times++)
		return;
	snprintf(s->path, sizeof(s->path), "%s", path);
	s->required = required;
	while ((arg = strtok_r(NULL, " \t", save))) {
		if (!strncmp(arg, "run=/", 5))
			snprintf(s->run, sizeof(s->run), "%s", arg + 4);
		else if (!s->odd[0])
			snprintf(s->odd, sizeof(s->odd), "%.63s", arg);
	}
}

static void plugin(struct stack *s, bool required, const char *path,
		   char **save)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strstr(name, "spank_assay")) {
		ours(s, required, path, save);
	} else if (required && !s->times && !s->before[0]) {
		snprintf(s->before, sizeof(s->before), "%.63s", name);
	}
}

static void stack_line(struct stack *s, const char *from, char *line, int depth)
{
	char *save = NULL;
	const char *word = strtok_r(line, " \t", &save);
	const char *arg = word ? strtok_r(NULL, " \t", &save) : NULL;

	if (!arg || word[0] == '#')
		return;
	if (!strcmp(word, "include"))
		include(s, from, arg, depth);
	else
		plugin(s, !strcmp(word, "required"), arg, &save);
}

static void read_stack(struct stack *s, const char *path, int depth)
{
	char *text = session_read_text(s->d->s, path);
	char *save = NULL;
	char *line = text ? strtok_r(text, "\n", &save) : NULL;

	for (; line; line = strtok_r(NULL, "\n", &save))
		stack_line(s, path, line, depth);
	free(text);
}

/* PluginDir may be a list. */
static bool find_file(const struct doctor *d, const char *name, char *buf,
		      size_t size)
{
	const char *dir = slurmconf_get(&d->slurm, "PluginDir");
	size_t len;

	snprintf(buf, size, "%s", name);
	if (name[0] == '/')
		return access(buf, R_OK) == 0;
	for (; *dir; dir += len + (dir[len] == ':')) {
		len = strcspn(dir, ":");
		snprintf(buf, size, "%.*s/%s", (int)len, dir, name);
		if (access(buf, R_OK) == 0)
			return true;
	}
	return false;
}

/* Slurm loads a plugin only if major and minor number are its own. */
static void look_at_version(const struct doctor *d, const char *path)
{
	const uint32_t *built;
	unsigned int major = 0, minor = 0;
	void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

	built = lib ? dlsym(lib, "plugin_version") : NULL;
	if (!built) {
		doctor_say(d, DOCTOR_NOTE, TOPIC, NULL,
			   "%s tells no Slurm version", path);
		return;
	}
	if (sscanf(d->slurm_version, "%u.%u", &major, &minor) != 2)
		return;
	if (*built >> 16 == major && (*built >> 8 & 0xff) == minor)
		doctor_say(d, DOCTOR_OK, TOPIC, NULL,
			   "%s was built for this Slurm", path);
	else
		doctor_say(d, DOCTOR_WRONG, TOPIC,
			   "rebuild it against this Slurm's headers",
			   "%s was built for Slurm %u.%02u, this is %s: it is "
			   "not loaded", path, *built >> 16,
			   *built >> 8 & 0xff, d->slurm_version);
}

/* Where the plugin notes and where the gate made the directory for it. */
static void look_at_arguments(const struct doctor *d, const struct stack *s)
{
	const char *run = cfg_text(d->s->cfg, "paths", "run");
	const char *theirs = s->run[0] ? s->run : ASSAY_RUNDIR;

	if (strcmp(run, theirs) != 0)
		doctor_say(d, DOCTOR_WRONG, TOPIC,
			   "write run=DIRECTORY behind the plugin, as [paths] "
			   "run has it",
			   "the plugin notes steps below %s, the run directory "
			   "is %s", theirs, run);
	if (s->odd[0])
		doctor_say(d, DOCTOR_NOTE, TOPIC, "leave it out",
			   "plugstack.conf gives the plugin '%s', which it "
			   "does not know", s->odd);
}

static void look_at(const struct doctor *d, const struct stack *s)
{
	char path[8192];
	struct err e;

	look_at_arguments(d, s);
	if (s->required)
		doctor_say(d, DOCTOR_WRONG, TOPIC, "make it optional",
			   "plugstack.conf has %s as required: if it cannot be "
			   "loaded, no job starts", s->path);
	if (s->times > 1)
		doctor_say(d, DOCTOR_WRONG, TOPIC, "leave one of them",
			   "plugstack.conf names the plugin %d times",
			   s->times);
	if (s->before[0])
		doctor_say(d, DOCTOR_NOTE, TOPIC,
			   "put assay in front of it if its report matters",
			   "%s is required and comes before assay: if it fails, "
			   "assay's hooks are skipped", s->before);
	if (!find_file(d, s->path, path, sizeof(path)))
		doctor_say(d, DOCTOR_WRONG, TOPIC, "mend the path, or install it",
			   "plugstack.conf names %s, which is not here",
			   s->path);
	else if (cfg_file_trusted(path, &e) < 0)
		doctor_say(d, DOCTOR_WRONG, TOPIC, "chown root; chmod 755",
			   "%s", e.text);
	else
		look_at_version(d, path);
}

void doctor_plugin(struct doctor *d)
{
	struct stack s = { .d = d };
	const char *slash = strrchr(d->slurm_conf, '/');
	char path[4352];

	if (!doctor_has_slurm(d))
		return;
	snprintf(path, sizeof(path), "%s",
		 slurmconf_get(&d->slurm, "PlugStackConfig"));
	if (!path[0] && slash)
		snprintf(path, sizeof(path), "%.*s/plugstack.conf",
			 (int)(slash - d->slurm_conf), d->slurm_conf);
	read_stack(&s, path, 0);
	if (s.times)
		look_at(d, &s);
	else
		doctor_say(d, DOCTOR_OK, TOPIC, NULL,
			   "the plugin is not in %s; the gate does not need it, "
			   "but no job's output ends with a report",
			   path[0] ? path : "plugstack.conf");
}

/* SPDX-License-Identifier: Apache-2.0
 * assay - the command: one table of subcommands. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/log.h"
#include "lib/spawn.h"

static const struct cmd commands[] = {
	{ "check", "[--tier passive|quick|deep] [--only A,B] [--gpus LIST] [--json]",
	  "run the checks here and now", cmd_check },
	{ "health", "", "check the idle node, resume own drains that are well",
	  cmd_health },
	{ "explain", "CHECK|XID|REASON", "what a check or a number means",
	  cmd_explain },
	{ "doctor", "[--json]", "is this node set up right?", cmd_doctor },
	{ "policy", "[promote|demote CHECK] [--json]",
	  "what each rule did and would have done", cmd_policy },
	{ "ack", "[CHECK|--all|--list [CHECK]]",
	  "list evidence; acknowledged, it drains no more", cmd_ack },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *f)
{
	size_t i;

	fprintf(f, "usage: assay [--config FILE] COMMAND [ARGS]\n\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].about);
	fprintf(f, "\n  --config FILE, --help, --version; each COMMAND "
		   "understands --help\n");
}

static const struct cmd *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void usage_line(FILE *f, const struct cmd *c)
{
	fprintf(f, "usage: assay %s %s\n", c->name, c->args);
}

int cmd_usage(const char *name, const char *fmt, ...)
{
	const struct cmd *c = find(name);
	va_list ap;

	fprintf(stderr, "assay %s: ", name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (c)
		usage_line(stderr, c);
	return 2;
}

bool cmd_state_is_known(const struct session *s)
{
	if (s->state.unread)
		log_error("what is kept about this node is not known: %s",
			  s->state.complaint.text);
	return !s->state.unread;
}

/* A person's slip of the key; slurmd's health check goes on without it, and
 * says so in the log. */
static bool config_is_missing(const struct cmd *c, const char *config)
{
	return config && c->run != cmd_health && access(config, F_OK) < 0;
}

static int run(const struct cmd *c, const char *config, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--config") && i + 1 < argc)
			config = argv[++i];
		else if (!strcmp(argv[i], "--help")) {
			usage_line(stdout, c);
			printf("%s\n", c->about);
			return 0;
		}
	if (config_is_missing(c, config)) {
		log_error("%s: %s", config, strerror(errno));
		return 2;
	}
	return c->run(config, argc, argv);
}

/* slurm.conf gives HealthCheckProgram no arguments: a name does. */
static bool called_as_health(const char *argv0)
{
	const char *base = argv0 ? strrchr(argv0, '/') : NULL;

	return argv0 && !strcmp(base ? base + 1 : argv0, "assay-health");
}

int main(int argc, char **argv)
{
	const char *config = NULL;
	const struct cmd *c;
	int i;

	spawn_fill_stdio();
	log_open("assay", false, LOG_LVL_WARN);
	if (called_as_health(argv[0]))
		return run(find("health"), NULL, argc, argv);
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--help")) {
			help(stdout);
			return 0;
		} else if (!strcmp(argv[i], "--version")) {
			printf("assay %s\n", PACKAGE_VERSION);
			return 0;
		} else if (!strcmp(argv[i], "--config") && i + 1 < argc) {
			config = argv[++i];
		} else {
			break;
		}
	}
	c = i < argc ? find(argv[i]) : NULL;
	if (!c) {
		if (i < argc)
			fprintf(stderr, "assay: unknown command '%s'\n",
				argv[i]);
		help(stderr);
		return 2;
	}
	return run(c, config, argc - i, argv + i);
}

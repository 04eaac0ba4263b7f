/* SPDX-License-Identifier: Apache-2.0
 * assay - the command: one table of subcommands. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/page.h"
#include "lib/log.h"
#include "lib/scrub.h"
#include "lib/spawn.h"

static const struct cmd commands[] = {
	{ "check", "[--tier passive|quick|deep] [--only A,B] [--gpus LIST] [--json]",
	  "run the checks here and now", cmd_check },
	{ "health", "[--deep]",
	  "check the idle node, resume own drains that are well", cmd_health },
	{ "report", "[JOBID] [--json] [--html FILE]",
	  "what the hardware delivered to a job", cmd_report },
	{ "publish", "[JOBID|--once|--since SECONDS]",
	  "what jobs did, into Slurm's accounting", cmd_publish },
	{ "explain", "[CHECK|XID|REASON]", "what a check or a number means",
	  cmd_explain },
	{ "doctor", "[--json]", "is this node set up right?", cmd_doctor },
	{ "policy", "[promote|demote CHECK] [--json]",
	  "what each rule did and would have done", cmd_policy },
	{ "ack", "[CHECK|--all|--list [CHECK]]",
	  "list evidence; acknowledged, it drains no more", cmd_ack },
};

#define USAGE_INDENT 7
#define HANGING 2
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage_line(FILE *f, const struct cmd *c)
{
	page_itemf(f, USAGE_INDENT, "usage:", "assay %s %s", c->name, c->args);
}

static void help(FILE *f)
{
	size_t i;

	fprintf(f, "usage: assay [--config FILE] COMMAND [ARGS]\n\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].about);
	fprintf(f, "\n  --config FILE, --help, --version; each COMMAND "
		   "understands --help\n");
}

static int about(const struct cmd *c)
{
	usage_line(stdout, c);
	printf("%s\n", c->about);
	help_arguments(stdout, c->name);
	return 0;
}

static int version(void)
{
	printf("assay %s\n", PACKAGE_VERSION);
	return 0;
}

static const struct cmd *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

int cmd_usage(const char *name, const char *fmt, ...)
{
	const struct cmd *c = find(name);
	char text[1024];
	va_list ap;
	int n;

	n = snprintf(text, sizeof(text), "assay %s: ", name);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	page_text(stderr, HANGING, scrub(text));
	if (c)
		usage_line(stderr, c);
	return 2;
}

int cmd_unknown(const char *name, const char *arg)
{
	const struct cmd *c = find(name);

	/* What is known came without what belongs to it. */
	if (*arg == '-' && (!strcmp(arg, "--config") ||
			    (c && strstr(c->args, arg))))
		return cmd_usage(name, "%s wants a value", arg);
	return cmd_usage(name, "unknown argument '%s'", arg);
}

bool cmd_state_is_known(const struct session *s)
{
	if (s->state.unread)
		log_error("what is kept about this node is not known: %s",
			  s->state.complaint.text);
	return !s->state.unread;
}

/* Those that Slurm calls log; what is said to a person is wrapped. */
static bool is_slurms(const struct cmd *c)
{
	return c->run == cmd_health || c->run == cmd_publish;
}

/* A person's slip of the key; slurmd's health check goes on without it, and
 * says so in the log. */
static bool config_is_missing(const struct cmd *c, const char *config)
{
	return config && !is_slurms(c) && access(config, F_OK) < 0;
}

static bool asks_for_help(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-h");
}

/* What the log says to a person is wrapped like all else. */
static void wrapped(const char *line, void *arg)
{
	(void)arg;
	page_text(stderr, HANGING, line);
}

static int run(const struct cmd *c, const char *config, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--config") && i + 1 < argc)
			config = argv[++i];
		else if (asks_for_help(argv[i]))
			return about(c);
		else if (!strcmp(argv[i], "--version"))
			return version();
	if (!is_slurms(c))
		log_set_sink(wrapped, NULL);
	if (config_is_missing(c, config)) {
		log_error("%s: %s", config, strerror(errno));
		return 2;
	}
	return c->run(config, argc, argv);
}

/* slurm.conf gives its programs no arguments: a name does. */
static const struct cmd *called_as(const char *argv0)
{
	const char *base = argv0 ? strrchr(argv0, '/') : NULL;

	if (!argv0)
		return NULL;
	base = base ? base + 1 : argv0;
	if (!strcmp(base, "assay-health"))
		return find("health");
	return !strcmp(base, "assay-publish") ? find("publish") : NULL;
}

int main(int argc, char **argv)
{
	const char *config = NULL;
	const struct cmd *c;
	int i;

	spawn_fill_stdio();
	log_open("assay", false, LOG_LVL_WARN);
	c = called_as(argv[0]);
	if (c)
		return run(c, NULL, argc, argv);
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (asks_for_help(argv[i])) {
			help(stdout);
			return 0;
		} else if (!strcmp(argv[i], "--version")) {
			return version();
		} else if (!strcmp(argv[i], "--config") && i + 1 < argc) {
			config = argv[++i];
		} else {
			break;
		}
	}
	/* "help" alone, or in front of a command. */
	if (i < argc && !strcmp(argv[i], "help")) {
		c = i + 1 < argc ? find(argv[i + 1]) : NULL;
		if (c)
			return about(c);
		help(stdout);
		return 0;
	}
	c = i < argc ? find(argv[i]) : NULL;
	if (!c) {
		if (i < argc && !strcmp(argv[i], "--config"))
			fprintf(stderr, "assay: --config wants a file\n");
		else if (i < argc)
			fprintf(stderr, "assay: unknown command '%s'\n",
				argv[i]);
		help(stderr);
		return 2;
	}
	return run(c, config, argc - i, argv + i);
}

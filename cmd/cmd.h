/* SPDX-License-Identifier: Apache-2.0
 * cmd - the subcommands of assay(1). Each gets argv from its own name on and
 * returns the exit code: 0 good, 1 bad, 2 could not run or bad usage.
 */
#ifndef ASSAY_CMD_H
#define ASSAY_CMD_H

#include <stdio.h>

#include "checks/policy.h"
#include "checks/runner.h"
#include "checks/session.h"

struct cmd {
	const char *name;
	const char *args;	/* for usage */
	const char *about;
	int (*run)(const char *config, int argc, char **argv);
};

int cmd_check(const char *config, int argc, char **argv);
int cmd_health(const char *config, int argc, char **argv);
int cmd_explain(const char *config, int argc, char **argv);
int cmd_doctor(const char *config, int argc, char **argv);
int cmd_publish(const char *config, int argc, char **argv);
int cmd_report(const char *config, int argc, char **argv);
int cmd_policy(const char *config, int argc, char **argv);
int cmd_ack(const char *config, int argc, char **argv);

/* What each argument of this command is, a line or more each. */
void help_arguments(FILE *f, const char *cmd);

/* "assay NAME: text" and the usage line on stderr. Returns 2. */
int cmd_usage(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for an argument that the command does not understand, or that
 * wants a value behind it. */
int cmd_unknown(const char *name, const char *arg);

/* Documents of the state have been got: is "nothing there" what it says?
 * Else that is said on stderr; false. */
bool cmd_state_is_known(const struct session *s);

/* Results as a table that fits 80 columns, worst first: what was seen against
 * what was expected, and the next step. Colour only on a terminal. */
void show_results(const struct session *s, const struct run *r,
		  const struct verdict *v, const char *reason);
/* The figures of the probes, if any ran. */
void show_measured(const struct run *r);

#endif

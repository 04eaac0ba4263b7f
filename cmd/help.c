/* SPDX-License-Identifier: Apache-2.0
 * What the arguments of the commands are, for --help. */
#include "config.h"
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/page.h"

#define COLUMN 19

static const struct {
	const char *cmd, *arg, *text;
} rows[] = {
	{ "check", "--tier TIER",
	  "passive reads only (so without it); quick also loads and measures "
	  "for seconds, deep for most of a minute, unless jobs run here" },
	{ "check", "--only A,B",
	  "these checks, of those that assay explain lists; one that loads is "
	  "run without --tier" },
	{ "check", "--gpus LIST",
	  "no findings about other GPUs; such as 0-3,5, by nvidia-smi's index" },
	{ "check", "--json", "the record: assay-record(5)" },
	{ "check", "exit",
	  "0 all well or only warnings, 1 something failed, 2 nothing could be "
	  "judged" },
	{ "health", "--deep",
	  "also what takes longer, on a node without jobs: assay(1)" },
	{ "health", "exit",
	  "0 all well or only warnings, 1 something failed, 2 nothing could be "
	  "judged" },
	{ "report", "JOBID",
	  "such as 123, or of an array 123_4; inside a job its own" },
	{ "report", "--json", "the record: assay-record(5)" },
	{ "report", "--html FILE",
	  "a page that needs no network and no script; - for stdout" },
	{ "report", "exit", "0, or 2 where nothing is known of the job" },
	{ "publish", "JOBID", "this one is written now, whoever is missing" },
	{ "publish", "--once", "once through the queue" },
	{ "publish", "--since SECONDS",
	  "queue what nodes have told in so many seconds, then once through" },
	{ "publish", "", "queue the job of SLURM_JOB_ID, as EpilogSlurmctld" },
	{ "publish", "exit",
	  "0 done or queued, 1 not all could be written yet, 2 switched off or "
	  "not set up" },
	{ "explain", "CHECK",
	  "what it reads, when it fails, what to do, its keys" },
	{ "explain", "XID", "such as 79, 145/9, or sxid 20034" },
	{ "explain", "REASON",
	  "of a drained node, in quotes and whole (sinfo -o %E): why, and what "
	  "brings it back" },
	{ "explain", "", "all checks, one on a line" },
	{ "doctor", "--json", "the same for programs" },
	{ "doctor", "exit", "0 nothing is wrong, 1 something is" },
	{ "policy", "promote CHECK",
	  "enforce it on this node, although the mode is observe" },
	{ "policy", "demote CHECK", "take that back" },
	{ "policy", "--json", "the table for programs" },
	{ "ack", "CHECK",
	  "seen: what it has drained this node for only warns from now on" },
	{ "ack", "--all", "seen: of all checks" },
	{ "ack", "--list", "what there is, also without an argument" },
};

void help_arguments(FILE *f, const char *cmd)
{
	char label[COLUMN + 1];
	size_t i;

	fputc('\n', f);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].cmd, cmd))
			continue;
		snprintf(label, sizeof(label), "  %s",
			 *rows[i].arg ? rows[i].arg : "(nothing)");
		page_item(f, COLUMN, label, rows[i].text);
	}
}

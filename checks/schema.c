/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/schema.h"

#include <stdio.h>

#include "checks/check.h"

#define ACTIONS "ignore|warn|drain-after|drain"

static const struct cfg_key general_keys[] = {
	{ "gpus_without_gres", CFG_ENUM, NULL, "none", 0, 0, "none|all",
	  "GPUs to check for a job without SLURM_JOB_GPUS" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key policy_keys[] = {
	{ "mode", CFG_ENUM, NULL, "observe", 0, 0, "observe|enforce",
	  "observe reports what enforce would do" },
	{ "drains_per_rule", CFG_INT, NULL, "5", 0, 100000, NULL,
	  "soft drains by one rule within drains_window_s, cluster-wide" },
	{ "drains_window_s", CFG_INT, "s", "600", 1, 86400, NULL,
	  "window of drains_per_rule" },
	{ "requeue", CFG_ENUM, NULL, "no", 0, 0, "no|once",
	  "requeue a refused batch job, so that it is not held" },
	{ "notify", CFG_BOOL, NULL, "no", 0, 0, NULL,
	  "tell the job's user by scontrol notify why it was refused" },
	{ "resume_passes", CFG_INT, NULL, "3", 1, 1000, NULL,
	  "good re-tests before health resumes an own drain" },
	{ "resume_min_s", CFG_INT, "s", "600", 0, 604800, NULL,
	  "time over which the re-tests must be good" },
	{ "jitter_ms", CFG_INT, "ms", "500", 0, 2000, NULL,
	  "spread of Slurm calls of one job's nodes" },
	{ "boot_grace_s", CFG_INT, "s", "300", 0, 86400, NULL,
	  "after boot, clock, fabric, port and mount faults only warn" },
	{ "memo_s", CFG_INT, "s", "60", 0, 3600, NULL,
	  "answer from memory within this time after a passive pass" },
	{ "exempt_reservations", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "reservations whose jobs are only observed" },
	{ "exempt_accounts", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "accounts whose jobs are only observed" },
	{ "exempt_users", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "users whose jobs are only observed" },
	{ "user_may", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "what a job may ask for by --assay: full" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key budget_keys[] = {
	{ "total_ms", CFG_INT, "ms", "8000", 1000, 60000, NULL,
	  "the gate is gone after this time whatever happens" },
	{ "passive_ms", CFG_INT, "ms", "4000", 500, 30000, NULL,
	  "time for the passive verdict" },
	{ "quick", CFG_ENUM, NULL, "auto", 0, 0, "auto|always|never",
	  "active probes in the gate" },
	{ "quick_ms", CFG_INT, "ms", "5000", 500, 60000, NULL,
	  "time for active probes" },
	{ "deep_ms", CFG_INT, "ms", "45000", 5000, 3600000, NULL,
	  "time for the deep tier; slurmd ends a health check after 60 s" },
	{ "quick_ttl", CFG_INT, "s", "86400", 0, 31536000, NULL,
	  "age at which a pass of the active probes is too old" },
	{ "deep_ttl", CFG_INT, "s", "604800", 0, 31536000, NULL,
	  "the same for what only the deep tier measures" },
	{ "quick_min_job", CFG_INT, "s", "1800", 0, 31536000, NULL,
	  "shortest job that the gate probes for" },
	{ "slurm_ms", CFG_INT, "ms", "2000", 200, 30000, NULL,
	  "time for all calls of scontrol together" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key paths_keys[] = {
	{ "root", CFG_PATH, NULL, "/", 0, 0, NULL,
	  "file-system root of /proc, /sys and /dev" },
	{ "sysfacts", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "answers for statfs and adjtimex with an injected root" },
	{ "run", CFG_PATH, NULL, ASSAY_RUNDIR, 0, 0, NULL,
	  "run-time files, one directory per job" },
	{ "state", CFG_PATH, NULL, ASSAY_STATEDIR, 0, 0, NULL,
	  "what is kept about this node" },
	{ "spool", CFG_PATH, NULL, ASSAY_STATEDIR "/spool", 0, 0, NULL,
	  "records that wait to be published" },
	{ "shared_dir", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "directory on a cluster file system" },
	{ "shared_user", CFG_TEXT, NULL, "nobody", 0, 0, NULL,
	  "user who writes into shared_dir" },
	{ "profiles", CFG_PATH, NULL, ASSAY_SYSCONFDIR "/profiles", 0, 0, NULL,
	  "hardware profiles" },
	{ "xids", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "table of XID classes instead of the built-in one" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key slurm_keys[] = {
	{ "scontrol", CFG_PATH, NULL, ASSAY_SCONTROL, 0, 0, NULL,
	  "the scontrol to execute" },
	{ "sacctmgr", CFG_PATH, NULL, "/usr/bin/sacctmgr", 0, 0, NULL,
	  "the sacctmgr to execute" },
	{ "sacct", CFG_PATH, NULL, "/usr/bin/sacct", 0, 0, NULL,
	  "the sacct to execute" },
	{ "conf", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "slurm.conf, where SLURM_CONF does not tell it" },
	{ "gres_order", CFG_ENUM, NULL, "auto", 0, 0, "auto|nvml|file|list",
	  "what a position in SLURM_JOB_GPUS counts" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key libraries_keys[] = {
	{ "nvml", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "libnvidia-ml.so.1 instead of the loader's" },
	{ "cuda", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "libcuda.so.1 instead of the loader's" },
	{ "nccl", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "libnccl.so.2 instead of the loader's" },
	{ "cublaslt", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "libcublasLt.so instead of the loader's" },
	{ "verbs", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "libibverbs.so.1 instead of the loader's" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key watch_keys[] = {
	{ "enabled", CFG_BOOL, NULL, "yes", 0, 0, NULL,
	  "sample GPUs while jobs run" },
	{ "interval_s", CFG_INT, "s", "30", 1, 3600, NULL,
	  "time between samples" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key report_keys[] = {
	{ "block", CFG_BOOL, NULL, "yes", 0, 0, NULL,
	  "a summary at the end of the job's output" },
	{ "block_after_s", CFG_INT, "s", "600", 0, 31536000, NULL,
	  "shortest job whose output gets the summary, and whose nodes share "
	  "their records" },
	{ "keep_days", CFG_INT, NULL, "90", 1, 3650, NULL,
	  "how long records are kept, in days, here and in shared_dir" },
	{ "spool_mb", CFG_INT, NULL, "64", 1, 100000, NULL,
	  "bound of the spool, in MB" },
	{ "metrics_dir", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "where assay.prom is written for node_exporter" },
	{ "publish", CFG_ENUM, NULL, "no", 0, 0, "no|yes|all",
	  "put what jobs did into the accounting (assay publish)" },
	{ "publish_rate", CFG_INT, NULL, "60", 1, 6000, NULL,
	  "comments written a minute at most" },
	{ "publish_wait_s", CFG_INT, "s", "120", 0, 3600, NULL,
	  "time for all nodes to tell what they know of a finished job" },
	{ "publish_bytes", CFG_INT, NULL, "65000", 2048, 65000, NULL,
	  "longest comment, in bytes" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

static const struct cfg_key exec_keys[] = {
	{ "command", CFG_TEXT, NULL, NULL, 0, 0, NULL,
	  "program and arguments, divided by blanks; no shell" },
	{ "timeout_ms", CFG_INT, "ms", "1000", 10, 30000, NULL,
	  "time after which it is ended and reported as TIMEOUT" },
	{ "scope", CFG_ENUM, NULL, "node", 0, 0, "node|domain|site",
	  "whose fault it is; only node can drain" },
	{ "enabled", CFG_BOOL, NULL, "yes", 0, 0, NULL, "run it" },
	{ "action.prolog", CFG_ENUM, NULL, "warn", 0, 0, ACTIONS,
	  "what a failure does before a job" },
	{ "action.epilog", CFG_ENUM, NULL, "warn", 0, 0, ACTIONS,
	  "what a failure does after a job" },
	{ "action.health", CFG_ENUM, NULL, "warn", 0, 0, ACTIONS,
	  "what a failure does on an idle node" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

/* Without a default: unset means the check's own (see check_action()). */
static const struct cfg_key check_keys[] = {
	{ "enabled", CFG_BOOL, NULL, "yes", 0, 0, NULL, "run this check" },
	{ "action.prolog", CFG_ENUM, NULL, NULL, 0, 0, ACTIONS,
	  "what a failure does before a job" },
	{ "action.epilog", CFG_ENUM, NULL, NULL, 0, 0, ACTIONS,
	  "what a failure does after a job" },
	{ "action.health", CFG_ENUM, NULL, NULL, 0, 0, ACTIONS,
	  "what a failure does on an idle node" },
	{ NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
};

#define FIXED 9
#define CHECKS_MAX 64

const struct cfg_section *schema_sections(void)
{
	static struct cfg_section table[FIXED + CHECKS_MAX + 1] = {
		{ "general", general_keys, NULL },
		{ "policy", policy_keys, NULL },
		{ "budget", budget_keys, NULL },
		{ "paths", paths_keys, NULL },
		{ "slurm", slurm_keys, NULL },
		{ "libraries", libraries_keys, NULL },
		{ "watch", watch_keys, NULL },
		{ "report", report_keys, NULL },
		{ "exec *", exec_keys, NULL },
	};
	static char name[CHECKS_MAX][48];
	int i;

	for (i = 0; checks_all[i] && i < CHECKS_MAX; i++) {
		snprintf(name[i], sizeof(name[i]), "check %s",
			 checks_all[i]->name);
		table[FIXED + i] = (struct cfg_section){ name[i], check_keys,
							 checks_all[i]->keys };
	}
	return table;
}

/* SPDX-License-Identifier: Apache-2.0
 * check - a rule about the node: one file, one row, one word.
 *
 * checks/NAME.c holds "const struct check check_NAME"; checks.def lists it;
 * checks/local.mk builds it. A check judges facts: it reads env, adds
 * findings to its result, and touches nothing else (no files, no clocks, no
 * libraries), so that it can be run over any facts at all.
 */
#ifndef ASSAY_CHECK_H
#define ASSAY_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/cfg.h"
#include "lib/facts.h"
#include "lib/facts_probe.h"

/* Outcomes, kept apart to the end. The numbers are their order of weight. */
enum status {
	STATUS_PASS,
	STATUS_SKIP,		/* does not apply here */
	STATUS_WARN,
	STATUS_ERROR,		/* our tool broke */
	STATUS_TIMEOUT,		/* it hung */
	STATUS_FAIL		/* bad hardware (or bad set-up of it) */
};

/* What an admin does next. */
enum remedy {
	REMEDY_NONE, REMEDY_RESET_GPU, REMEDY_REBOOT, REMEDY_SERVICE,
	REMEDY_CHECK_CABLE, REMEDY_CONFIG
};

/* What assay does about a FAIL. */
enum action { ACTION_IGNORE, ACTION_WARN, ACTION_DRAIN_AFTER, ACTION_DRAIN };

enum scope { SCOPE_NODE, SCOPE_DOMAIN, SCOPE_SITE };

enum domain {
	DOMAIN_KMSG, DOMAIN_GPU, DOMAIN_NVLINK, DOMAIN_FABRIC, DOMAIN_HOST,
	DOMAIN_STORAGE, DOMAIN_EXEC
};

/* How dear a check is: a passive one judges what the node tells of itself,
 * the others what a probe measured (probes/). */
enum tier { TIER_PASSIVE, TIER_QUICK, TIER_DEEP };

enum context { CONTEXT_PROLOG, CONTEXT_EPILOG, CONTEXT_HEALTH };

/* needs: prerequisites that the runner turns into SKIP with their reason. */
enum need {
	NEED_GPU = 1 << 0,	/* the node has GPUs, the job (if any) too */
	NEED_NVML = 1 << 1,	/* NVML answered for at least one GPU */
	NEED_HCA = 1 << 2	/* at least one RDMA device, or some expected */
};

struct finding {
	enum status status;
	char code[48];		/* stable: "gpu_remap.failure" */
	char subject[48];	/* "GPU3", "mlx5_4", "node" */
	char text[128];		/* the fact: "row remap failed" */
	double value, limit;	/* NAN: none */
	char unit[16];
	char evidence[96];	/* "": the policy makes one from code and value;
				 * kernel log: "BOOT_ID:SEQ" */
	enum remedy remedy;
	int gpu;		/* index in facts.gpus.gpu[], -1: not one GPU */
	bool everybodys;	/* node-wide: not to be reduced to the job's */
	/* The check's own wish where its parts differ from its row in the
	 * table of default actions; ACTION_DRAIN means: no wish. */
	enum action at_most;
	bool grace;		/* may be a matter of a young boot */
	bool witness;		/* TIMEOUT: a second witness confirmed it */
	bool hard;		/* as a hard check's, although its check is soft */
	/* Filled in by policy, zero before: */
	enum action action;	/* what enforce mode does about it */
	bool held;		/* soft and not trusted yet: observed only */
	char note[64];		/* why the status was lowered, "" if not */
};

struct check_result {
	const struct check *check;
	const char *name;	/* check->name, or "exec NAME" entries' name */
	enum status status;	/* worst of the findings; see result_status() */
	int64_t elapsed_us;
	struct finding *finding;	/* malloc'ed */
	int count, space;
	bool skipped;		/* SKIP with note as its reason */
	char note[160];		/* reason of SKIP or ERROR, or "" */
	json_t *memory;		/* what the check wants to find next time, or
				 * NULL: nothing new (owned) */
	json_t *measured;	/* figures with their conditions, for the
				 * record; NULL: none (owned) */
};

struct check_env {
	const struct facts *facts;
	const struct facts_probes *probes;	/* NULL: none ran */
	const struct cfg *cfg;
	const struct profile *profile;	/* of this node's GPUs, may be NULL */
	const struct xid_table *xids;	/* never NULL */
	const json_t *memory;	/* this check's last memory, may be NULL */
	enum context context;
	bool job_has_gpus;	/* false: a job without GPUs */
	int job_gpus;		/* GPUs Slurm gave the job, 0: none or no job */
	bool owned;		/* devices may be judged for leftovers */
	const bool *gpu_is_jobs;	/* [FACTS_GPUS_MAX], NULL: all */
	int64_t now_s;		/* wall clock */
};

struct check {
	const char *name;
	const char *summary;	/* one line: what it judges */
	const char *reads;	/* what it reads, and what that costs */
	const char *fails;	/* when it fails, in a sentence */
	const char *advice;	/* what to do then */
	enum domain domain;
	unsigned int needs;	/* enum need */
	enum scope scope;
	enum action def;	/* default action of a FAIL in all contexts */
	bool soft;		/* limited, fused, exempt while unknown */
	enum tier tier;
	enum probe probe;	/* what it judges, unless TIER_PASSIVE */
	bool also_state;	/* and what the node tells, in every tier: run()
				 * finds env->probes NULL where none ran */
	const struct cfg_key *keys;	/* own keys, NULL name ends; or NULL */
	/* 0, or -1 only when the check itself broke (result->note says how).
	 * Bad hardware is a result, not an error. */
	int (*run)(const struct check_env *env, struct check_result *result);
	/* Should this measurement of a place (places.h) be repeated, alone on
	 * its device, before it is judged? (0 for what is one for all GPUs.) env
	 * is that of run(), with the check's memory. NULL: never. */
	bool (*doubts)(const struct check_env *env, int place);
};

/* Add a finding (zeroed but for: status, code = CHECK.suffix, subject,
 * value/limit NAN, gpu -1, at_most ACTION_DRAIN) and return it for the rest
 * to be filled in; NULL on ENOMEM or behind the 64th (counted as dropped).
 * text is a printf format. */
struct finding *result_add(struct check_result *r, enum status status,
			   const char *suffix, const char *subject,
			   const char *text, ...)
	__attribute__((format(printf, 5, 6)));

/* The same about one GPU: subject "GPU<index>", gpu set. */
struct finding *result_add_gpu(struct check_result *r, enum status status,
			       const char *suffix, const struct check_env *env,
			       int gpu, const char *text, ...)
	__attribute__((format(printf, 6, 7)));

/* The whole check does not apply. Returns 0, so that "return result_skip(...)"
 * is the idiom. */
int result_skip(struct check_result *r, const char *why, ...)
	__attribute__((format(printf, 2, 3)));
/* The check broke. Returns -1. */
int result_error(struct check_result *r, const char *why, ...)
	__attribute__((format(printf, 2, 3)));

/* Does any finding ask for more than a warning? policy_weigh() first. */
bool result_wants_drain(const struct check_result *r);

/* Worst status: FAIL > TIMEOUT > ERROR > WARN > PASS; SKIP only if skipped. */
enum status result_status(const struct check_result *r);
void result_fini(struct check_result *r);

const char *status_name(enum status s);		/* "PASS" ... */
const char *remedy_name(enum remedy r);		/* "reset_gpu" ... */
const char *action_name(enum action a);		/* "drain-after" ... */
const char *action_key(enum context c);		/* "action.prolog" ... */

/* What a failure does by this section of the config; def where that is unset. */
enum action check_action(const struct cfg *c, const char *section,
			 enum context context, enum action def);

/* Values of the check's own config section "check NAME". */
int64_t check_cfg_int(const struct check_env *env, const struct check *c,
		      const char *key);
bool check_cfg_bool(const struct check_env *env, const struct check *c,
		    const char *key);
const char *check_cfg_text(const struct check_env *env, const struct check *c,
			   const char *key);

/* All checks, in the order of checks.def, NULL at the end. */
extern const struct check *const checks_all[];
const struct check *checks_find(const char *name);

#endif

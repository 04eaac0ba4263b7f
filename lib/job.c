/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/job.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_MAX 65536		/* longest value that is looked at */
#define GPU_POS_LIMIT 1024	/* positions in a gres list stay below */
#define ID_MAX 0xfffffff0LL	/* Slurm's special numbers lie above */
#define TIME_MAX (1LL << 40)

#define NAME_CHARS "._@+-:"
#define NODE_CHARS "._-"
#define LIST_CHARS "._-+:@[],"
#define USER_CHARS "._@+-$\\"

enum kind { FACT_U32, FACT_INT, FACT_S64, FACT_TEXT, FACT_CALL };

/* One environment fact: where it goes and what it may look like. */
struct fact {
	const char *name;
	enum kind kind;
	size_t offset, size;		/* text: of the array */
	const char *chars;		/* text: besides letters and digits */
	long long min, max;		/* numbers */
	int (*call)(struct job *j, const char *value);
};

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/* A leading '-' would be an option wherever the text becomes an argument. */
static bool text_ok(const char *s, const char *chars)
{
	if (!*s || *s == '-')
		return false;
	for (; *s; s++)
		if (!is_alnum(*s) && !strchr(chars, *s))
			return false;
	return true;
}

/* Decimal digits at *p within [min, max]; moves *p behind them. */
static int number_at(const char **p, long long min, long long max,
		     long long *out)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -1;
	errno = 0;
	*out = strtoll(*p, &end, 10);
	if (errno || *out < min || *out > max)
		return -1;
	*p = end;
	return 0;
}

uint32_t job_id_at(const char **p)
{
	long long n;

	return **p == '0' || number_at(p, 1, UINT32_MAX, &n) ? 0 : (uint32_t)n;
}

uint32_t job_id_of(const char *word)
{
	uint32_t id = job_id_at(&word);

	return *word ? 0 : id;
}

static int set_number(struct job *j, const struct fact *f, const char *value)
{
	void *to = (char *)j + f->offset;
	long long n;

	if (number_at(&value, f->min, f->max, &n) || *value)
		return -1;
	if (f->kind == FACT_U32)
		*(uint32_t *)to = (uint32_t)n;
	else if (f->kind == FACT_INT)
		*(int *)to = (int)n;
	else
		*(int64_t *)to = n;
	return 0;
}

static int set_text(struct job *j, const struct fact *f, const char *value)
{
	size_t len = strlen(value);

	if (len >= f->size || !text_ok(value, f->chars))
		return -1;
	memcpy((char *)j + f->offset, value, len + 1);
	return 0;
}

static int set_conf(struct job *j, const char *value)
{
	const char *p;

	if (*value != '/' || strlen(value) >= sizeof(j->slurm_conf))
		return -1;
	for (p = value; *p; p++)
		if (*p < 0x20 || *p > 0x7e)
			return -1;
	strcpy(j->slurm_conf, value);
	return 0;
}

/* 22.05 has only this one; where both are there, the other has won. */
static int set_old_nodelist(struct job *j, const char *value)
{
	static const struct fact f = { .offset = offsetof(struct job, nodelist),
				       .size = sizeof(j->nodelist),
				       .chars = LIST_CHARS };

	return j->nodelist[0] ? 0 : set_text(j, &f, value);
}

static int set_context(struct job *j, const char *value)
{
	if (!strcmp(value, "prolog_slurmd"))
		j->context = JOB_PROLOG;
	else if (!strcmp(value, "epilog_slurmd"))
		j->context = JOB_EPILOG;
	else
		return -1;
	return 0;
}

/* "NO" is an exclusive job, "TOPO" one that has a whole topology segment for
 * itself. All other words ("OK", "YES", "USER", "MCS") allow company on the
 * node, each in its own way. */
static int set_oversub(struct job *j, const char *value)
{
	if (!text_ok(value, ""))
		return -1;
	if (!strcmp(value, "NO") || !strcmp(value, "TOPO"))
		j->oversubscribe = OVERSUB_NO;
	else
		j->oversubscribe = OVERSUB_YES;
	return 0;
}

/* "exit:signal" */
static int set_exit_code2(struct job *j, const char *value)
{
	const char *p = value;
	long long n;

	if (strlen(value) >= sizeof(j->exit_code2) ||
	    number_at(&p, 0, INT_MAX, &n) || *p++ != ':' ||
	    number_at(&p, 0, INT_MAX, &n) || *p)
		return -1;
	strcpy(j->exit_code2, value);
	return 0;
}

/* Positions that come twice count once. */
static int add_position(struct job *j, int pos)
{
	int i;

	for (i = 0; i < j->gpu_count; i++)
		if (j->gpu_pos[i] == pos)
			return 0;
	if (j->gpu_count == JOB_GPUS_MAX)
		return -1;
	j->gpu_pos[j->gpu_count++] = pos;
	return 0;
}

static int add_positions(struct job *j, const char *p)
{
	long long lo, hi;

	for (;; p++) {
		if (number_at(&p, 0, GPU_POS_LIMIT - 1, &lo))
			return -1;
		hi = lo;
		if (*p == '-') {
			p++;
			if (number_at(&p, lo, GPU_POS_LIMIT - 1, &hi))
				return -1;
		}
		for (; lo <= hi; lo++)
			if (add_position(j, (int)lo))
				return -1;
		if (*p != ',')
			return *p ? -1 : 0;
	}
}

/* "0,1,2" or "0-3,5"; half a list would be a guess, so all or nothing. */
static int set_gpus(struct job *j, const char *value)
{
	if (add_positions(j, value)) {
		j->gpu_count = 0;
		return -1;
	}
	j->has_gpus = true;
	return 0;
}

static int add_uuid(struct job *j, const char *token, size_t len)
{
	char *to = j->uuid[j->uuid_count < JOB_GPUS_MAX ? j->uuid_count : 0];
	size_t k;
	int i;

	if (len >= JOB_UUID_MAX || len < 5)
		return -1;
	for (k = 0; k < len; k++)
		if (!is_alnum(token[k]) && token[k] != '-' && token[k] != '/')
			return -1;
	for (i = 0; i < j->uuid_count; i++)
		if (!strncmp(j->uuid[i], token, len) && !j->uuid[i][len])
			return 0;
	if (j->uuid_count == JOB_GPUS_MAX)
		return -1;
	memcpy(to, token, len);
	to[len] = 0;
	j->uuid_count++;
	return 0;
}

/* Only the UUID tokens: the numbers are renumbered by whoever set them. */
static int set_visible(struct job *j, const char *value)
{
	const char *p = value;
	size_t len;

	for (;;) {
		len = strcspn(p, ",");
		if ((!strncmp(p, "GPU-", 4) || !strncmp(p, "MIG-", 4)) &&
		    add_uuid(j, p, len)) {
			j->uuid_count = 0;
			return -1;
		}
		if (!p[len])
			return 0;
		p += len + 1;
	}
}

/* The one value here that the user chooses; it can only ask for more. */
static int set_wishes(struct job *j, const char *value)
{
	if (strcmp(value, "full"))
		return -1;
	j->wishes |= JOB_WISH_FULL;
	return 0;
}

#define NUMBER(env, k, member, lo, hi) \
	{ .name = env, .kind = k, .offset = offsetof(struct job, member), \
	  .min = lo, .max = hi }
#define TEXT(env, member, set) \
	{ .name = env, .kind = FACT_TEXT, \
	  .offset = offsetof(struct job, member), \
	  .size = sizeof(((struct job *)NULL)->member), .chars = set }
#define CALL(env, fn) { .name = env, .kind = FACT_CALL, .call = fn }

/* All that is read. The user's own value comes last, so that it cannot hide
 * a complaint about another. */
static const struct fact facts[] = {
	NUMBER("SLURM_JOB_ID", FACT_U32, id, 1, ID_MAX),
	NUMBER("SLURM_JOB_UID", FACT_S64, uid, 0, 0xfffffffeLL),
	NUMBER("SLURM_JOB_GID", FACT_S64, gid, 0, 0xfffffffeLL),
	NUMBER("SLURM_JOB_RESTART_COUNT", FACT_U32, restart, 0, ID_MAX),
	NUMBER("SLURM_JOB_NUM_NODES", FACT_INT, num_nodes, 1, 1 << 24),
	NUMBER("SLURM_JOB_START_TIME", FACT_S64, start_s, 0, TIME_MAX),
	NUMBER("SLURM_JOB_END_TIME", FACT_S64, end_s, 0, TIME_MAX),
	NUMBER("SLURM_JOB_EXIT_CODE", FACT_INT, exit_code, 0, INT_MAX),
	CALL("SLURM_JOB_EXIT_CODE2", set_exit_code2),
	TEXT("SLURM_JOB_USER", user, USER_CHARS),
	TEXT("SLURM_JOB_PARTITION", partition, NAME_CHARS),
	TEXT("SLURM_JOB_RESERVATION", reservation, NAME_CHARS ","),
	TEXT("SLURM_JOB_ACCOUNT", account, NAME_CHARS),
	TEXT("SLURM_CLUSTER_NAME", cluster, NAME_CHARS),
	TEXT("SLURM_JOB_SLUID", sluid, ""),
	TEXT("SLURMD_NODENAME", node, NODE_CHARS),
	TEXT("SLURM_JOB_NODELIST", nodelist, LIST_CHARS),
	CALL("SLURM_NODELIST", set_old_nodelist),
	CALL("SLURM_CONF", set_conf),
	CALL("SLURM_SCRIPT_CONTEXT", set_context),
	CALL("SLURM_JOB_OVERSUBSCRIBE", set_oversub),
	CALL("SLURM_JOB_GPUS", set_gpus),
	CALL("CUDA_VISIBLE_DEVICES", set_visible),
	CALL("SPANK_ASSAY", set_wishes),
};

static const char *lookup(char *const envp[], const char *name)
{
	size_t len = strlen(name);

	for (; *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

static int set_fact(struct job *j, const struct fact *f, const char *value)
{
	if (strnlen(value, VALUE_MAX) == VALUE_MAX)
		return -1;
	switch (f->kind) {
	case FACT_TEXT:
		return set_text(j, f, value);
	case FACT_CALL:
		return f->call(j, value);
	default:
		return set_number(j, f, value);
	}
}

/* The host's short name, for assay check and health outside of Slurm. */
static void set_hostname(struct job *j)
{
	char name[sizeof(j->node)];

	if (gethostname(name, sizeof(name)))
		return;
	name[sizeof(name) - 1] = 0;
	name[strcspn(name, ".")] = 0;
	if (text_ok(name, NODE_CHARS))
		memcpy(j->node, name, strlen(name) + 1);
}

void job_from_env(struct job *j, char *const envp[])
{
	const char *value;
	size_t i;

	memset(j, 0, sizeof(*j));
	j->uid = j->gid = -1;
	j->exit_code = -1;
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		value = lookup(envp, facts[i].name);
		/* Slurm leaves out what a job does not have, or sets it empty. */
		if (!value || !*value || !set_fact(j, &facts[i], value))
			continue;
		if (!j->complaint[0])
			snprintf(j->complaint, sizeof(j->complaint),
				 "%s is not readable and counts as absent",
				 facts[i].name);
	}
	if (!j->node[0])
		set_hostname(j);
}

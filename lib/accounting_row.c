/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/accounting_row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/accounting.h"
#include "lib/job.h"

#define FIELDS 11
#define NUMBER_MAX INT64_C(1000000000000000000)
#define SLACK_S 5 /* clocks of nodes */

enum field {
	F_RAW,
	F_JOB,
	F_CLUSTER,
	F_STATE,
	F_START,
	F_ELAPSED,
	F_NODES,
	F_CPUS,
	F_TRES,
	F_NODELIST,
	F_COMMENT
};

/* A line begins a row if a number is its first field and there are as many as
 * were asked for: the comment, which is the last, may hold anything. */
static bool begins_row(const char *line)
{
	size_t len = strcspn(line, "\n"), i;
	int bars = 0;

	if (line[strspn(line, "0123456789")] != '|' || *line == '|')
		return false;
	for (i = 0; i < len; i++)
		bars += line[i] == '|';
	return bars >= FIELDS - 1;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* The last row of the job; NULL none. */
static const char *find(const char *lines, uint32_t job)
{
	const char *found = NULL, *at;

	for (; *lines; lines = next_line(lines)) {
		at = lines;
		if (begins_row(lines) && job_id_at(&at) == job)
			found = lines;
	}
	return found;
}

/* Where the row ends: lines behind it that are no rows are the comment's. */
static const char *end_of(const char *row)
{
	const char *end;

	do
		row = next_line(row);
	while (*row && !begins_row(row));
	end = row;
	return end[-1] == '\n' ? end - 1 : end;
}

static int64_t number(const char *text)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	return end == text || *end || n < 0 || n > NUMBER_MAX ? -1 : n;
}

/* "16000M", "62.50G": bytes. */
static int64_t bytes(const char *text)
{
	static const char units[] = "KMGTPE";
	char *end;
	double n = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;
	const char *u;

	if (end == text || !(n >= 0))
		return -1;
	for (u = units; unit && u <= unit; u++)
		n *= 1024;
	return n < (double)NUMBER_MAX ? (int64_t)n : -1;
}

/* The value of name in "billing=4,cpu=4,gres/gpu=2"; false: not there. */
static bool tres(const char *list, const char *name, char *buf, size_t size)
{
	size_t n = strlen(name);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (!strncmp(list, name, n) && list[n] == '=') {
			snprintf(buf, size, "%.*s",
				 (int)strcspn(list + n + 1, ","), list + n + 1);
			return true;
		}
	return false;
}

static bool is_same_hour(time_t t, const struct tm *tm)
{
	struct tm other;

	return localtime_r(&t, &other) && other.tm_hour == tm->tm_hour &&
	       other.tm_mday == tm->tm_mday;
}

/* As sacct prints it, in local time. One hour of the year is there twice. */
static void read_start(struct accounting_row *r, const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	time_t t;

	if (!end || *end)
		return;
	tm.tm_isdst = -1;
	t = mktime(&tm);
	if (t <= 0)
		return;
	r->start_s = t;
	r->slack_s = SLACK_S;
	if (is_same_hour(t - 3600, &tm) || is_same_hour(t + 3600, &tm))
		r->slack_s += 3600;
}

static void fill(struct accounting_row *r, char *const field[FIELDS])
{
	char value[64];

	r->id = job_id_of(field[F_RAW]);
	snprintf(r->job, sizeof(r->job), "%s", field[F_JOB]);
	/* Of a heterogeneous job each part has its own number. */
	if (strchr(field[F_JOB], '+'))
		snprintf(r->job, sizeof(r->job), "%s", field[F_RAW]);
	snprintf(r->cluster, sizeof(r->cluster), "%s", field[F_CLUSTER]);
	snprintf(r->state, sizeof(r->state), "%.*s",
		 (int)strcspn(field[F_STATE], " "), field[F_STATE]);
	read_start(r, field[F_START]);
	r->elapsed_s = number(field[F_ELAPSED]);
	r->nodes = number(field[F_NODES]);
	r->cpus = number(field[F_CPUS]);
	r->gpus = r->mem_bytes = -1;
	if (tres(field[F_TRES], "gres/gpu", value, sizeof(value)))
		r->gpus = number(value);
	if (tres(field[F_TRES], "mem", value, sizeof(value)))
		r->mem_bytes = bytes(value);
}

int accounting_row_parse(struct accounting_row *r, const char *lines, uint32_t job)
{
	const char *row = find(lines, job);
	char *field[FIELDS], *text, *p;
	int i;

	memset(r, 0, sizeof(*r));
	if (!row) {
		errno = ENOENT;
		return -1;
	}
	text = p = strndup(row, (size_t)(end_of(row) - row));
	for (i = 0; p && i < FIELDS - 1; i++)
		field[i] = strsep(&p, "|");
	if (!p) {
		errno = text ? EINVAL : ENOMEM;
		free(text);
		return -1;
	}
	field[F_COMMENT] = p;
	fill(r, field);
	r->nodelist = strdup(field[F_NODELIST]);
	r->comment = strdup(field[F_COMMENT]);
	free(text);
	if (r->nodelist && r->comment)
		return 0;
	accounting_row_fini(r);
	errno = ENOMEM;
	return -1;
}

bool accounting_row_name(const char *lines, uint32_t job, char name[32])
{
	char word[32];
	size_t len;

	name[0] = '\0';
	for (; *lines; lines = next_line(lines)) {
		const char *at = lines;

		if (job_id_at(&at) != job || *at++ != '|')
			continue;
		len = strcspn(at, "\n");
		snprintf(word, sizeof(word), "%.*s",
			 (int)(len < sizeof(word) ? len : 0), at);
		if (accounting_is_job(word))
			strcpy(name, word);
	}
	return name[0];
}

void accounting_row_fini(struct accounting_row *r)
{
	free(r->nodelist);
	free(r->comment);
	r->nodelist = r->comment = NULL;
}

bool accounting_row_is_over(const struct accounting_row *r)
{
	static const char *const over[] = {
		"COMPLETED", "FAILED",	      "CANCELLED",
		"TIMEOUT",   "OUT_OF_MEMORY", "NODE_FAIL",
		"PREEMPTED", "BOOT_FAIL",     "DEADLINE",
	};
	size_t i;

	for (i = 0; i < sizeof(over) / sizeof(over[0]); i++)
		if (!strcmp(r->state, over[i]))
			return true;
	return false;
}

bool accounting_row_has(const struct accounting_row *r, int64_t start_s)
{
	return r->start_s > 0 && start_s >= r->start_s - r->slack_s &&
	       (r->elapsed_s < 0 ||
		start_s <= r->start_s + r->elapsed_s + r->slack_s);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/steps.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "epilog/members.h"
#include "lib/fdio.h"

#define NOTES "steps.jsonl"
#define DROPPED "steps.dropped"
#define NOTES_MAX (256 * 1024)

/* ---- lines ------------------------------------------------------------------- */

static json_t *step_of(json_t *last, const json_t *line)
{
	const json_t *step = json_object_get(line, "step");
	char name[24];

	if (json_is_string(step))
		snprintf(name, sizeof(name), "%.20s", json_string_value(step));
	else
		snprintf(name, sizeof(name), "%lld",
			 (long long)json_integer_value(step));
	if (!step)
		return NULL;
	if (!json_object_get(last, name))
		json_object_set_new(last, name, json_object());
	return json_object_get(last, name);
}

/* An end tells no cgroup: the task's before it stays. */
static bool is_counted(const json_t *line)
{
	return json_is_integer(json_object_get(line, "cpu_us")) ||
	       json_is_object(json_object_get(line, "cgroup"));
}

static void take_line(json_t *last, const char *text, size_t len)
{
	static const char *const always[] = { "event", "rusage" };
	json_t *line = json_loadb(text, len, 0, NULL);
	json_t *step = step_of(last, line);
	size_t i;

	if (is_counted(line))
		json_object_update(step, line);
	else
		json_object_update_missing(step, line);
	/* Of all processes up to then: the last holds the ones before. */
	for (i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		json_object_set(step, always[i],
				json_object_get(line, always[i]));
	json_decref(line);
}

static void take_lines(json_t *last, const char *text, size_t n)
{
	const char *end;

	for (; (end = memchr(text, '\n', n)); text = end + 1) {
		take_line(last, text, (size_t)(end - text));
		n -= (size_t)(end + 1 - text);
	}
}

void steps_read(int dir, struct steps *s)
{
	struct stat st;
	char *text = dir < 0 ? NULL : fdio_slurp(dir, NOTES, NOTES_MAX, &st);

	s->last = json_object();
	if (text)
		take_lines(s->last, text, (size_t)st.st_size);
	free(text);
	s->dropped = dir >= 0 &&
		     fstatat(dir, DROPPED, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

void steps_fini(struct steps *s)
{
	json_decref(s->last);
	s->last = NULL;
}

/* ---- over all steps ----------------------------------------------------------- */

/* Members that are whole numbers; group may be NULL. */
struct over {
	double sum, most;
	size_t told;
};

static struct over over_all(const struct steps *s, const char *group,
			    const char *key)
{
	struct over all = { 0, NAN, 0 };
	const json_t *n;
	const char *name;
	json_t *o;

	json_object_foreach(s->last, name, o) {
		n = json_object_get(group ? json_object_get(o, group) : o, key);
		if (!json_is_integer(n))
			continue;
		all.sum += (double)json_integer_value(n);
		all.most = fmax(all.most, (double)json_integer_value(n));
		all.told++;
	}
	return all;
}

double steps_sum(const struct steps *s, const char *key)
{
	struct over all = over_all(s, NULL, key);

	return all.told && !s->dropped ? all.sum : (double)NAN;
}

double steps_most(const struct steps *s, const char *key)
{
	return over_all(s, NULL, key).most;
}

int steps_count(const struct steps *s)
{
	size_t n = json_object_size(s->last);

	return n && !s->dropped ? (int)n : -1;
}

/* While a step runs, its processes are still to come. */
static bool all_ended(const struct steps *s)
{
	const char *name;
	json_t *o;

	json_object_foreach(s->last, name, o)
		if (!member_is(o, "event", "end"))
			return false;
	return json_object_size(s->last) > 0 && !s->dropped;
}

static struct over waited(const struct steps *s, const char *key)
{
	struct over all = over_all(s, "rusage", key);

	if (!all_ended(s) || all.told < json_object_size(s->last))
		return (struct over){ NAN, NAN, 0 };
	return all;
}

double steps_waited_us(const struct steps *s)
{
	return waited(s, "cpu_us").sum;
}

double steps_largest_bytes(const struct steps *s)
{
	return waited(s, "max_rss_bytes").most;
}

double steps_alloc_bytes(const struct steps *s)
{
	double job = over_all(s, "job", "mem_alloc_bytes").most;

	return isnan(job) ? steps_most(s, "mem_alloc_bytes") : job;
}

int64_t steps_job_number(const struct steps *s, const char *key)
{
	double n = steps_most(s, key);

	return n >= 0 && n < 4294967294.0 ? (int64_t)n : -1;
}

const char *steps_leaf(const struct steps *s)
{
	const char *name, *leaf;
	json_t *o;

	json_object_foreach(s->last, name, o) {
		leaf = json_string_value(json_object_get(o, "leaf"));
		if (leaf && *leaf)
			return leaf;
	}
	return NULL;
}

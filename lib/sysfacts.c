/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/sysfacts.h"
#include "lib/clock.h"

#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* A member of the answers file and of a C struct. */
struct member {
	const char *name;
	size_t at, size;
};

#define MEMBER(type, m) { #m, offsetof(type, m), sizeof(((type *)0)->m) }

static const struct member statfs_members[] = {
	MEMBER(struct statfs, f_type),	 MEMBER(struct statfs, f_bsize),
	MEMBER(struct statfs, f_blocks), MEMBER(struct statfs, f_bfree),
	MEMBER(struct statfs, f_bavail), MEMBER(struct statfs, f_files),
	MEMBER(struct statfs, f_ffree),	 MEMBER(struct statfs, f_flags),
	{ NULL, 0, 0 }
};

static const struct member timex_members[] = {
	MEMBER(struct timex, status),	MEMBER(struct timex, offset),
	MEMBER(struct timex, maxerror), MEMBER(struct timex, esterror),
	{ NULL, 0, 0 }
};

static int fill(const json_t *answer, const struct member *m, void *out)
{
	const json_t *v;
	int64_t wide;
	int32_t narrow;

	for (; m->name; m++) {
		v = json_object_get(answer, m->name);
		if (!v)
			continue;
		if (!json_is_integer(v)) {
			errno = EINVAL;
			return -1;
		}
		wide = json_integer_value(v);
		narrow = (int32_t)wide;
		if (m->size == sizeof(wide))
			memcpy((char *)out + m->at, &wide, sizeof(wide));
		else
			memcpy((char *)out + m->at, &narrow, sizeof(narrow));
	}
	return 0;
}

/* {"errno": N} and {"hang_ms": N} stand for calls that fail or are late;
 * -1 ms: that never return. */
static int late_or_failed(const json_t *answer)
{
	const json_t *hang = json_object_get(answer, "hang_ms");
	const json_t *error = json_object_get(answer, "errno");
	json_int_t ms = json_integer_value(hang);

	while (ms < 0)
		pause();
	if (ms > 0)
		clock_sleep_ms(ms > 600000 ? 600000 : (int)ms);
	if (!error)
		return 0;
	errno = (int)json_integer_value(error);
	return -1;
}

int sysfacts_init(struct sysfacts *s, const struct roots *r, const char *file,
		  struct err *e)
{
	json_error_t why;

	s->roots = r;
	s->answers = NULL;
	if (!r->injected || !file)
		return 0;
	s->answers = json_load_file(file, JSON_REJECT_DUPLICATES, &why);
	if (json_is_object(s->answers))
		return 0;
	if (s->answers)
		err_set(e, "%s: not an object", file);
	else
		err_set(e, "%s:%d: %s", file, why.line, why.text);
	sysfacts_fini(s);
	errno = EINVAL;
	return -1;
}

void sysfacts_fini(struct sysfacts *s)
{
	int saved = errno;

	json_decref(s->answers);
	s->answers = NULL;
	errno = saved;
}

int sysfacts_statfs(const struct sysfacts *s, const char *path,
		    struct statfs *out)
{
	const json_t *answer;

	if (!s->roots->injected)
		return statfs(path, out);
	answer = json_object_get(json_object_get(s->answers, "statfs"), path);
	if (!json_is_object(answer)) {
		errno = ENOSYS;
		return -1;
	}
	memset(out, 0, sizeof(*out));
	if (late_or_failed(answer) < 0)
		return -1;
	return fill(answer, statfs_members, out);
}

int sysfacts_adjtimex(const struct sysfacts *s, struct timex *out)
{
	const json_t *answer;

	memset(out, 0, sizeof(*out));	/* modes = 0: only look */
	if (!s->roots->injected)
		return adjtimex(out);
	answer = json_object_get(s->answers, "adjtimex");
	if (!json_is_object(answer)) {
		errno = ENOSYS;
		return -1;
	}
	if (late_or_failed(answer) < 0 || fill(answer, timex_members, out) < 0)
		return -1;
	return (int)json_integer_value(json_object_get(answer, "rc"));
}

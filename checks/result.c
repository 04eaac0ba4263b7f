/* SPDX-License-Identifier: Apache-2.0
 * Findings and their names: what a check answers. */
#include "config.h"
#include "checks/check.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/scrub.h"

#define FINDINGS_MAX 64

static struct finding *add(struct check_result *r, enum status status,
			   const char *suffix, const char *subject)
{
	struct finding *f;
	int space;

	if (r->count >= FINDINGS_MAX)
		return NULL;
	if (r->count == r->space) {
		space = r->space ? 2 * r->space : 4;
		f = realloc(r->finding, (size_t)space * sizeof(*f));
		if (!f)
			return NULL;
		r->finding = f;
		r->space = space;
	}
	f = &r->finding[r->count++];
	memset(f, 0, sizeof(*f));
	f->status = status;
	f->value = NAN;
	f->limit = NAN;
	f->gpu = -1;
	f->at_most = ACTION_DRAIN;
	snprintf(f->code, sizeof(f->code), "%s.%s", r->name, suffix);
	scrub_copy(f->subject, sizeof(f->subject), subject);
	return f;
}

static void set_text(struct finding *f, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void set_text(struct finding *f, const char *fmt, va_list ap)
{
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	scrub(f->text);
}

struct finding *result_add(struct check_result *r, enum status status,
			   const char *suffix, const char *subject,
			   const char *text, ...)
{
	struct finding *f = add(r, status, suffix, subject);
	va_list ap;

	if (f) {
		va_start(ap, text);
		set_text(f, text, ap);
		va_end(ap);
	}
	return f;
}

struct finding *result_add_gpu(struct check_result *r, enum status status,
			       const char *suffix, const struct check_env *env,
			       int gpu, const char *text, ...)
{
	char subject[24];
	struct finding *f;
	va_list ap;

	snprintf(subject, sizeof(subject), "GPU%d",
		 env->facts->gpus.gpu[gpu].index);
	f = add(r, status, suffix, subject);
	if (f) {
		f->gpu = gpu;
		va_start(ap, text);
		set_text(f, text, ap);
		va_end(ap);
	}
	return f;
}

static void set_note(struct check_result *r, const char *why, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void set_note(struct check_result *r, const char *why, va_list ap)
{
	vsnprintf(r->note, sizeof(r->note), why, ap);
	scrub(r->note);
}

int result_skip(struct check_result *r, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	set_note(r, why, ap);
	va_end(ap);
	r->skipped = true;
	return 0;
}

int result_error(struct check_result *r, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	set_note(r, why, ap);
	va_end(ap);
	r->status = STATUS_ERROR;
	return -1;
}

bool result_wants_drain(const struct check_result *r)
{
	int k;

	for (k = 0; k < r->count; k++)
		if (r->finding[k].action > ACTION_WARN)
			return true;
	return false;
}

enum status result_status(const struct check_result *r)
{
	enum status worst = STATUS_PASS;
	int i;

	for (i = 0; i < r->count; i++)
		if (r->finding[i].status > worst)
			worst = r->finding[i].status;
	if (worst == STATUS_PASS && r->skipped)
		return STATUS_SKIP;
	return worst;
}

void result_fini(struct check_result *r)
{
	int saved = errno;

	free(r->finding);
	json_decref(r->memory);
	json_decref(r->measured);
	r->finding = NULL;
	r->memory = NULL;
	r->measured = NULL;
	r->count = r->space = 0;
	errno = saved;
}

const char *status_name(enum status s)
{
	static const char *const name[] = { "PASS", "SKIP", "WARN", "ERROR",
					    "TIMEOUT", "FAIL" };

	return name[s];
}

const char *remedy_name(enum remedy r)
{
	static const char *const name[] = { "none", "reset_gpu", "reboot",
					    "service", "check_cable",
					    "config" };

	return name[r];
}

const char *action_name(enum action a)
{
	static const char *const name[] = { "ignore", "warn", "drain-after",
					    "drain" };

	return name[a];
}

const char *action_key(enum context c)
{
	static const char *const key[] = { "action.prolog", "action.epilog",
					   "action.health" };

	return key[c];
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (e) {
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
	}
	errno = saved;
	return -1;
}

int err_errno(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	size_t len;

	if (e) {
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
		len = strlen(e->text);
		snprintf(e->text + len, sizeof(e->text) - len, ": %s",
			 strerror(saved));
	}
	errno = saved;
	return -1;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	char front[ERR_TEXT_MAX];
	char old[ERR_TEXT_MAX];
	va_list ap;

	if (e) {
		va_start(ap, fmt);
		vsnprintf(front, sizeof(front), fmt, ap);
		va_end(ap);
		memcpy(old, e->text, sizeof(old));
		snprintf(e->text, sizeof(e->text), "%.250s: %.250s", front,
			 old);
	}
	errno = saved;
	return -1;
}

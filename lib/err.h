/* SPDX-License-Identifier: Apache-2.0
 * err - an error as a value with a story.
 *
 * Functions return 0 or -1 (pointers: NULL) with errno set. Where a person
 * will read what went wrong they take a last argument struct err *, owned by
 * the caller, which may be NULL. The text says what was attempted on what;
 * a caller may add context with err_prefix() but never logs *and* returns.
 */
#ifndef ASSAY_ERR_H
#define ASSAY_ERR_H

#define ERR_TEXT_MAX 512

struct err {
	char text[ERR_TEXT_MAX];	/* always NUL-terminated once set */
};

/* Set the text (printf format), truncating silently. Always returns -1 and
 * preserves errno, so that "return err_set(e, ...)" is the idiom. */
int err_set(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* As err_set(), with ": <strerror(errno)>" behind the text. */
int err_errno(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Put text in front of what is there: "<text>: <old>". Returns -1. */
int err_prefix(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

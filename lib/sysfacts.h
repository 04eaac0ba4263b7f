/* SPDX-License-Identifier: Apache-2.0
 * sysfacts - what no file tells: statfs(2) of a mount, adjtimex(2).
 *
 * On the system's own root the calls are made. With an injected root the
 * answers come from a file of answers, and what it does not list is unknown
 * (ENOSYS), which checks report as SKIP.
 *
 * The answers file: {"statfs": {"/scratch": {"f_type": 0, "f_bsize": 4096,
 * "f_blocks": 1, "f_bfree": 1, "f_bavail": 1, "f_files": 1, "f_ffree": 1,
 * "f_flags": 0} or {"errno": 5} or {"hang_ms": -1}}, "adjtimex": {"rc": 0,
 * "status": 1, "offset": 0, "maxerror": 1000, "esterror": 10}}; the members
 * are those of the C structs; units as adjtimex(2): microseconds, or
 * nanoseconds for offset if STA_NANO is set in status.
 */
#ifndef ASSAY_SYSFACTS_H
#define ASSAY_SYSFACTS_H

#include <sys/statfs.h>
#include <sys/timex.h>

#include "lib/err.h"
#include "lib/roots.h"

struct sysfacts {
	const struct roots *roots;
	struct json_t *answers;	/* NULL: none */
};

/* file may be NULL. Only read with an injected root. */
int sysfacts_init(struct sysfacts *s, const struct roots *r, const char *file,
		  struct err *e);
void sysfacts_fini(struct sysfacts *s);

/* As the system calls: 0 (adjtimex: clock state) or -1 with errno. May block
 * for ever on a dead mount: call them in a worker only. */
int sysfacts_statfs(const struct sysfacts *s, const char *path,
		    struct statfs *out);
int sysfacts_adjtimex(const struct sysfacts *s, struct timex *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * audit - who changes by hand what assay does, and may they?
 */
#ifndef ASSAY_AUDIT_H
#define ASSAY_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "checks/session.h"

/* "root", or "root (login alice)" where the kernel knows who logged in. From
 * the real uid and /proc/self/loginuid, never from the environment. */
char *audit_who(char *buf, size_t size);

/* Open the session and take the lock of its state, to change it: only root or
 * the owner of the state directory, and only if it can be written. 0, or -1
 * (said on stderr; the session is closed then). */
int audit_open(struct session *s, const char *config, struct job *job);

/* Note in syslog and on stderr: "NAME: WHO: text". */
void audit_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

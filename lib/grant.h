/* SPDX-License-Identifier: Apache-2.0
 * grant - a file that a user may read, and root keeps.
 *
 * Who owns a file may change its mode, fill it until the file system is full
 * and set its time, whatever mode it was given. So the file stays root's, and
 * an access control list lets one user read it.
 */
#ifndef ASSAY_GRANT_H
#define ASSAY_GRANT_H

#include <sys/types.h>

/* Let user read fd, and nobody else but its owner. 0, or -1 with errno:
 * ENOTSUP on a file system without such lists. */
int grant_read(int fd, uid_t user);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * become - a child of root's gives its rights away.
 *
 * On a cluster file system root is often nobody, and what root writes there,
 * others could have prepared: so who writes there is another user.
 */
#ifndef ASSAY_BECOME_H
#define ASSAY_BECOME_H

/* Become that user, for good and without supplementary groups, if the process
 * is root's; else stay who it is. In children only. 0, or -1 with errno:
 * ENOENT there is no such user. */
int become_user(const char *user);

#endif

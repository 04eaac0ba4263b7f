/* SPDX-License-Identifier: Apache-2.0
 * roots_resolve - openat2(RESOLVE_IN_ROOT) for kernels that lack it.
 *
 * Private to roots. seccomp filters and older qemu-user answer ENOSYS or
 * EPERM; links are then resolved here, inside the root. Not safe against
 * somebody who swaps links meanwhile, which openat2(2) is.
 */
#ifndef ASSAY_ROOTS_RESOLVE_H
#define ASSAY_ROOTS_RESOLVE_H

/* root: a directory descriptor; flags as open(2). A descriptor, or -1. */
int roots_open_by_hand(int root, const char *path, int flags);

#endif

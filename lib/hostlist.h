/* SPDX-License-Identifier: Apache-2.0
 * hostlist - Slurm's compact list of node names: "gpu[001-004,7],login1".
 *
 * Several bracket pairs per name and zero-padded ranges are understood, as
 * scontrol show hostnames does. Limits: 64 KiB of text, 65,536 names.
 */
#ifndef ASSAY_HOSTLIST_H
#define ASSAY_HOSTLIST_H

#include <stdbool.h>

/* Expand. Names are malloc'ed, the array too; free with hostlist_free().
 * Returns the count, or -1 with EINVAL (syntax), E2BIG, ENOMEM. */
int hostlist_expand(const char *text, char ***names);
void hostlist_free(char **names, int n);

/* Position of name in the list (from 0), -1 (ENOENT) if absent, -1 (EINVAL)
 * if the list cannot be read. */
int hostlist_index(const char *text, const char *name);

#endif

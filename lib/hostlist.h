/* SPDX-License-Identifier: Apache-2.0
 * hostlist - Slurm's compact list of node names: "gpu[001-004,7],login1".
 *
 * Several bracket pairs per name and zero-padded ranges are understood, as
 * scontrol show hostnames does, and text behind the last pair as well. Words
 * are parted by commas or blanks; empty ones are skipped; names that come
 * twice are kept twice. Stricter than scontrol where a bracket is not closed
 * or a name holds anything but letters, digits and "._-+:@".
 * Limits: 64 KiB of text, 65,536 names, 255 bytes a name, 8 pairs a word.
 */
#ifndef ASSAY_HOSTLIST_H
#define ASSAY_HOSTLIST_H

#include <stdbool.h>

/* Expand. Names are malloc'ed, the array too; free with hostlist_free().
 * Returns the count (0 with *names NULL for a text without words), or -1 with
 * EINVAL (syntax, NULL), E2BIG (a limit), ENOMEM; *names is untouched then. */
int hostlist_expand(const char *text, char ***names);
void hostlist_free(char **names, int n);

/* Position of name in the list (from 0), -1 (ENOENT) if absent, -1 (EINVAL,
 * E2BIG) if the list cannot be read. */
int hostlist_index(const char *text, const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * scrub - make text from outside harmless before it is logged or stored.
 */
#ifndef ASSAY_SCRUB_H
#define ASSAY_SCRUB_H

#include <stddef.h>

/* Replace, in place, every byte outside printable ASCII (0x20..0x7e) by '?',
 * tabs and newlines by a blank. Returns s. NULL is returned as NULL. */
char *scrub(char *s);

/* Copy src into dst (dst_size bytes), scrubbed and always terminated; NULL
 * counts as "". Returns dst. */
char *scrub_copy(char *dst, size_t dst_size, const char *src);

#endif

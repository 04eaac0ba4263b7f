/* SPDX-License-Identifier: Apache-2.0
 * jsonw - one line of JSON, written into a buffer that does not grow.
 *
 * slurmstepd, srun and sbatch load the plugin: it brings no library with it.
 */
#ifndef ASSAY_SPANK_JSONW_H
#define ASSAY_SPANK_JSONW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jsonw {
	char *buf;
	size_t size, len;
	bool cut;		/* it did not fit: buf is not to be used */
	bool more;		/* a member stands before: a comma is due */
};

/* Begin with "{". */
void jsonw_init(struct jsonw *j, char *buf, size_t size);
/* End with "}" and a newline. 0, or -1 if it did not fit. */
int jsonw_done(struct jsonw *j);

/* Members of the object that is open. Keys are literals. */
void jsonw_open(struct jsonw *j, const char *key);
void jsonw_close(struct jsonw *j);
void jsonw_text(struct jsonw *j, const char *key, const char *text);
void jsonw_u64(struct jsonw *j, const char *key, uint64_t n);
void jsonw_seconds(struct jsonw *j, const char *key, int64_t ms);
void jsonw_null(struct jsonw *j, const char *key);

#endif

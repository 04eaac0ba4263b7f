/* SPDX-License-Identifier: Apache-2.0
 * fuse - after a change, soft rules only observe until they have passed once.
 *
 * What counts as a change on this node: driver, VBIOS, kernel, config, assay
 * itself. Kept in the state document "fuse". An empty document is no change;
 * a piece that is unknown now (the driver did not answer) is no change.
 */
#ifndef ASSAY_FUSE_H
#define ASSAY_FUSE_H

#include <jansson.h>
#include <stdbool.h>

#include "checks/check.h"
#include "lib/roots.h"

/* Compare and update the document (borrowed, changed in place). Returns true
 * if something changed; what is written to changed (may be NULL). */
bool fuse_update(json_t *doc, const struct facts *facts, const char *kernel,
		 const struct cfg *cfg, char *changed, size_t size);

/* Has this check not passed since the last change? */
bool fuse_untested(const json_t *doc, const char *check);

/* Note which checks passed. True if the document changed. */
bool fuse_note_passes(json_t *doc, const struct check_result *results,
		      int count);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * mark_json - inside of mark: as a document and back. Pure.
 */
#ifndef ASSAY_WATCH_MARK_JSON_H
#define ASSAY_WATCH_MARK_JSON_H

#include "watch/mark.h"

/* New reference; NULL on ENOMEM. */
json_t *mark_to_json(const struct mark *m);
/* 0, or -1: it is no mark (NULL too); *m then holds nothing. */
int mark_from_json(const json_t *doc, struct mark *m);

#endif

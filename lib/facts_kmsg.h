/* SPDX-License-Identifier: Apache-2.0
 * facts_kmsg - gather the open faults of this boot from the kernel log.
 */
#ifndef ASSAY_FACTS_KMSG_H
#define ASSAY_FACTS_KMSG_H

#include <jansson.h>

#include "lib/facts.h"
#include "lib/roots.h"
#include "lib/xid.h"

/* Read the kernel log below r from where prev_state (this function's last
 * *new_state; may be NULL) ended, or from its start if that was another boot,
 * and fill *out. out->gather says how it ended: DONE, ABSENT (there is no
 * kernel log here), ERROR (not for us, or unreadable). *new_state becomes the
 * document to keep (new reference), or NULL if the old one shall stay.
 * Runs in a worker; takes at most KMSG_TIME_MS. */
void facts_kmsg_gather(const struct roots *r, const json_t *prev_state,
		       const struct xid_table *t, int64_t now_s,
		       struct facts_kmsg *out, json_t **new_state);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * facts_port - gather the ports of one RDMA device.
 */
#ifndef ASSAY_FACTS_PORT_H
#define ASSAY_FACTS_PORT_H

#include <jansson.h>

#include "lib/facts.h"
#include "lib/roots.h"

#define FABRIC_CLASS "sys/class/infiniband"

/* Fill h->port and h->port_count; h->name is set. unreadable: array of groups
 * of counters (fabric_group()) not to ask for, may be NULL. A device without
 * ports/ has none: 0. -1 with errno if they cannot be listed. */
int facts_port_gather(const struct roots *r, const json_t *unreadable,
		      struct hca *h);

#endif

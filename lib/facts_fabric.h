/* SPDX-License-Identifier: Apache-2.0
 * facts_fabric - gather the RDMA devices, their ports, links and counters.
 */
#ifndef ASSAY_FACTS_FABRIC_H
#define ASSAY_FACTS_FABRIC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/facts.h"
#include "lib/roots.h"

/* The counters of struct ib_port, one by one. */
struct fabric_counter {
	const char *name;	/* the member's */
	const char *file;	/* in counters/ or hw_counters/ */
	bool hw;
	size_t offset;
};

#define FABRIC_COUNTERS 10
extern const struct fabric_counter fabric_counters[FABRIC_COUNTERS];

const struct val *fabric_counter_of(const struct ib_port *p, int i);

/* "mlx5_4", or "mlx5_4:2" where the device has several ports. Returns buf. */
#define FABRIC_PORT_SIZE 48
char *fabric_port_name(const struct hca *h, const struct ib_port *p,
		       char buf[FABRIC_PORT_SIZE]);

/* What the memory of ib_errors calls a group of counters of one port:
 * "mlx5_0:1:counters" or "mlx5_0:1:hw_counters". Returns buf. */
#define FABRIC_GROUP_SIZE 64
char *fabric_group(const struct hca *h, const struct ib_port *p, bool hw,
		   char buf[FABRIC_GROUP_SIZE]);

/* Fill *out. memory: what the check ib_errors keeps, may be NULL: groups of
 * counters that were unreadable on this boot are not asked for again (each
 * attempt makes some adapters fill the kernel log). Returns 0; -1 with errno
 * if there is something in the way (gather.why tells). No RDMA device at all
 * is a fact, too: more may be expected. */
int facts_fabric_gather(const struct roots *r, const json_t *memory,
			struct facts_fabric *out);

#endif

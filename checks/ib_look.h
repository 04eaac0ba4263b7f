/* SPDX-License-Identifier: Apache-2.0
 * ib_look - the RDMA ports and devices of a node as ib_ports judges them:
 * what is there, what was there before, what is down and what is gone.
 */
#ifndef ASSAY_IB_LOOK_H
#define ASSAY_IB_LOOK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "checks/check.h"
#include "checks/ib.h"
#include "lib/facts_fabric.h"

struct ib_seen {
	const struct hca *h;
	const struct ib_port *p;
	char name[FABRIC_PORT_SIZE];
	bool counts;		/* towards what is expected */
	int64_t best;		/* best rate seen while up, 0 unknown,
				 * -1: never up */
};

struct ib_look {
	const struct check_env *env;
	struct check_result *r;
	int expected;		/* ports that are to be up, 0: nobody said */
	int expected_gbit;	/* and their rate, likewise */
	int counting, active;	/* ports that count, and those of them up */
	int count;
	struct ib_seen port[IB_PORTS_MAX];
};

/* Fill l->port, counting and active; the members before those are set. */
void ib_look_collect(struct ib_look *l);

bool ib_look_up(const struct ib_seen *p);
/* For the subnet manager. */
bool ib_look_waiting(const struct ib_seen *p);
/* Equal boards, the same link layer. */
bool ib_look_same_kind(const struct ib_seen *a, const struct ib_seen *b);
/* And not in two subnets, as far as can be told: a node may have ports of one
 * kind in two fabrics, one slower by design. */
bool ib_look_same_fabric(const struct ib_seen *a, const struct ib_seen *b);

/* Could it be the second port of a board, without a cable? Not if it was ever
 * up. */
bool ib_look_in_use(const struct ib_look *l, const struct ib_seen *p);

/* The devices that are here now, as the memory keeps them (new reference). */
json_t *ib_look_devices(const struct ib_look *l);
/* The same device among others; NULL (borrowed). */
const json_t *ib_look_find(const json_t *devices, const json_t *device);
/* What the next run is to find: devices (borrowed) and best rates. */
void ib_look_remember(struct ib_look *l, json_t *devices);

/* Findings: ports that are not up, and fewer than expected. */
void ib_look_judge_states(struct ib_look *l);
/* Findings: devices (borrowed) that were here at the last run. */
void ib_look_judge_missing(struct ib_look *l, const json_t *devices);

#endif

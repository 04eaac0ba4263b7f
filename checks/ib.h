/* SPDX-License-Identifier: Apache-2.0
 * ib - what the judges of fabric facts share.
 */
#ifndef ASSAY_CHECKS_IB_H
#define ASSAY_CHECKS_IB_H

#include <stdbool.h>
#include <stddef.h>

#include "checks/check.h"

#define IB_PORTS_MAX (FACTS_HCAS_MAX * FACTS_PORTS_MAX)

enum ib_state { IB_DOWN = 1, IB_INIT = 2, IB_ARMED = 3, IB_ACTIVE = 4 };

/* Is the device, port or interface among the words of [check ib_ports]
 * exclude ("mlx5_3", "mlx5_3:1", "ens1f0np0")? port may be NULL. */
bool ib_excluded(const struct cfg *cfg, const struct hca *h,
		 const struct ib_port *port);

/* Equal boards, of which a node has several: only they are compared. */
bool ib_equal(const struct hca *a, const struct hca *b);

/* Is it the second function of a board whose first one is here, too? Many
 * nodes have such ports without a cable. */
bool ib_is_second(const struct facts_fabric *f, const struct hca *h);

/* The device at this PCI address; NULL. */
const struct hca *ib_at(const struct facts_fabric *f, const char *bus_id);

/* The remembered object or array of this name; NULL. */
const json_t *ib_recall(const struct check_env *env, const char *key);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * facts_netdev - the network interfaces that belong to RDMA ports.
 */
#ifndef ASSAY_FACTS_NETDEV_H
#define ASSAY_FACTS_NETDEV_H

#include <stdbool.h>

#include "lib/facts.h"
#include "lib/roots.h"

/* The interface of p, and what it is bonded of: fills netdev, leg and
 * leg_count; layer is set. */
void facts_netdev_of(const struct roots *r, const struct hca *h,
		     struct ib_port *p);

/* In switchdev mode an Ethernet adapter shows a port for the host, one for
 * each virtual function, and one for the wire, and does not say which is
 * which. Only that of the wire tells about hardware: if h is in this mode, it
 * becomes a device with one port, with the state and rate of the wire's
 * interface. */
void facts_netdev_switchdev(const struct roots *r, struct hca *h);

#endif

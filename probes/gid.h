/* SPDX-License-Identifier: Apache-2.0
 * gid - the table of addresses of an RDMA port, and which of them to use.
 */
#ifndef ASSAY_PROBES_GID_H
#define ASSAY_PROBES_GID_H

#include "lib/roots.h"

#define GIDS_MAX 256		/* places of the table that are looked at */
#define GID_TEXT_SIZE 46

struct gid {
	int index;		/* in the port's table */
	unsigned char raw[16];	/* never all 0: that is an empty place */
	char type[12];		/* "RoCE v2", "IB/RoCE v1"; "" unknown */
	char netdev[16];	/* the network device it is of, "" unknown */
};

/* The places of the table that hold an address, by index: how many, 0 if the
 * port has no table. */
int gid_read(const struct roots *r, const char *device, int port,
	     struct gid gids[GIDS_MAX]);

/* The one that packets over Ethernet shall come from: RoCE v2 with an IPv4
 * address, else with a global IPv6 one, else link-local; RoCE v1 (or what
 * tells no type) last. Of equals one on the same network device as the first
 * in the table, which is the port's own: others are VLANs on it; then the
 * lowest. NULL: there is none. */
const struct gid *gid_choose(const struct gid *gids, int count);

/* "::ffff:10.98.0.1". Returns buf. */
char *gid_text(const struct gid *g, char buf[GID_TEXT_SIZE]);

#endif

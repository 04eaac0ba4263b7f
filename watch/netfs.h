/* SPDX-License-Identifier: Apache-2.0
 * netfs - what this node's clients of network file systems have read and
 * written: NFS by /proc/self/mountstats, Lustre by its own files. Others are
 * found there, too, but their clients tell the kernel no bytes.
 *
 * They count for the node since the mount, whoever it was.
 */
#ifndef ASSAY_WATCH_NETFS_H
#define ASSAY_WATCH_NETFS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/roots.h"

#define NETFS_MAX 16

struct netfs_mount {
	char kind[8];		/* "nfs", "lustre", "weka" ... */
	char mount[104];	/* path, or Lustre's name of it */
	bool untold;		/* nobody says how many bytes */
	uint64_t read_bytes, write_bytes;
};

struct netfs {
	int count;
	struct netfs_mount mount[NETFS_MAX];
};

/* A node without any has a count of 0. May block on a dead file system's
 * files: for workers. */
void netfs_read(const struct roots *r, struct netfs *out);

/* The mount of the same kind and name, NULL if there is none. */
const struct netfs_mount *netfs_find(const struct netfs *n,
				     const struct netfs_mount *like);

/* What has been set to nothing or unmounted since the last look: how much it
 * moved in all is not known any more, and base says so from then on. (Where
 * now has no mount at all, they could not be read.) */
#define NETFS_RESET UINT64_MAX
void netfs_resets(struct netfs *base, const struct netfs *last,
		  const struct netfs *now);

/* Parts of the above: a text of mountstats; one Lustre stats file. */
void netfs_parse_mounts(char *text, struct netfs *out);
bool netfs_parse_lustre(const char *text, struct netfs_mount *m);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * rdma_link - pairs of reliable connections from a port to itself, and what
 * they need; for the files of the RDMA probes only.
 */
#ifndef ASSAY_PROBES_RDMA_LINK_H
#define ASSAY_PROBES_RDMA_LINK_H

#include <infiniband/verbs.h>

#include "probes/rdma.h"

#define RDMA_WRITE "RDMA write"	/* what is named when a write fails */
#define RDMA_PAIRS_MAX 4
#define RDMA_END_MS 150		/* to read counters, compare and give back */

/* How packets get from the port to itself. */
struct rdma_path {
	enum ibv_mtu mtu;
	uint16_t lid, pkey_index;
	bool global;		/* by the GID */
	uint8_t gid_index;
	union ibv_gid gid;
};

struct rdma_link {
	struct rdma_port *port;
	struct probe_shot *shot;	/* is ended when something fails */
	struct rdma_shot *how;		/* by rdma_link_open() */
	struct rdma_path path;
	int pairs;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *from[RDMA_PAIRS_MAX], *to[RDMA_PAIRS_MAX];
	struct ibv_mr *mr;
	bool waited;		/* the last completion came while we waited */
};

/* The port's state and how it is addressed, told in *how too; then so many
 * pairs, each of which takes depth writes at once. l->port and l->shot are
 * set, all else is 0. 0, or -1 with the shot ended; rdma_link_close() in any
 * case. */
int rdma_link_open(struct rdma_link *l, struct rdma_shot *how, int pairs,
		   int depth);
/* Give back all of it, l->mr too. */
void rdma_link_close(struct rdma_link *l);

/* Measure, and count what the port's error counters rise by meanwhile, and what
 * others move: body adds what it writes to how->payload. What body returns. */
typedef int (*rdma_body_f)(void *arg);
int rdma_counted(const struct rdma_port *p, struct rdma_shot *how,
		 rdma_body_f body, void *arg);

/* The NUMA node that memory shall be of: the device's; -1 any. */
int rdma_numa(const struct rdma_port *p);

struct rdma_piece {
	uint64_t address;	/* where the device shall see it */
	size_t size;
	int dmabuf;		/* a descriptor that stands for it; -1: it is
				 * known by its address */
};

/* Make it known to the device, with relaxed ordering unless that is refused:
 * l->mr, and l->how tells. False with errno. */
bool rdma_link_register(struct rdma_link *l, const struct rdma_piece *m);

/* Is that errno a limit that was met, and no answer about the memory? */
bool rdma_is_limit(int code);

/* The same for host memory: 0, or -1 with the shot ended. */
int rdma_link_memory(struct rdma_link *l, void *bytes, size_t size);

/* The next completion of a write: 1 with *wc; 0: none came until then
 * (clock_mono_us()); -1: it failed or the port did, and the shot is ended. The
 * second form waits without sleeping for the first while. */
int rdma_link_wait(struct rdma_link *l, int64_t until_us, struct ibv_wc *wc);
int rdma_link_spin(struct rdma_link *l, int64_t until_us, struct ibv_wc *wc);

/* Has anything been reported about the port meanwhile? 0, or -1 with the shot
 * ended. */
int rdma_link_events(struct rdma_link *l);

/* ---- how things fail (rdma_fail.c) ----------------------------------------- */

/* Before and behind a call that may hang. */
void rdma_enter(struct rdma_port *p, const char *call);
void rdma_leave(struct rdma_port *p);
#define RDMA_ENTER(p, member) rdma_enter(p, devlibs_verbs_names.member)

/* A call of libibverbs failed with that errno: end the shot as that means.
 * Returns -1. */
int rdma_failed(struct rdma_port *p, struct probe_shot *shot, const char *call,
		int code);
/* The port or its device failed: rc as in facts_rdma.h, why in words. Returns
 * -1. */
int rdma_fault(struct probe_shot *shot, int rc, const char *call,
	       const char *why, ...) __attribute__((format(printf, 4, 5)));
/* A write did not complete well. Returns -1. */
int rdma_write_failed(struct rdma_link *l, const struct ibv_wc *wc);

/* What libibverbs says of the port. */
int rdma_query(struct rdma_port *p, struct probe_shot *shot,
	       struct ibv_port_attr *attr);
const char *rdma_state_name(enum ibv_port_state state);

/* Nothing known. */
void rdma_shot_begin(struct rdma_shot *how);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * nccl_ring - the communicators of the fake NCCL, and what they were asked to
 * do: an operation runs when every rank of its ring has asked for it. The
 * caller holds the library's lock. Functions return an NCCL code.
 */
#ifndef ASSAY_FAKE_NCCL_RING_H
#define ASSAY_FAKE_NCCL_RING_H

#include <stdbool.h>

#include "lib/nccl.h"
#include "tests/fake/cuda_stream.h"

#define NCCL_RING_MAX 32

/* An all-reduce, of one rank. */
struct nccl_op {
	uint64_t send, recv;	/* device addresses */
	size_t count;
	int type;		/* NCCL_INT32 or NCCL_FLOAT32 */
	struct fake_stream *stream;
};

int nccl_ring_new(struct nccl_comm **out, int ranks);
int nccl_ring_leave(struct nccl_comm *comm);

int nccl_ring_add(struct nccl_comm *comm, const struct nccl_op *op);
/* Run what is complete. */
int nccl_ring_run(void);
/* Drop what is not. Was there anything? */
bool nccl_ring_forget(void);

#endif

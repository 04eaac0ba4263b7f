/* SPDX-License-Identifier: Apache-2.0
 * nccl - the part of NCCL's binary interface that assay calls, in its own
 * words; libnccl.so.2 is loaded at run time, by a worker. Numbers and argument
 * lists are those of nccl.h of NCCL 2.x.
 */
#ifndef ASSAY_NCCL_H
#define ASSAY_NCCL_H

#include <stddef.h>

#include "lib/cuda.h"

struct nccl_comm;

#define NCCL_RC_OK 0
#define NCCL_RC_UNHANDLED_CUDA 1
#define NCCL_RC_SYSTEM 2	/* sockets, files, shared memory: set-up */
#define NCCL_RC_INTERNAL 3
#define NCCL_RC_INVALID_ARGUMENT 4
#define NCCL_RC_INVALID_USAGE 5
#define NCCL_RC_REMOTE 6
#define NCCL_RC_IN_PROGRESS 7

#define NCCL_INT32 2
#define NCCL_FLOAT32 7
#define NCCL_SUM 0

/* X(need, return type, member, symbol, arguments) */
#define DEVLIBS_NCCL(X) \
	X(REQUIRED, int, version, "ncclGetVersion", (int *)) \
	X(REQUIRED, int, init_all, "ncclCommInitAll", \
	  (struct nccl_comm **, int, const int *)) \
	X(REQUIRED, int, all_reduce, "ncclAllReduce", \
	  (const void *, void *, size_t, int, int, struct nccl_comm *, \
	   struct cuda_stream *)) \
	X(REQUIRED, int, group_start, "ncclGroupStart", (void)) \
	X(REQUIRED, int, group_end, "ncclGroupEnd", (void)) \
	X(REQUIRED, int, destroy, "ncclCommDestroy", (struct nccl_comm *)) \
	X(OPTIONAL, int, abort, "ncclCommAbort", (struct nccl_comm *)) \
	X(OPTIONAL, const char *, error_string, "ncclGetErrorString", (int)) \
	X(OPTIONAL, const char *, last_error, "ncclGetLastError", \
	  (struct nccl_comm *))

struct devlibs_nccl {
	void *so;
	int missing_required;
	int missing_optional;
#define X(need, type, member, symbol, args) type (*member) args;
	DEVLIBS_NCCL(X)
#undef X
};

#endif

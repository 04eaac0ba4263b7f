/* SPDX-License-Identifier: Apache-2.0
 * fake_cuda - what tests of the fake CUDA ask it. */
#ifndef ASSAY_TESTS_FAKE_CUDA_H
#define ASSAY_TESTS_FAKE_CUDA_H

#include <string.h>

#include "lib/devlibs.h"

#define FAKE_LIBRARY "libcuda.so.1"
#include "tests/unit/fake.h"

/* Two H100; more members of nvml.gpus[0], and the cuda section. */
#define NODE_WITH(nvml0, cuda) \
	"{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " nvml0 \
	"\"GetUUID\": \"GPU-a0000000-0000-4000-8000-00000000000a\", " \
	"\"GetPciInfo_v3\": {\"busId\": \"00000000:1B:00.0\"}}, " \
	"{\"like\": \"A100-SXM4-40GB\", " \
	"\"GetUUID\": \"GPU-a0000001-0000-4000-8000-00000000000b\", " \
	"\"GetPciInfo_v3\": {\"busId\": \"00000000:2C:00.0\"}}]}, " \
	"\"cuda\": " cuda "}"
#define NODE(cuda) NODE_WITH("", cuda)
/* The same by what cuda.gpus[0] and [1] list. */
#define GPUS(gpu0, gpu1) NODE("{\"gpus\": [{" gpu0 "}, {" gpu1 "}]}")

static struct devlibs_cuda cu;

static inline void load(void)
{
	struct err e;

	SAME(devlibs_cuda_load(&cu, library, &e), 0);
}

/* A context on a device, current. */
static inline struct cuda_context *use(cuda_device i)
{
	struct cuda_context *c = NULL;

	SAME(cu.retain(&c, i), 0);
	SAME(cu.set_current(c), 0);
	return c;
}

static inline void start(void)
{
	load();
	SAME(cu.init(0), 0);
	use(0);
}

static inline cuda_ptr alloc(size_t bytes)
{
	cuda_ptr p = 0;

	SAME(cu.mem_alloc(&p, bytes), 0);
	return p;
}

static inline int attribute(int which)
{
	int v = 4711;
	int rc = cu.attribute(&v, which, 0);

	return rc ? -rc : v;
}

/* Microseconds between two events around work on a stream; -rc. */
static inline struct cuda_event *mark(struct cuda_stream *s)
{
	struct cuda_event *e = NULL;

	SAME(cu.event_create(&e, CUDA_EVENT_DEFAULT), 0);
	SAME(cu.event_record(e, s), 0);
	return e;
}

static inline long long between(struct cuda_event *a, struct cuda_event *b)
{
	float ms = -1;
	int rc = cu.event_elapsed(&ms, a, b);

	return rc ? -rc : (long long)((double)ms * 1e3 + 0.5);
}

static inline struct cuda_stream *stream(void)
{
	struct cuda_stream *s = NULL;

	SAME(cu.stream_create(&s, CUDA_STREAM_NON_BLOCKING), 0);
	return s;
}

#endif

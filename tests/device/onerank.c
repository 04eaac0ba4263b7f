/* SPDX-License-Identifier: Apache-2.0
 * onerank - NCCL with one GPU: it starts, and a sum over one rank is what went
 * in. The smallest thing that can be proved of it on a single card. */
#include "config.h"
#include "tests/device/rig.h"

#include <string.h>

#include "lib/clock.h"
#include "probes/pinned.h"

#define ELEMENTS (1UL << 20)
#define BYTES (ELEMENTS * 4)

struct sum {
	struct rig *r;
	struct devlibs_nccl nccl;
	struct nccl_comm *comm;
	struct pinned there, back;
	cuda_ptr in, out;
};

static int nccl_failed(const struct sum *s, const char *call, int rc)
{
	const char *text = s->nccl.error_string ? s->nccl.error_string(rc) : "";

	return rig_none("%s: %s (%d)", call, text, rc);
}

static int open_comm(struct sum *s)
{
	const int first = 0;
	struct err e;
	int64_t began;
	int version = 0, rc;

	if (devlibs_nccl_load(&s->nccl, s->r->nccl_path, &e) < 0)
		return rig_none("%s", e.text);
	began = clock_mono_us();
	rc = s->nccl.init_all(&s->comm, 1, &first);
	if (rc != NCCL_RC_OK)
		return nccl_failed(s, "ncclCommInitAll", rc);
	rig_put(s->r, "init_ms", rig_number((double)(clock_mono_us() - began) /
					    1e3, 1));
	if (s->nccl.version(&version) == NCCL_RC_OK)
		rig_put(s->r, "version", json_integer(version));
	return RIG_OK;
}

static int open_buffers(struct sum *s)
{
	struct rig *r = s->r;

	if (pinned_open(&s->there, &r->gpu, &r->shot, BYTES) < 0 ||
	    pinned_open(&s->back, &r->gpu, &r->shot, BYTES) < 0 ||
	    device_alloc(&r->gpu, &r->shot, &s->in, BYTES) < 0 ||
	    device_alloc(&r->gpu, &r->shot, &s->out, BYTES) < 0)
		return rig_ended(r);
	pinned_fill(&s->there, 20);
	return RIG_OK;
}

static void *address(cuda_ptr p)
{
	return (void *)(uintptr_t)p;
}

static int reduce(struct sum *s)
{
	struct rig *r = s->r;
	int rc;

	if (DEVICE_CALL(&r->libs, &r->shot, copy_h2d, s->in, s->there.bytes,
			BYTES, r->gpu.stream) < 0)
		return rig_ended(r);
	rc = s->nccl.all_reduce(address(s->in), address(s->out), ELEMENTS,
				NCCL_INT32, NCCL_SUM, s->comm, r->gpu.stream);
	if (rc != NCCL_RC_OK)
		return nccl_failed(s, "ncclAllReduce", rc);
	if (DEVICE_CALL(&r->libs, &r->shot, copy_d2h, s->back.bytes, s->out,
			BYTES, r->gpu.stream) < 0 ||
	    device_wait(&r->gpu, &r->shot) < 0)
		return rig_ended(r);
	rc = memcmp(s->there.bytes, s->back.bytes, BYTES);
	rig_put(r, "bytes", json_integer(BYTES));
	rig_put(r, "right", json_boolean(rc == 0));
	return rc ? RIG_WRONG : RIG_OK;
}

int rig_onerank(struct rig *r)
{
	struct sum s = { .r = r };
	int rc = rig_open_gpu(r);

	if (rc == RIG_OK)
		rc = open_comm(&s);
	if (rc == RIG_OK)
		rc = open_buffers(&s);
	if (rc == RIG_OK)
		rc = reduce(&s);
	if (s.comm)
		s.nccl.destroy(s.comm);
	if (r->gpu.context) {
		device_free(&r->gpu, &s.in, BYTES);
		device_free(&r->gpu, &s.out, BYTES);
		pinned_close(&s.there, &r->gpu);
		pinned_close(&s.back, &r->gpu);
	}
	return rc;
}

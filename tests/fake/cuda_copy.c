/* SPDX-License-Identifier: Apache-2.0
 * Copies of the fake CUDA: the bytes are really moved.
 */
#include "config.h"

#include <string.h>

#include "tests/fake/cuda_corrupt.h"
#include "tests/fake/cuda_memory.h"
#include "tests/fake/cuda_time.h"
#include "tests/fake/export.h"

/* Both ends of a copy, in host memory; either may be NULL. */
struct copy {
	const char *word;	/* for what the scenario corrupts */
	struct fake_device *of;	/* whose entry says so */
	void *dst;
	const void *src;
	size_t bytes;
	struct cost cost;
};

/* Work on d's stream s; the lock is held. */
static int run(struct fake_device *d, struct cuda_stream *s,
	       const struct copy *c)
{
	struct corrupt_copy moved = { c->dst, c->bytes, -1 };
	int rc;

	if (c->cost.rate == RATE_P2P)
		moved.peer = (int)c->cost.arg;
	s = cutime_stream(d, s, &rc);
	if (rc)
		return rc;
	if (!c->dst || !c->src || !c->bytes)
		return c->bytes ? CUDA_RC_INVALID_VALUE : CUDA_RC_OK;
	memcpy(c->dst, c->src, c->bytes);
	corrupt_bytes(c->of, c->word, &moved);
	cutime_charge(s, c->cost);
	return CUDA_RC_OK;
}

EXPORT(int, MemcpyHtoDAsync_v2,
	(cuda_ptr dst, const void *src, size_t bytes, struct cuda_stream *s))
{
	struct copy c = { "h2d", NULL, NULL, src, bytes,
			  { RATE_H2D, 0, (double)bytes, NULL } };
	struct fake_device *d;
	int rc = cudev_begin_here("MemcpyHtoDAsync", &d);

	if (rc)
		return rc;
	c.of = d;
	c.dst = cumem_own(d, dst, bytes);
	return cudev_end(run(d, s, &c));
}

EXPORT(int, MemcpyDtoHAsync_v2,
	(void *dst, cuda_ptr src, size_t bytes, struct cuda_stream *s))
{
	struct copy c = { "d2h", NULL, dst, NULL, bytes,
			  { RATE_D2H, 0, (double)bytes, NULL } };
	struct fake_device *d;
	int rc = cudev_begin_here("MemcpyDtoHAsync", &d);

	if (rc)
		return rc;
	c.of = d;
	c.src = cumem_own(d, src, bytes);
	return cudev_end(run(d, s, &c));
}

EXPORT(int, MemcpyPeerAsync,
	(cuda_ptr dst, struct cuda_context *to, cuda_ptr src,
	struct cuda_context *from, size_t bytes, struct cuda_stream *s))
{
	struct copy c = { "p2p", NULL, NULL, NULL, bytes,
			  { RATE_P2P, 0, (double)bytes, NULL } };
	struct fake_device *d, *a, *b;
	int rc = cudev_begin_here("MemcpyPeerAsync", &d);

	if (rc)
		return rc;
	a = cudev_of(from);
	b = cudev_of(to);
	if (!a || !b)
		return cudev_end(FAKE_RC_INVALID_CONTEXT);
	c.of = a;
	c.cost.of = a;
	c.src = cumem_own(a, src, bytes);
	c.dst = cumem_own(b, dst, bytes);
	c.cost.arg = (uint64_t)b->index;
	if (a == b)
		c.cost = (struct cost){ RATE_HBM, 0, 2.0 * (double)bytes, a };
	return cudev_end(run(d, s, &c));
}

EXPORT(int, MemsetD32Async,
	(cuda_ptr dst, unsigned int value, size_t count, struct cuda_stream *s))
{
	struct fake_device *d;
	uint32_t *p;
	size_t i, n;
	int rc = cudev_begin_here("MemsetD32Async", &d);

	if (rc)
		return rc;
	s = cutime_stream(d, s, &rc);
	p = count <= SIZE_MAX / 4 ? cumem_own(d, dst, count * 4) : NULL;
	if (rc || !p || dst % 4)
		return cudev_end(rc ? rc : CUDA_RC_INVALID_VALUE);
	n = (size_t)cumem_real(d, 4.0 * (double)count) / 4;
	for (i = 0; i < n; i++)
		p[i] = value;
	cutime_charge(s, (struct cost){ RATE_HBM, 0, 4.0 * (double)count, d });
	return cudev_end(CUDA_RC_OK);
}

/* SPDX-License-Identifier: Apache-2.0
 * pcie_bw - copies between pinned host memory and the GPU, by the copy
 * engine, first one way and then the other. What came back is compared with
 * what was sent. One GPU at a time: neighbours share uplinks and the host's
 * memory. */
#include "config.h"
#include "probes/measure.h"

#include <string.h>

#include "lib/clock.h"
#include "probes/pinned.h"

#define BUFFER_MAX (64LL << 20)
#define MOVE_BYTES (512LL << 20)	/* each way: 10 ms on Gen5 x16 */
#define COPIES_MIN 4
#define COPIES_MAX 32
#define PIECES 8		/* of the buffer: the first copy is one */
#define ONE_WAY_S 0.3		/* at most, however slow the link is */

struct pcie {
	struct probe_device *d;
	struct probe_shot *shot;
	struct pinned there, back;
	cuda_ptr ptr;
	int64_t bytes;
	int copies;
};

/* More than L2 holds, so that the GPU's memory takes part. */
static int64_t buffer_bytes(const struct probe_device *d)
{
	int64_t bytes = 2 * d->l2_bytes;

	if (bytes <= 0 || bytes > BUFFER_MAX)
		bytes = BUFFER_MAX;
	return (bytes + 4095) & ~4095LL;
}

static int copy(struct pcie *p, bool up)
{
	struct probe_libs *l = p->d->libs;

	return up ? DEVICE_CALL(l, p->shot, copy_h2d, p->ptr, p->there.bytes,
				(size_t)p->bytes, p->d->stream) :
		    DEVICE_CALL(l, p->shot, copy_d2h, p->back.bytes, p->ptr,
				(size_t)p->bytes, p->d->stream);
}

/* A piece of the buffer first: it warms up, and tells (by the host's clock)
 * how much can be copied in the time. On a link that crawls only a piece is. */
static int choose_copies(struct pcie *p)
{
	int64_t whole = p->bytes;
	int64_t began = clock_mono_us();
	double piece_s;

	p->bytes = whole / PIECES;
	if (copy(p, true) < 0 || device_wait(p->d, p->shot) < 0)
		return -1;
	piece_s = (double)(clock_mono_us() - began) / 1e6;
	if (piece_s * PIECES > ONE_WAY_S) {
		p->copies = ONE_WAY_S > piece_s ? (int)(ONE_WAY_S / piece_s) :
						  1;
		return 0;
	}
	p->bytes = whole;
	p->copies = (int)(MOVE_BYTES / whole);
	if (p->copies < COPIES_MIN)
		p->copies = COPIES_MIN;
	if (p->copies > COPIES_MAX)
		p->copies = COPIES_MAX;
	if (piece_s * PIECES * p->copies > ONE_WAY_S)
		p->copies = (int)(ONE_WAY_S / (piece_s * PIECES));
	return 0;
}

/* GB/s of so many copies one way. */
static int time_copies(struct pcie *p, bool up, double *gbps)
{
	double seconds;
	int i;

	if (device_begin(p->d, p->shot) < 0)
		return -1;
	for (i = 0; i < p->copies; i++)
		if (copy(p, up) < 0)
			return -1;
	if (device_finish(p->d, p->shot, &seconds) < 0)
		return -1;
	*gbps = (double)p->bytes * p->copies / seconds / 1e9;
	return 0;
}

static void compare(struct pcie *p)
{
	p->shot->corrupt = memcmp(p->there.bytes, p->back.bytes,
				  (size_t)p->bytes) != 0;
	p->shot->end = PROBE_DONE;
}

static int open_buffers(struct pcie *p)
{
	p->bytes = device_room(p->d, p->shot, p->bytes, 4096);
	return p->bytes < 0 ||
			       pinned_open(&p->there, p->d, p->shot,
					   (size_t)p->bytes) < 0 ||
			       pinned_open(&p->back, p->d, p->shot,
					   (size_t)p->bytes) < 0 ||
			       device_alloc(p->d, p->shot, &p->ptr,
					    p->bytes) < 0 ?
		       -1 :
		       0;
}

void measure_pcie_bw(struct probe_device *d, struct gpu_probes *g,
		     struct probe_shot *shot, int n)
{
	struct pcie p = { .d = d, .shot = shot, .bytes = buffer_bytes(d) };

	int64_t held;

	(void)g;
	if (open_buffers(&p) < 0)
		goto out;
	held = p.bytes;
	pinned_fill(&p.there, 0x9e3779b97f4a7c15ULL + (uint64_t)n);
	if (choose_copies(&p) == 0 &&
	    time_copies(&p, true, &shot->figure[0]) == 0 &&
	    time_copies(&p, false, &shot->figure[1]) == 0)
		compare(&p);
	p.bytes = held;
out:
	device_free(d, &p.ptr, p.bytes);
	pinned_close(&p.there, d);
	pinned_close(&p.back, d);
}

/* SPDX-License-Identifier: Apache-2.0
 * Streams and events of the fake CUDA. Work is done when it is asked for; a
 * stream is only its clock.
 */
#include "config.h"

#include "tests/fake/cuda_memory.h"
#include "tests/fake/cuda_stream.h"
#include "tests/fake/cuda_things.h"
#include "tests/fake/cuda_time.h"
#include "tests/fake/export.h"

struct cuda_event {
	bool recorded;
	struct tally at;
};

/* ---- what the fake NCCL calls ------------------------------------------- */

static struct cuda_stream *whole(struct fake_stream *s)
{
	return (struct cuda_stream *)s;
}

static void *reach(struct fake_stream *s, uint64_t address, size_t bytes)
{
	void *p;

	cudev_lock();
	p = cumem_reach(whole(s)->dev, address, bytes);
	cudev_end(0);
	return p;
}

/* The factor of NCCL's bus bandwidth; one rank alone moves its bytes once. */
static void collective(struct fake_stream *s, uint64_t bytes, int ranks)
{
	double factor = ranks > 1 ? 2.0 * (ranks - 1) / ranks : 1;
	struct cost c = { RATE_ALLREDUCE, bytes, factor * (double)bytes, NULL };

	cudev_lock();
	cutime_charge(whole(s), c);
	cudev_end(0);
}

static void operations(struct fake_stream *s, double count)
{
	cudev_lock();
	cutime_charge(whole(s), (struct cost){ RATE_PEAK, 0, count, NULL });
	cudev_end(0);
}

/* ---- streams ------------------------------------------------------------ */

static struct cuda_stream *create(struct fake_device *d)
{
	struct cuda_stream *s = things_new(THING_STREAM, d, sizeof(*s));

	if (s) {
		s->head = (struct fake_stream){ FAKE_STREAM_MAGIC, reach,
						collective, operations };
		s->dev = d;
	}
	return s;
}

struct cuda_stream *cutime_stream(struct fake_device *d, struct cuda_stream *s,
				  int *rc)
{
	if (s) {
		*rc = things_device(THING_STREAM, s) == d
			      ? CUDA_RC_OK
			      : FAKE_RC_INVALID_HANDLE;
		return *rc ? NULL : s;
	}
	if (!d->stream)
		d->stream = create(d);
	*rc = d->stream ? CUDA_RC_OK : CUDA_RC_OUT_OF_MEMORY;
	return d->stream;
}

void cutime_charge(struct cuda_stream *s, struct cost c)
{
	if (!c.of)
		c.of = s->dev;
	cutime_add(&s->done, c);
}

EXPORT(int, StreamCreate, (struct cuda_stream * *out, unsigned int flags))
{
	struct fake_device *d;
	int rc = cudev_begin_here("StreamCreate", &d);

	if (rc)
		return rc;
	if (!out || flags > CUDA_STREAM_NON_BLOCKING)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	*out = create(d);
	return cudev_end(*out ? CUDA_RC_OK : CUDA_RC_OUT_OF_MEMORY);
}

/* The device of a stream or an event; that of the default stream is the
 * thread's. */
static struct fake_device *owner(enum thing kind, const void *p)
{
	struct fake_device *d;

	if (!p && kind == THING_STREAM)
		return cudev_current();
	cudev_lock();
	d = things_device(kind, p);
	cudev_end(0);
	return d;
}

/* A call on a thing that exists: its device must answer. */
static int begin_on(const char *func, const char *twin, enum thing kind,
		    const void *p)
{
	struct fake_device *d = owner(kind, p);

	return d ? cudev_begin_twin(func, twin, d) : FAKE_RC_INVALID_HANDLE;
}

EXPORT(int, StreamDestroy_v2, (struct cuda_stream * s))
{
	int rc = s ? begin_on("StreamDestroy", NULL, THING_STREAM, s)
		   : FAKE_RC_INVALID_HANDLE;

	if (rc)
		return rc;
	things_drop(s);
	return cudev_end(CUDA_RC_OK);
}

/* CtxSynchronize speaks for all that wait. One that hangs for ever does not
 * hang a question: the work is not ready. */
static int query(const char *func, enum thing kind, const void *p,
		 struct fake_device *d)
{
	struct scn_path own = { { func, NULL } };
	json_t *wait = d ? json_object_get(d->scn.over, "CtxSynchronize") : NULL;
	bool endless = json_integer_value(json_object_get(wait, "hang_ms")) < 0;
	int rc = begin_on(func, endless ? NULL : "CtxSynchronize", kind, p);

	if (rc)
		return rc;
	if (endless && !scn_lists(d->scn.over, &own, true))
		rc = CUDA_RC_NOT_READY;
	return cudev_end(rc);
}

EXPORT(int, StreamQuery, (struct cuda_stream * s))
{
	return query("StreamQuery", THING_STREAM, s, owner(THING_STREAM, s));
}

EXPORT(int, StreamSynchronize, (struct cuda_stream * s))
{
	int rc = begin_on("StreamSynchronize", "CtxSynchronize", THING_STREAM,
			  s);

	return rc ? rc : cudev_end(rc);
}

/* ---- events ------------------------------------------------------------- */

EXPORT(int, EventCreate, (struct cuda_event * *out, unsigned int flags))
{
	struct fake_device *d;
	int rc = cudev_begin_here("EventCreate", &d);

	(void)flags;
	if (rc)
		return rc;
	if (!out)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	*out = things_new(THING_EVENT, d, sizeof(**out));
	return cudev_end(*out ? CUDA_RC_OK : CUDA_RC_OUT_OF_MEMORY);
}

EXPORT(int, EventDestroy_v2, (struct cuda_event * e))
{
	int rc = begin_on("EventDestroy", NULL, THING_EVENT, e);

	if (rc)
		return rc;
	things_drop(e);
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, EventRecord, (struct cuda_event * e, struct cuda_stream *s))
{
	int rc = begin_on("EventRecord", NULL, THING_EVENT, e);

	if (rc)
		return rc;
	s = cutime_stream(things_device(THING_EVENT, e), s, &rc);
	if (rc)
		return cudev_end(rc);
	e->at = s->done;
	e->recorded = true;
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, EventQuery, (struct cuda_event * e))
{
	return query("EventQuery", THING_EVENT, e, owner(THING_EVENT, e));
}

/* Events of two streams are compared by what each stream has done since it
 * was made. */
EXPORT(int, EventElapsedTime,
	(float *out, struct cuda_event *from, struct cuda_event *to))
{
	struct fake_device *d;
	struct tally t;
	int rc = begin_on("EventElapsedTime", NULL, THING_EVENT, from);

	if (rc)
		return rc;
	d = things_device(THING_EVENT, from);
	if (!out)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	if (things_device(THING_EVENT, to) != d || !from->recorded ||
	    !to->recorded)
		return cudev_end(FAKE_RC_INVALID_HANDLE);
	t = to->at;
	cutime_subtract(&t, &from->at);
	cudev_end(CUDA_RC_OK);
	return cutime_ms(&t, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/nccl_ring.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fake/scenario.h"

#define QUEUE_MAX 64
#define REAL_MAX (1 << 20) /* elements that are really summed */

struct nccl_comm {
	struct ring *ring;
	int rank;
	int queued;
	struct nccl_op op[QUEUE_MAX];
};

struct ring {
	struct ring *next;
	int ranks, left; /* communicators; not destroyed */
	struct nccl_comm comm[NCCL_RING_MAX];
};

static struct ring *rings;

/* ---- communicators ------------------------------------------------------ */

int nccl_ring_new(struct nccl_comm **out, int ranks)
{
	struct ring *r = calloc(1, sizeof(*r));
	int i;

	if (!r)
		return NCCL_RC_SYSTEM;
	r->ranks = r->left = ranks;
	for (i = 0; i < ranks; i++) {
		r->comm[i].ring = r;
		r->comm[i].rank = i;
		out[i] = &r->comm[i];
	}
	r->next = rings;
	rings = r;
	return NCCL_RC_OK;
}

static bool is_known(const struct nccl_comm *comm)
{
	const struct ring *r;

	for (r = rings; r; r = r->next)
		if (comm >= r->comm && comm < r->comm + r->ranks)
			return comm->ring == r;
	return false;
}

static void drop(struct ring *r)
{
	struct ring **at;

	for (at = &rings; *at != r; at = &(*at)->next)
		;
	*at = r->next;
	free(r);
}

int nccl_ring_leave(struct nccl_comm *comm)
{
	struct ring *r;

	if (!is_known(comm))
		return NCCL_RC_INVALID_ARGUMENT;
	r = comm->ring;
	comm->ring = NULL;
	if (--r->left == 0)
		drop(r);
	return NCCL_RC_OK;
}

int nccl_ring_add(struct nccl_comm *comm, const struct nccl_op *op)
{
	if (!is_known(comm) || comm->queued == QUEUE_MAX)
		return NCCL_RC_INVALID_ARGUMENT;
	comm->op[comm->queued++] = *op;
	return NCCL_RC_OK;
}

/* ---- summing ------------------------------------------------------------ */

union element {
	uint32_t i;		/* wraps, as the GPU's sum does */
	float f;
};

/* An all-reduce in host memory. */
struct sum {
	int ranks, type;
	size_t count;		/* that is really done */
	const union element *send[NCCL_RING_MAX];
	union element *recv[NCCL_RING_MAX];
};

static union element sum_at(const struct sum *s, size_t at)
{
	union element e = s->send[0][at];
	int k;

	for (k = 1; k < s->ranks; k++) {
		if (s->type == NCCL_INT32)
			e.i += s->send[k][at].i;
		else
			e.f += s->send[k][at].f;
	}
	return e;
}

/* Element by element, so that a buffer may be source and result. */
static void add_up(const struct sum *s)
{
	union element e;
	size_t i;
	int k;

	for (i = 0; i < s->count; i++) {
		e = sum_at(s, i);
		for (k = 0; k < s->ranks; k++)
			s->recv[k][i] = e;
	}
}

/* "corrupt": {"rank": 3, "flip_bit": 12}: a bit of that rank's result. */
static void corrupt(const struct sum *s)
{
	struct scn_device library = scn_library("nccl");
	struct scn_path p = { { "corrupt", NULL } };
	struct scn_node n = scn_at(&library, &p), rank, bit;
	unsigned char *at;
	int64_t k, b;

	if (!json_is_object(scn_json(&n)) || !s->count)
		return;
	rank = scn_step(&n, "rank");
	bit = scn_step(&n, "flip_bit");
	k = scn_int(&rank);
	b = scn_int(&bit);
	if (k < 0 || k >= s->ranks || b < 0)
		return;
	at = (unsigned char *)s->recv[k];
	at[(size_t)b / 8 % (s->count * sizeof(**s->recv))] ^=
		(unsigned char)(1u << b % 8);
}

/* ---- running ------------------------------------------------------------ */

static const struct nccl_op *first_of(const struct ring *r, int rank)
{
	return &r->comm[rank].op[0];
}

/* Do the ranks agree, and is all their memory there? */
static int prepare(const struct ring *r, struct sum *s)
{
	const struct nccl_op *one = first_of(r, 0), *o;
	size_t bytes = one->count * sizeof(union element);
	int k;

	*s = (struct sum){ .ranks = r->ranks, .type = one->type };
	s->count = one->count < REAL_MAX ? one->count : REAL_MAX;
	for (k = 0; k < r->ranks; k++) {
		o = first_of(r, k);
		if (o->count != one->count || o->type != one->type)
			return NCCL_RC_INVALID_ARGUMENT;
		s->send[k] = o->stream->reach(o->stream, o->send, bytes);
		s->recv[k] = o->stream->reach(o->stream, o->recv, bytes);
		if (bytes && (!s->send[k] || !s->recv[k]))
			return NCCL_RC_UNHANDLED_CUDA;
	}
	return NCCL_RC_OK;
}

/* Run the first operation of every rank, and take it off. */
static int run_first(struct ring *r)
{
	const struct nccl_op *o;
	struct nccl_comm *c;
	struct sum s;
	int k, rc = prepare(r, &s);

	if (!rc) {
		add_up(&s);
		corrupt(&s);
	}
	for (k = 0; k < r->ranks; k++) {
		c = &r->comm[k];
		o = &c->op[0];
		if (!rc)
			o->stream->collective(o->stream, o->count * 4,
					      r->ranks);
		c->queued--;
		memmove(&c->op[0], &c->op[1],
			(size_t)c->queued * sizeof(c->op[0]));
	}
	return rc;
}

static bool is_complete(const struct ring *r)
{
	int k;

	for (k = 0; k < r->ranks; k++)
		if (!r->comm[k].queued)
			return false;
	return true;
}

int nccl_ring_run(void)
{
	struct ring *r;
	int rc = NCCL_RC_OK;

	for (r = rings; r; r = r->next)
		while (!rc && is_complete(r))
			rc = run_first(r);
	return rc;
}

bool nccl_ring_forget(void)
{
	bool any = false;
	struct ring *r;
	int k;

	for (r = rings; r; r = r->next) {
		for (k = 0; k < r->ranks; k++) {
			any |= r->comm[k].queued > 0;
			r->comm[k].queued = 0;
		}
	}
	return any;
}

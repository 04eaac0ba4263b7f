/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/cuda_time.h"

#include <stdio.h>

/* ---- counting ---------------------------------------------------------- */

static bool is_same(const struct cost *a, const struct cost *b)
{
	return a->rate == b->rate && a->arg == b->arg && a->of == b->of;
}

/* What a tally has of a kind, or NULL. */
static struct cost *find(struct tally *t, const struct cost *c)
{
	int i;

	for (i = 0; i < t->n && i < TALLY_MAX; i++)
		if (is_same(&t->cost[i], c))
			return &t->cost[i];
	return NULL;
}

void cutime_add(struct tally *t, struct cost c)
{
	struct cost *have = find(t, &c);

	if (have)
		have->amount += c.amount;
	else if (t->n < TALLY_MAX)
		t->cost[t->n++] = c;
	else
		t->n = TALLY_MAX + 1;
}

void cutime_subtract(struct tally *t, const struct tally *less)
{
	struct cost c;
	int i;

	for (i = 0; i < less->n && i < TALLY_MAX; i++) {
		c = less->cost[i];
		c.amount = -c.amount;
		cutime_add(t, c);
	}
}

/* ---- rates ------------------------------------------------------------- */

static const struct {
	const char *key;
	const char *general;	/* asked where key is not listed */
	double unit;		/* amount per second at rate 1; 0: the value is
				 * milliseconds of one */
} rates[] = {
	[RATE_HBM] = { "hbm_gbps", NULL, 1e9 },
	[RATE_READ] = { "read_gbps", "hbm_gbps", 1e9 },
	[RATE_TRIAD] = { "triad_gbps", "hbm_gbps", 1e9 },
	[RATE_GEMM] = { "gemm_tflops", NULL, 1e12 },
	[RATE_PEAK] = { "peak_tflops", "gemm_tflops", 1e12 },
	[RATE_SDC] = { "sdc_ms", NULL, 0 },
	[RATE_H2D] = { "h2d_gbps", NULL, 1e9 },
	[RATE_D2H] = { "d2h_gbps", NULL, 1e9 },
	[RATE_P2P] = { "p2p_gbps", NULL, 1e9 },
	[RATE_ALLREDUCE] = { "allreduce_busbw_gbps", NULL, 1e9 },
};

static struct scn_node ask(const struct cost *c)
{
	struct scn_device nccl = scn_library("nccl");
	const struct scn_device *from = &c->of->scn;
	struct scn_path p = { { rates[c->rate].key, NULL } };
	struct scn_node n;
	char arg[24];

	if (c->rate == RATE_ALLREDUCE)
		from = &nccl;
	if (rates[c->rate].general && !scn_lists(from->over, &p, true))
		p.key[0] = rates[c->rate].general;
	n = scn_at(from, &p);
	snprintf(arg, sizeof(arg), "%llu", (unsigned long long)c->arg);
	return json_is_object(scn_json(&n)) ? scn_step(&n, arg) : n;
}

/* Adds the milliseconds of one cost. */
static int add_ms(const struct cost *c, double *ms)
{
	double unit = rates[c->rate].unit, v;
	struct scn_node n;

	if (c->amount == 0)
		return CUDA_RC_OK;
	n = ask(c);
	v = scn_real(&n);
	if (n.rc)
		return n.rc;
	if (!(unit > 0)) {
		*ms += c->amount * v;
		return scn_json(&n) ? CUDA_RC_OK : CUDA_RC_NOT_SUPPORTED;
	}
	if (!(v > 0))
		return CUDA_RC_NOT_SUPPORTED;
	*ms += c->amount / (v * unit) * 1e3;
	return CUDA_RC_OK;
}

int cutime_ms(const struct tally *t, float *out)
{
	double ms = 0;
	int i, rc = t->n > TALLY_MAX ? CUDA_RC_NOT_SUPPORTED : CUDA_RC_OK;

	for (i = 0; i < t->n && !rc; i++)
		rc = add_ms(&t->cost[i], &ms);
	if (!rc)
		*out = (float)ms;
	return rc;
}

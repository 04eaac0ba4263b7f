/* SPDX-License-Identifier: Apache-2.0
 * What active probes measure on a random healthy node: rates that spread as
 * silicon does, boards of every wiring, figures that are missing, excuses with
 * rates that are as low as they make them, and disturbances that pass. */
#include "config.h"
#include "tests/fuzz/node_probes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum wiring { WIRED_PCIE, WIRED_BRIDGES, WIRED_SWITCH, WIRED_DIRECT, WIRED_MESH };

static const struct part {
	uint32_t pci_id;
	double hbm, gemm, nvlink;	/* GB/s, TFLOP/s, GB/s one way */
	int cc, sms;
	enum wiring wiring;
} parts[] = {
	{ 0x233010de, 3352, 620, 450, 90, 132, WIRED_SWITCH },
	{ 0x233510de, 4800, 620, 450, 90, 132, WIRED_SWITCH },
	{ 0x20b210de, 2039, 230, 300, 80, 108, WIRED_SWITCH },
	{ 0x1db510de, 900, 95, 150, 70, 80, WIRED_MESH },
	{ 0x232110de, 3938, 500, 300, 90, 132, WIRED_BRIDGES },
	{ 0x26b910de, 864, 200, 0, 89, 142, WIRED_PCIE },
	{ 0x294110de, 8000, 900, 900, 100, 152, WIRED_SWITCH },
	{ 0x20b510de, 1935, 220, 300, 80, 108, WIRED_BRIDGES },
	{ 0x4fff10de, 12000, 2000, 1000, 120, 200, WIRED_SWITCH },
};

#define A100_SXM 0x20b210de

static struct facts_probes probes;	/* too large for each node */

static const struct part *part_of(uint32_t pci_id)
{
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]) - 1; i++)
		if (parts[i].pci_id == pci_id)
			break;
	return &parts[i];
}

/* ---- speeds ----------------------------------------------------------------- */

double node_fixed(const struct node *n, uint32_t a, uint32_t b)
{
	struct rng r = { n->machine.speeds ^ ((uint64_t)a << 32 | b) };

	return (double)(rng_next(&r) >> 11) / 9007199254740992.0;
}

double node_wobble(struct rng *r, double percent)
{
	return 1 + percent / 100 * (rng_below(r, 2001) - 1000) / 1000;
}

/* What a platform makes of the part (the same for all of a machine's GPUs of
 * that model), then what silicon does, then today. */
static double speed(const struct node *n, struct rng *r, int gpu, uint32_t what,
		    double low, double high, double spread)
{
	uint32_t model = n->model[gpu];
	double platform = low + (high - low) * node_fixed(n, model, what);
	double silicon = 1 + spread / 100 * (node_fixed(n, model + (uint32_t)gpu,
						    what + 1) - 0.5);

	return platform * silicon * node_wobble(r, spread / 4);
}

/* By what the GPU is made of and the slot of this node. */
double node_link(const struct node *n, int gpu)
{
	static const double lane[] = { 0, 0.25, 0.5, 0.985, 1.97, 3.94, 7.56, 15 };

	if (n->model[gpu] == 0x294110de)
		return 225;	/* C2C */
	return lane[n->pcie_gen[gpu] > 6 ? 6 : n->pcie_gen[gpu]] *
	       n->pcie_lanes[gpu];
}

/* ---- conditions --------------------------------------------------------------- */

static void make_conditions(struct probe_conditions *c, struct rng *r)
{
	memset(c, 0xff, sizeof(*c));	/* all unknown */
	c->throttle = rng_chance(r, 80) ? rng_below(r, 2) | rng_below(r, 2) << 2 :
					  -1;
	c->others = rng_chance(r, 80) ? 0 : -1;
	c->samples = rng_below(r, 9);
	if (rng_chance(r, 50)) {
		c->power_limit_w = c->power_default_w = 700;
		c->app_mhz = c->app_mhz_default = 1980;
		c->sm_mhz = 1200 + rng_below(r, 800);
		c->temp_c = 30 + rng_below(r, 60);
		c->pcie_gen = 1 + rng_below(r, 5);
		c->pcie_width = 1 << rng_below(r, 5);
	}
}

/* Returns the share of its rate that is left. */
static double excuse(struct probe_conditions *c, struct rng *r, bool host)
{
	switch (rng_below(r, host ? 6 : 4)) {
	case 0:
		c->others = 1 + rng_below(r, 5);
		break;
	case 1:
		c->throttle = 0x4 | rng_below(r, 256);
		c->power_limit_w = 300;
		c->power_default_w = 700;
		break;
	case 2:
		c->app_mhz = 1000;
		c->app_mhz_default = 1980;
		break;
	case 3:
		c->throttle = 0x2;
		c->sm_mhz = 1000;
		c->app_mhz_default = 1980;
		break;
	case 4:
		c->numa_node = 1;
		c->numa_wanted = 0;
		break;
	default:
		c->confidential = 1;
		break;
	}
	return (1 + rng_below(r, 100)) / 100.0;
}

/* ---- shots ---------------------------------------------------------------------- */

/* Not done, for reasons that are not the hardware's. */
static void undo(struct probe_shot *s, struct rng *r)
{
	static const int rcs[] = { 1,	2,   3,	  46,  100, 209, 222, 226, 700,
				   702, 715, 719, 800, 801, 802, 803, 805, 999,
				   36,	804, 807, 1234 };

	s->end = (enum probe_end)rng_below(r, PROBE_TIMEOUT + 1);
	if (s->end == PROBE_DONE)
		s->end = PROBE_NONE;
	s->rc = s->end == PROBE_FAULT ? rcs[rng_below(r, 22)] : 0;
}

/* One shot: what it would show, and what comes between. calm: nothing does. */
static void shoot(struct probe_shot *s, struct rng *r, const double *rate,
		  enum probe p, bool calm)
{
	double left = 1;
	int f;

	memset(s, 0, sizeof(*s));
	s->end = PROBE_DONE;
	make_conditions(&s->cond, r);
	if (calm)
		s->cond.throttle = s->cond.others = 0;
	else if (rng_chance(r, 10))
		left = excuse(&s->cond, r,
			      p == PROBE_pcie_bw || p == PROBE_loopback);
	for (f = 0; f < PROBE_FIGURES; f++)
		s->figure[f] = p == PROBE_latency ? rate[f] / left :
						    rate[f] * left;
	if (calm)
		return;
	if (rng_chance(r, 5))
		s->figure[rng_below(r, 2)] = NAN;
	if (rng_chance(r, 5))
		undo(s, r);
}

/* A time grows. */
static double worse(enum probe p, double figure, struct rng *r)
{
	double share = (1 + rng_below(r, 99)) / 100.0;

	return p == PROBE_latency ? figure / share : figure * share;
}

void node_measure(const struct node *n, struct rng *r, int place, enum probe p,
		  const double *rate)
{
	struct probe_shot *s = probe_results(n->probes, place)[p].shot;
	bool calm = n->whole;
	int f;

	shoot(&s[0], r, rate, p, calm);
	if (calm)
		return;
	if (rng_chance(r, 60))
		shoot(&s[1], r, rate, p, false);
	if (s[0].end != PROBE_DONE || !rng_chance(r, 3))
		return;
	for (f = 0; f < PROBE_FIGURES; f++)
		s[0].figure[f] = worse(p, s[0].figure[f], r);
	s[0].corrupt = rng_chance(r, 20);
}

static void make_digests(struct gpu_probes *g, struct probe_digests *d,
			 struct rng *r, bool calm)
{
	int i, s;

	for (s = 0; s < PROBE_SHOTS; s++) {
		d[s].sms = g->sms;
		for (i = 0; i < g->sms; i++) {
			d[s].ran[i] = calm || !rng_chance(r, 1);
			d[s].seen += d[s].ran[i];
			d[s].digest[i] = 0x9e3779b97f4a7c15ULL * (uint64_t)g->cc +
					 (uint64_t)g->sms;
		}
	}
	/* Once wrong, then right: never both. */
	if (!calm && rng_chance(r, 3))
		d[rng_below(r, 2)].digest[rng_below(r, g->sms)]++;
}

/* A word that was read wrong once, and where the run stopped. */
static void make_pattern(struct gpu_probes *g, struct rng *r, bool calm)
{
	int s;

	for (s = 0; s < PROBE_SHOTS && !calm; s++) {
		if (rng_chance(r, 2))
			g->bad[s].words = 1 + (uint64_t)rng_below(r, 9);
		if (rng_chance(r, 10)) {
			g->probe[PROBE_pattern].shot[s].partial = true;
			g->bad[s].next = rng_below(r, 100) / 100.0;
		}
	}
}

/* What only the deep tier measures; often it has not run. */
static void make_deep(const struct node *n, struct rng *r, int i)
{
	double gemm = part_of(n->model[i])->gemm;
	double peak[PROBE_FIGURES] = { gemm * speed(n, r, i, 11, 1, 1.3, 5) };
	double load[PROBE_FIGURES] = { gemm, gemm * node_wobble(r, 5) * 0.96, 20 };
	double memory[PROBE_FIGURES] = { 70, 0, 2000 };
	double digests[PROBE_FIGURES] = { 900, 0, NAN };
	struct gpu_probes *g = &n->probes->gpu[i];
	int p;

	if (!n->whole && rng_chance(r, 30))
		return;
	node_measure(n, r, i, PROBE_gemm_peak, peak);
	node_measure(n, r, i, PROBE_sustain, load);
	node_measure(n, r, i, PROBE_pattern, memory);
	node_measure(n, r, i, PROBE_sdc, digests);
	make_pattern(g, r, n->whole);
	for (p = 0; p < PROBE_PATH_COUNT; p++)
		if (n->whole || rng_chance(r, 95))
			make_digests(g, g->sdc[p], r, n->whole);
}

/* One measurement, which each GPU has. What the site's machines reach depends
 * on the model, how many there are, and NCCL. */
static void make_nccl(const struct node *n, struct rng *r)
{
	struct facts_probes *p = n->probes;
	double rate[PROBE_FIGURES] = { 0, 0, 2 };
	int i, count = n->facts.gpus.count;

	if (count < 2 || (!n->whole && rng_chance(r, 30)))
		return;
	p->nccl_version = 22807 + rng_below(r, 2);
	p->nccl_bytes = 1LL << 30;
	p->nccl_gpus = count;
	rate[1] = 400 * speed(n, r, 0, (uint32_t)p->nccl_version, 0.3, 1, 1);
	rate[0] = 0.9 * rate[1];
	node_measure(n, r, 0, PROBE_nccl, rate);
	for (i = 1; i < count; i++)
		p->gpu[i].probe[PROBE_nccl] = p->gpu[0].probe[PROBE_nccl];
}

static void make_storage(const struct node *n, struct rng *r)
{
	double rate[PROBE_FIGURES] = { 1 + rng_below(r, 9), 20, 1 };

	shoot(&n->probes->storage.shot[0], r, rate, PROBE_storage, n->whole);
	n->probes->storage_direct = rng_chance(r, 80);
}

static void make_gpu(const struct node *n, struct rng *r, int i)
{
	const struct part *p = part_of(n->model[i]);
	struct gpu_probes *g = &n->probes->gpu[i];
	double link = node_link(n, i);
	double start[PROBE_FIGURES] = { rng_below(r, 600) / 100.0, 0, 0 };
	double copy[PROBE_FIGURES] = {
		link * speed(n, r, i, 1, 0.72, 0.88, 1),
		link * speed(n, r, i, 3, 0.72, 0.88, 1), NAN
	};
	double memory[PROBE_FIGURES] = {
		p->hbm * speed(n, r, i, 5, 0.84, 0.95, 1),
		p->hbm * speed(n, r, i, 7, 0.78, 0.90, 1), NAN
	};
	double gemm[PROBE_FIGURES] = { p->gemm * speed(n, r, i, 9, 0.5, 1, 5) };
	double none[PROBE_FIGURES] = { NAN, NAN, NAN };

	memset(g, 0, sizeof(*g));
	g->chosen = n->whole || rng_chance(r, 95);
	g->mig = VAL_KNOWN(n->facts.gpus.gpu[i].mig_mode) &&
		 n->facts.gpus.gpu[i].mig_mode.v > 0;
	g->sms = p->sms;
	g->cc = p->cc;
	g->hbm_peak_gbps = n->whole || rng_chance(r, 95) ? p->hbm : NAN;
	g->pcie_path_mt = rng_chance(r, 50) ? 64000 : 0;
	g->jit = rng_chance(r, 5);
	g->left_mib = rng_below(r, 3) - 1;
	node_measure(n, r, i, PROBE_context, start);
	if (n->pcie_trained || n->whole)
		node_measure(n, r, i, PROBE_pcie_bw, copy);
	node_measure(n, r, i, PROBE_membw, memory);
	node_measure(n, r, i, PROBE_gemm, gemm);
	node_measure(n, r, i, PROBE_peer, none);
	make_digests(g, g->gemm, r, n->whole);
	make_deep(n, r, i);
}

/* ---- pairs ------------------------------------------------------------------------ */

/* Cards on the same socket are near each other. */
static double over_pcie(const struct node *n, int i, int j)
{
	bool near = (node_fixed(n, (uint32_t)i, 40) < 0.5) ==
		    (node_fixed(n, (uint32_t)j, 40) < 0.5);

	return near ? 40 : 17;
}

static bool is_quad(int i, int j)
{
	return i / 4 == j / 4;
}

static double wire(const struct node *n, const struct part *p, int i, int j)
{
	enum wiring w = p->wiring;

	if (p->pci_id == A100_SXM && n->facts.gpus.count == 4 &&
	    node_fixed(n, p->pci_id, 41) < 0.5)
		w = WIRED_DIRECT;
	if (n->model[i] != n->model[j])
		return over_pcie(n, i, j);
	switch (w) {
	case WIRED_SWITCH:
		return p->nvlink * (0.76 + 0.1 * node_fixed(n, p->pci_id, 42));
	case WIRED_DIRECT:
		return p->nvlink / 3 * 0.85;
	case WIRED_BRIDGES:
		return i / 2 == j / 2 ? p->nvlink * 0.85 : over_pcie(n, i, j);
	case WIRED_MESH:
		if (is_quad(i, j))
			return (i ^ j) == 1 ? 48 : 24;
		return i % 4 == j % 4 ? 48 : 9;
	default:
		return over_pcie(n, i, j);
	}
}

static void make_pairs(const struct node *n, struct rng *r)
{
	struct probe_pairs *t = &n->probes->pairs;
	int count = n->facts.gpus.count;
	double rate;
	int i, j, s;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++) {
			rate = wire(n, part_of(n->model[i]), i, j);
			t->no_access[i][j] = !n->whole && rng_chance(r, 1);
			for (s = 0; s < PROBE_SHOTS; s++) {
				t->gbps[s][i][j] = rate * node_wobble(r, 0.5);
				t->corrupt[s][i][j] = false;
				if (i == j || (!n->whole && rng_chance(r, 1)))
					t->gbps[s][i][j] = NAN;
			}
		}
}

/* Each pair at most once, in one of its shots. */
static void disturb_pairs(const struct node *n, struct rng *r)
{
	struct probe_pairs *t = &n->probes->pairs;
	int i, j, s;

	for (i = 0; i < n->facts.gpus.count; i++)
		for (j = 0; j < i; j++) {
			if (!rng_chance(r, 1))
				continue;
			s = rng_below(r, 2);
			t->corrupt[s][i][j] = rng_chance(r, 20);
			t->gbps[s][i][j] *= rng_below(r, 100) / 100.0;
		}
}

void node_make_probes(struct node *n, struct rng *r)
{
	int i;

	n->probes = NULL;
	if (!n->whole && rng_chance(r, 40))
		return;
	n->probes = &probes;
	probes.ran = true;
	snprintf(probes.build_id, sizeof(probes.build_id), "%s",
		 rng_chance(r, 95) ? "0123456789ab" : "");
	for (i = 0; i < n->facts.gpus.count; i++)
		make_gpu(n, r, i);
	node_make_ports(n, r);
	make_pairs(n, r);
	make_nccl(n, r);
	make_storage(n, r);
	if (!n->whole)
		disturb_pairs(n, r);
}

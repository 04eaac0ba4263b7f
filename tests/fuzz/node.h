/* SPDX-License-Identifier: Apache-2.0
 * node - seeded random nodes, as healthy as nodes are: idle links, values that
 * a model or a driver does not offer, counters at any level, MIG, missing
 * files, unknown hardware, jobs of every shape.
 */
#ifndef ASSAY_FUZZ_NODE_H
#define ASSAY_FUZZ_NODE_H

#include "checks/check.h"
#include "lib/facts.h"

struct rng {
	uint64_t s;
};

uint64_t rng_next(struct rng *r);
int rng_below(struct rng *r, int n); /* 0 .. n-1 */
bool rng_chance(struct rng *r, int percent);
int64_t rng_counter(struct rng *r); /* any level, ends included */

/* What does not change from run to run on one machine, or checks that compare
 * with the last run would be right to complain. */
struct machine {
	int hcas, rate, slot;
	bool ib;
	bool virtual_hca[FACTS_HCAS_MAX];
	uint64_t speeds; /* seed of what its GPUs are worth */
};

struct node {
	struct facts facts;
	struct machine machine;
	enum context context;
	bool has_job, owned, expect_count, all_jobs;
	bool gpu_is_jobs[FACTS_GPUS_MAX];
	int installed; /* GPUs, whatever the facts show */
	int job_gpus;
	bool whole;
	/* What was measured, NULL: nothing; valid until the next is made. */
	struct facts_probes *probes;
	/* What the GPUs are, whatever the facts show. */
	uint32_t model[FACTS_GPUS_MAX];
	int pcie_gen[FACTS_GPUS_MAX], pcie_lanes[FACTS_GPUS_MAX];
	bool pcie_trained; /* to all the lanes that there are */
};

/* Another machine; what was remembered of the last one is void. */
void node_new_machine(struct node *n, struct rng *r, bool whole);

/* Make one, on the same machine. whole: nothing is hidden (every library
 * there, every value told, at least four equal GPUs), so that any fault can
 * be seen. */
void node_make(struct node *n, struct rng *r, bool whole);

/* Parts of it; used by node_make(). */
void node_make_gpus(struct node *n, struct rng *r, bool whole);
void node_make_rest(struct node *n, struct rng *r, bool whole);
void node_make_probes(struct node *n, struct rng *r);
/* Make a port of the i-th HCA one over a bond of two interfaces. */
void node_bond_port(struct ib_port *p, int i);

#endif

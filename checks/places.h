/* SPDX-License-Identifier: Apache-2.0
 * places - what is measured by itself, as its judges see it: a GPU, or a port
 * of an RDMA device. A place is a number: facts_probe.h.
 */
#ifndef ASSAY_PLACES_H
#define ASSAY_PLACES_H

#include <stdbool.h>

#include "checks/check.h"

#define PLACE_SIZE 64		/* of an id, and of a name */

bool place_is_port(int place);

/* The place behind i (-1: the first) of those that such a probe measures; -1
 * behind the last. */
int place_next(const struct facts *f, enum probe probe, int i);

#define PLACE_EACH(i, facts, probe) \
	for ((i) = place_next(facts, probe, -1); (i) >= 0; \
	     (i) = place_next(facts, probe, i))

/* What it is remembered by: "GPU-8a2f...", "mlx5_0:1"; "" a GPU without a UUID.
 * Returns buf, as the next one. */
const char *place_id(const struct facts *f, int place, char buf[PLACE_SIZE]);

/* What findings call it: "GPU3", "mlx5_0". */
const char *place_name(const struct facts *f, int place, char buf[PLACE_SIZE]);

/* Is it a finding about that place: by its GPU, or its subject? */
bool place_is_named(const struct facts *f, int place, const struct finding *x);

/* Of which a node has several, so that they are held against each other: GPUs
 * of one model; ports of equal boards, at one rate. */
bool place_equal(const struct facts *f, int a, int b);

/* Of a port. */
const struct hca *place_hca(const struct facts *f, int place);
const struct ib_port *place_port(const struct facts *f, int place);

/* Does what the site expects apply to it? It is about the model of the first
 * GPU; and about the ports of InfiniBand, if the node has any, else about all
 * that are not excluded. */
bool place_is_sites(const struct check_env *env, int place);

/* Add a finding about a place: result_add_gpu() for a GPU, result_add() with
 * its name for a port. */
struct finding *place_finding(struct check_result *r, enum status status,
			      const char *suffix, const struct check_env *env,
			      int place, const char *text, ...)
	__attribute__((format(printf, 6, 7)));

#endif

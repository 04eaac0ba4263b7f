/* SPDX-License-Identifier: Apache-2.0
 * snapshot - what the counters of a node say at one moment, as a document:
 * the difference of two is what a job did. Pure.
 *
 * {"time", "boot_id", "kmsg_seq",
 *  "gpus": {UUID: {"energy_mj", "held_power_ns", ...}},
 *  "ports": {"mlx5_0:1": {"symbol_error", ..., "rate_gbit"}}}
 *
 * A number that is not known is not there.
 */
#ifndef ASSAY_WATCH_SNAPSHOT_H
#define ASSAY_WATCH_SNAPSHOT_H

#include <jansson.h>

#include "lib/facts.h"

/* "mlx5_0:1" into buf. Returns buf. */
char *snapshot_port_name(const struct hca *h, const struct ib_port *p,
			 char buf[48]);

/* The members of one device (new reference); NULL on ENOMEM. */
json_t *snapshot_gpu(const struct gpu *g);
json_t *snapshot_port(const struct ib_port *p);

/* All of it (new reference); gpu: which of facts->gpus.gpu[] (NULL: all that
 * answered). NULL on ENOMEM. */
json_t *snapshot_of(const struct facts *f, const bool *gpu, int64_t now_s);

#endif

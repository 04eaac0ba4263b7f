/* SPDX-License-Identifier: Apache-2.0
 * rdma_each - what the judges of RDMA probes share: what a port could at most,
 * the counters that its own probe raised, and how it was measured.
 */
#ifndef ASSAY_RDMA_EACH_H
#define ASSAY_RDMA_EACH_H

#include "checks/check.h"
#include "checks/probe_rate.h"

/* How that place's shot was measured. */
const struct rdma_shot *rdma_shot_of(const struct check_env *env,
				     enum probe probe, int place, int shot);

/* GB/s of a port in one direction: its rate, or what the PCIe links on the way
 * to the CPU give as they are now, if that is less. NAN: those are not known,
 * as in a virtual machine or without hardware, or the device need not write to
 * itself as fast as to others. */
double rdma_port_gbps(const struct check_env *env, int place);

/* An error counter of the port that went up while it was measured: a finding
 * by itself, which the repeat has to confirm. What congestion raises is none. */
void rdma_raised_judge(const struct check_env *env, enum probe probe,
		       struct check_result *r);
bool rdma_raised_doubt(const struct check_env *env, enum probe probe,
		       int place);

/* For rate_rule.others: what a file system's client, say, moved through the
 * port meanwhile. */
double rdma_others_gbps(const struct rates *l, int place, int shot);

/* For rate_rule.report: of messages, pairs of queues, addresses, CPU time,
 * and counters raised. */
void rdma_report(const struct rates *l, int place, int shot, json_t *obj);

#endif

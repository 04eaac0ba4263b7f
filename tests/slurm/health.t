#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# assay health as HealthCheckProgram: finds what no job met, resumes what
# assay drained once it tests good again, and nothing else.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=4
CLUSTER_POLICY='resume_passes = 2
resume_min_s = 1'
CLUSTER_HEALTH=${CLUSTER_PROLOG%/*}/assay-health
[ -x "$CLUSTER_HEALTH" ] || skip_all "assay-health is not installed"
CLUSTER_HEALTH_S=2
suite_up

ok "healthy nodes stay" nodes_free
hw_set n1 '.nvml.gpus[2].GetFieldValues["230"] = 1'
ok "a sick idle node is drained" wait_drained n1 20
like "with our reason" "$(node_reason n1)" '^assay:gpu_recovery GPU2'

# n2: met by a job, repaired, resumed
hw_set n2 '.nvml.gpus[5].GetFieldValues["230"] = 1'
ok "another one too" wait_drained n2 20
hw_new n2
ok "it is resumed after it was repaired" wait_until 40 node_free n2
ok "the sick one is not" node_drained n1

# whose action needs a hand: never by itself
remap_failed n3 1
ok "a fault for the service" wait_drained n3 20
hw_new n3
scontrol update nodename=n4 state=drain reason="lent to a friend"
sleep 10
ok "is not resumed by assay, though it tests good" node_drained n3
is "an admin's drain is kept" "$(node_reason n4)" "lent to a friend"
ok "still" node_drained n4
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# slurmd is restarted while a job runs, and while its gate is at work.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=2
_registered() { [[ $(node_state "$1") =~ ^(IDLE|ALLOCATED|MIXED)$ ]]; }
suite_up

job=$(whole -w n1 --wrap 'sleep 8; hostname')
ok "a job runs" wait_job "$job" RUNNING
ok "its gate is through" through_gate n1 "$job"
slurmd_stop n1
slurmd_start n1
ok "slurmd is back" wait_until 20 _registered n1
ok "the job ends well" wait_job "$job" COMPLETED 40
is "it was not disturbed" "$(cat "$LAB/out/$job.out")" n1
is "nothing is drained" "$(drained_nodes)" ""

hold=$(exec_check hold 'touch "$LAB/held.$NODE"' 'sleep 2')
conf_new n2 "[exec hold]
command = $hold
timeout_ms = 3000"
job=$(whole -w n2 --wrap true)
ok "a gate is at work" wait_until 15 test -e "$LAB/held.n2"
slurmd_stop n2
slurmd_start n2
conf_new n2
ok "slurmd is back" wait_until 30 _registered n2
ok "the job ends one way or the other" \
	wait_job "$job" COMPLETED,PENDING,CANCELLED,FAILED,NODE_FAIL 60
unlike "assay drained nothing" "$(node_reason n2)" '^assay:'
timeout 5 scancel "$job" 2> "$SAID"
suite_end

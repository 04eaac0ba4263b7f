#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Without nohold_on_prolog_fail Slurm holds a batch job that met a sick node;
# requeue = once takes care of that.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=3
CLUSTER_SCHED=
suite_up

remap_failed n1 0
job=$(whole -N1 -w n1 --wrap true)
ok "a sick node is drained" wait_drained n1
ok "the job is pending" wait_job "$job" PENDING
ok "and held" wait_reason "$job" launch_failed_requeued_held
is "with priority 0" "$(job_field "$job" Priority)" 0
scancel "$job"

for n in n2 n3; do
	conf_new $n
	sed -i 's/^mode = .*/&\nrequeue = once/' "$LAB/nodes/$n/etc/assay.conf"
done
remap_failed n2 3
job=$(whole -N1 --wrap 'srun hostname')
ok "with requeue = once too the node drains" wait_drained n2
like "with our reason" "$(node_reason n2)" "^assay:gpu_remap GPU3 .*job $job"
ok "the job is pending" wait_job "$job" PENDING
ok "and not held" wait_reason "$job" BeginTime
start_now "$job"
ok "it finishes elsewhere" wait_job "$job" COMPLETED
is "on the healthy node" "$(cat "$LAB/out/$job.out")" n3
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The gate: a healthy job runs, a sick node is drained with our reason and the
# job finishes elsewhere; and what else may happen to a job and its node.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=4
CLUSTER_POLICY='notify = yes'
suite_up

job=$(whole -N2 --wrap 'srun hostname')
ok "a healthy job runs" wait_job "$job" COMPLETED
is "where it was sent" "$(sort "$LAB/out/$job.out" | tr '\n' ' ')" "n1 n2 "
is "its verdict is run" "$(action n2 "$job")" run
is "in enforce mode" "$(verdict n2 "$job" .mode)" enforce
is "no node is drained" "$(drained_nodes)" ""

remap_failed n2 5
job=$(whole -N2 --wrap 'srun hostname')
ok "a sick node is drained" wait_drained n2
like "with exactly our reason" "$(node_reason n2)" \
	"^assay:gpu_remap GPU5 .*\\[service\\] job $job"
is "and no other node" "$(drained_nodes)" "n2 "
ok "the job is pending" wait_job "$job" PENDING
ok "and not held" wait_reason "$job" BeginTime
start_now "$job"
ok "it finishes elsewhere" wait_job "$job" COMPLETED
like "on healthy nodes, and its output is its own" \
	"$(tr '\n' ' ' < "$LAB/out/$job.out")" '^n[134] n[134] $'
is "restarted once" "$(job_field "$job" Restarts)" 1
is "the verdict says drain" "$(action n2 "$job")" drain
is "and names the check" "$(checked n2 "$job" gpu_remap)" FAIL

# interactive users are told
remap_failed n3 2
as_user timeout 40 srun -N1 -w n3 --exclusive --gres=gpu:8 true \
	> "$LAB/out/srun" 2>&1
rc=$?
ok "srun on a sick node fails" test $rc != 0
like "srun's user is told why" "$(cat "$LAB/out/srun")" 'assay:gpu_remap GPU2'
like "its node drains with our reason" "$(node_reason n3)" '^assay:gpu_remap GPU2'
remap_failed n4 1
as_user timeout 40 salloc -N1 -w n4 --exclusive --gres=gpu:8 true \
	> "$LAB/out/salloc" 2>&1
rc=$?
ok "salloc on a sick node fails" test $rc != 0
like "salloc's user is told why" "$(cat "$LAB/out/salloc")" 'assay:gpu_remap GPU1'

# the same evidence does not drain twice
resume n4
job=$(whole -w n4 --wrap true)
ok "a node resumed by hand runs with a known fault" wait_job "$job" COMPLETED
is "which is a warning now" "$(checked n4 "$job" gpu_remap)" WARN
ok "n4 is not drained again" node_free n4

# drain-after: the job runs, the node drains behind it
pcie_narrow n1 6
job=$(whole -w n1 --wrap 'sleep 3; hostname')
ok "a job meets a fault of the milder kind" wait_job "$job" RUNNING
ok "its node drains behind it" wait_drained n1
like "with our reason" "$(node_reason n1)" '^assay:gpu_pcie GPU6'
ok "the job runs to its end" wait_job "$job" COMPLETED
is "there" "$(cat "$LAB/out/$job.out")" n1
is "the verdict says drain-after" "$(action n1 "$job")" drain-after
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every way in which Slurm runs a Prolog: none, Alloc, Contain, DeferBatch.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=3

for flags in "" Alloc Alloc,Contain Alloc,DeferBatch; do
	CLUSTER_FLAGS=$flags
	t="PrologFlags=${flags:-none}"
	if [ -z "${LAB:-}" ]; then suite_up; else suite_again; fi
	job=$(whole -N2 --wrap 'srun hostname')
	ok "$t: a healthy job runs" wait_job "$job" COMPLETED
	is "$t: on both nodes" \
		"$(sort "$LAB/out/$job.out" | tr '\n' ' ')" "n1 n2 "
	remap_failed n1 5
	job=$(whole -N2 --wrap 'srun hostname')
	ok "$t: a sick node is drained" wait_drained n1
	like "$t: with our reason" "$(node_reason n1)" \
		"^assay:gpu_remap GPU5 .*job $job"
	start_now "$job"
	ok "$t: the job finishes elsewhere" wait_job "$job" COMPLETED
	unlike "$t: not on the sick node" \
		"$(cat "$LAB/out/$job.out")" n1
	is "$t: and drains nothing else" "$(drained_nodes)" "n1 "
done
suite_end

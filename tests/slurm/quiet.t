#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The healthy path: no call to Slurm, no program started, nothing printed.
. "${0%/*}/lib.sh"
suite_assay
command -v strace > /dev/null || skip_all "strace is not installed"
CLUSTER_NODES=1
suite_up

# A short job: one that is sampled leaves the sampler behind (watch.t), which
# strace would wait for.
now=$(date +%s)
facts="SLURM_JOB_START_TIME=$now SLURM_JOB_END_TIME=$((now + 300))
	SLURM_JOB_ID=77 SLURM_JOB_UID=65534 SLURM_JOB_GID=65534
	SLURM_JOB_USER=nobody SLURM_JOB_NUM_NODES=1 SLURM_NODELIST=n1
	SLURM_JOB_PARTITION=lab SLURM_JOB_RESTART_COUNT=0
	SLURM_JOB_GPUS=0,1,2,3,4,5,6,7 CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7"
trace() {	# CONTEXT PROGRAM
	# shellcheck disable=SC2086
	cluster_on n1 env SLURM_SCRIPT_CONTEXT=$1 $facts \
		strace -f -qq -o "$LAB/trace" -e trace=execve,connect,clone \
		"$2" > "$LAB/said" 2> "$LAB/errors"
}
if ! cluster_on n1 strace -o /dev/null true 2> /dev/null; then
	skip "strace" "it may not trace here"
	suite_end
fi
execs() { grep -c 'execve(' "$LAB/trace"; }
connects() { grep 'connect(' "$LAB/trace" | grep -vc /dev/log; }

trace prolog_slurmd "$CLUSTER_PROLOG"
is "the gate lets a healthy node pass" $? 0
is "it starts no program" "$(execs)" 1
is "it calls nobody" "$(connects)" 0
is "it prints nothing" "$(cat "$LAB/said")" ""
if [ -n "$CLUSTER_EPILOG" ]; then
	trace epilog_slurmd "$CLUSTER_EPILOG"
	is "so does the epilog" $? 0
	is "it starts no program" "$(execs)" 1
	is "it calls nobody" "$(connects)" 0
	is "it prints nothing" "$(cat "$LAB/said")" ""
fi
suite_end

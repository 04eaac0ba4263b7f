#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Epilog: the same checks again, new faults drain and name the job that
# met them; it may run twice, and cleans up.
. "${0%/*}/lib.sh"
suite_assay
[ -n "$CLUSTER_EPILOG" ] || skip_all "assay-epilog is not installed"
CLUSTER_NODES=3
suite_up

job=$(whole -w n1 --wrap 'sleep 2')
ok "a healthy job" wait_job "$job" COMPLETED
ok "leaves its node free" wait_until 15 node_free n1
ok "and is over for assay" test -e "$LAB/nodes/n1/var/run/$job/ended"

# a GPU breaks while the job runs
job=$(whole -w n2 --wrap 'sleep 3')
ok "a job runs" wait_job "$job" RUNNING
ok "its node was well" through_gate n2 "$job"
remap_failed n2 3
hw_kmsg n2 "NVRM: Xid (PCI:$(gpu_pci n2 3)): 64, pid='<unknown>', name=<unknown>, Row Remapper: Failed"
ok "it ends well" wait_job "$job" COMPLETED
ok "its node drains behind it" wait_drained n2
like "naming the device and the job" "$(node_reason n2)" \
	"^assay:(kmsg_xid|gpu_remap) GPU3 .*job $job"

# twice, after a crash, without a Prolog
for i in 1 2; do
	cluster_on n3 env SLURM_SCRIPT_CONTEXT=epilog_slurmd SLURM_JOB_ID=99 \
		SLURM_JOB_UID=65534 SLURM_JOB_USER=nobody \
		SLURM_JOB_NUM_NODES=1 SLURM_NODELIST=n3 SLURM_JOB_GPUS=0 \
		"$CLUSTER_EPILOG" > "$SAID" 2>&1
	is "run by itself, time $i" $? 0
done
is "it drains nothing" "$(node_state n3)" IDLE
suite_end

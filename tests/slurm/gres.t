#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SLURM_JOB_GPUS counts places in the node's list, not device numbers: with a
# gap in gres.conf place 3 is /dev/nvidia4. And shards of a GPU.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=2
CLUSTER_GRES=gpu:h100:7
CLUSTER_GPUS=0-2,4-7
suite_up

# the device behind the gap that Slurm does not give away
remap_failed n1 3
job=$(submit -w n1 --exclusive --gres=gpu:7 --wrap true)
ok "a broken GPU that Slurm does not give away: the job runs" \
	wait_job "$job" COMPLETED
is "the node stays" "$(node_state n1)" IDLE
is "it is mentioned" "$(checked n1 "$job" gpu_remap)" WARN

# place 3 is device 4
remap_failed n2 4
job=$(submit -w n2 --gres=gpu:3 --wrap 'sleep 4')
ok "places 0-2 are devices 0-2: the job runs" wait_job "$job" RUNNING
next=$(submit -w n2 --gres=gpu:1 --wrap true)
ok "place 3 is device 4: the node drains" wait_drained n2
like "naming nvidia-smi's GPU4" "$(node_reason n2)" '^assay:gpu_remap GPU4'
ok "the other job is left in peace" wait_job "$job" COMPLETED
scancel "$next"

CLUSTER_GRES_TYPES=gpu,shard
CLUSTER_GRES=gpu:h100:8,shard:32
CLUSTER_GRES_CONF='NodeName=n[1-2] Name=gpu Type=h100 File=@DEV@/nvidia[0-7]
NodeName=n[1-2] Name=shard Count=32'
suite_again
a=$(submit -w n1 -c1 --gres=shard:1 --wrap 'sleep 2')
b=$(submit -w n1 -c1 --gres=shard:1 --wrap 'sleep 2')
ok "two jobs share a GPU" wait_job "$a" COMPLETED
ok "and both run" wait_job "$b" COMPLETED
is "nothing drained" "$(drained_nodes)" ""
remap_failed n2 0
job=$(submit -w n2 -c1 --gres=shard:1 --wrap true)
ok "a shard of a broken GPU drains" wait_drained n2
like "by its name" "$(node_reason n2)" '^assay:gpu_remap GPU0'
scancel "$job"
suite_end

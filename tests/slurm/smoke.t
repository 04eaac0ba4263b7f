#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The harness itself, without assay: the facts of Slurm that the other suites
# build on, with a Prolog of two lines in place of the gate.
. "${0%/*}/lib.sh"

PROLOG=$(mktemp /tmp/assay-smoke.XXXXXX)
cat > "$PROLOG" <<'P'
#!/bin/bash
LAB=${SLURM_CONF%/etc/slurm.conf}
{ hostname; env | sort; } > "$LAB/var/run/env.$SLURM_JOB_ID"
[ -e "$LAB/hw/sick" ] || exit 0
PATH=/usr/bin:/bin
scontrol update nodename="$SLURMD_NODENAME" state=drain reason="assay:smoke $(cat "$LAB/hw/sick")"
scontrol notify "$SLURM_JOB_ID" "this node is sick"
exit 1
P
chmod 755 "$PROLOG"

CLUSTER_PROLOG=$PROLOG
ON_END='rm -f "$PROLOG"'
suite_up

job=$(submit -N2 --exclusive --gres=gpu:8 --wrap 'srun hostname')
ok "a job over two nodes completes" wait_job "$job" COMPLETED
is "each node has its name" "$(sort "$LAB/out/$job.out" | tr '\n' ' ')" "n1 n2 "
is "and a Prolog that ran there" \
	"$(head -qn 1 "$LAB"/nodes/n[12]/var/run/env."$job" | tr '\n' ' ')" "n1 n2 "
like "the Prolog is told the GPUs" \
	"$(cat "$LAB/nodes/n1/var/run/env.$job")" 'SLURM_JOB_GPUS=0,1,2,3,4,5,6,7'

ok "all nodes are free again" wait_until 10 nodes_free
echo "GPU5 broke" > "$LAB/nodes/n2/hw/sick"
job=$(submit -N2 --exclusive --wrap 'srun hostname')
ok "a sick node drains" wait_drained n2
is "with the reason that its Prolog gave" "$(node_reason n2)" \
	"assay:smoke GPU5 broke"
is "its neighbour does not" "$(drained_nodes)" "n2 "
ok "the job waits" wait_job "$job" PENDING
ok "not held" wait_reason "$job" BeginTime
is "restarted once" "$(job_field "$job" Restarts)" 1
start_now "$job"
ok "and completes elsewhere" wait_job "$job" COMPLETED
unlike "not on the sick node" "$(cat "$LAB/out/$job.out")" n2

as_user timeout 30 srun -N1 -w n2 true > "$LAB/out/srun" 2>&1 &
pid=$!
rm "$LAB/nodes/n2/hw/sick"
resume n2
ok "srun waits for the node to be resumed" wait "$pid"
echo "GPU6 broke" > "$LAB/nodes/n2/hw/sick"
as_user timeout 30 srun -N1 -w n2 true > "$LAB/out/srun" 2>&1
rc=$?
ok "srun on a sick node fails" test "$rc" != 0
like "and its user is told" "$(cat "$LAB/out/srun")" 'this node is sick'

is "a command on a node sees the node" "$(cluster_on n3 hostname)" n3
pid=$(_pid slurmd.n3)
slurmd_stop n3
slurmd_start n3
ok "slurmd can be restarted" wait_until 30 node_free n3
ok "as another process" test "$pid" != "$(_pid slurmd.n3)"
suite_end

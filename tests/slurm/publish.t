#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What jobs did, in a real accounting: slurmctld calls the publisher as its
# EpilogSlurmctld, which writes by sacctmgr into slurmdbd and MariaDB. Nodes'
# records are laid down by the Epilog. A job has to run a minute to be told of.
. "${0%/*}/lib.sh"
suite_assay
why=$(accounting_can) || skip_all "$why"

CLUSTER_NODES=2
CLUSTER_ACCOUNTING=yes
LONG=61
LONGER=69

. "${0%/*}/publisher.sh"
CLUSTER_PROLOG=
CLUSTER_EPILOG=$CTL/epilog

# A node's record of a job, as the Epilog leaves it. Of a run that is requeued
# RESTART_COUNT tells an Epilog the number of the next one.
program epilog <<'P'
[ ! -e "$CTL/mute.$SLURMD_NODENAME.$SLURM_JOB_ID" ] || exit 0
start=$(cat "$CTL/begun/$SLURM_JOB_ID")
restart=0
while [ -e "$CTL/shared/jobs/$SLURM_JOB_ID.$restart/$SLURMD_NODENAME.json" ]; do
	restart=$((restart + 1))
done
d=$CTL/shared/jobs/$SLURM_JOB_ID.$restart
mkdir -p "$d"
jq -n --arg node "$SLURMD_NODENAME" --argjson job "$SLURM_JOB_ID" \
	--argjson restart "$restart" --argjson start "$start" \
	--argjson nodes "$SLURM_JOB_NUM_NODES" \
	--argjson gpus "$(tr , '\n' <<< "$SLURM_JOB_GPUS" | wc -l)" \
	--argjson till "$(date +%s)" '
{schema: "assay.job/1", kind: "node",
 job: {id: $job, restart: $restart, node: $node, nodes: $nodes,
  start: $start, "end": $till, elapsed_s: ($till - $start), state: "completed"},
 nodes: {expected: $nodes, reported: 1, missing: []},
 gpus: {allocated: $gpus, used: 1},
 node: [{node: $node, state: "completed", watch: "whole", start: $start,
  "end": $till, cpu_seconds: ($till - $start), cores_alloc: 2,
  mem_peak_bytes: 1073741824, mem_limit_bytes: 4294967296}],
 gpu: [range($gpus) | {node: $node, index: ., minor: ., used: (. == 0),
  uuid: "GPU-\($node)-\(.)", busy_pct: (if . == 0 then 87.46 else 0 end),
  mem_peak_bytes: 40000000000, mem_total_bytes: 80000000000,
  energy_j: 12345}]}' > "$d/.new" &&
	chown -R daemon: "$d" && mv "$d/.new" "$d/$SLURMD_NODENAME.json"
exit 0
P

# What it was called for, and when.
program sacctmgr <<P
date +%s%3N >> "$CTL/times"
echo "\$*" | cut -c 1-120 >> "$CTL/calls"
exec "$SACCTMGR" "\$@"
P

conf_here() {	# SACCTMGR
	conf_publish "$1" "$CTL/shared" daemon
	printf 'publish_rate = 60\npublish_wait_s = 4\n'
}
mkdir -p "$CTL/shared/jobs" "$CTL/begun"
chmod 1777 "$CTL/begun"
chown -R daemon: "$CTL/shared"
suite_up
conf_here "$CTL/sacctmgr" > "$CTL/assay.conf"

queued() { ls "$CTL/spool/publish" | grep -cE '^[0-9]+$'; }
queue_is() { [ "$(queued)" = "$1" ]; }
raw() { timeout 10 sacct -nPX -j "$1" -o JobIDRaw; }
job() {	# SECONDS SBATCH-ARGUMENTS...
	submit --mem=1G "${@:2}" \
		--wrap "date +%s > $CTL/begun/\$SLURM_JOB_ID; sleep $1"
}
small() { job "$1" -n 1 --gres=gpu:1 "${@:2}"; }
commented() {	# JOB... : all of them
	local j
	for j; do has_comment "$j" || return 1; done
}

# ---- all at once, a minute each -------------------------------------------

wide=$(job $LONG -N 2 --ntasks-per-node=1 --gres=gpu:2)
array=$(small $LONG --array=1-2)
foreign=$(small $LONG)
again=$(small $LONGER --requeue -w n1)
short=$(job 1)
ok "jobs run" wait_job "$wide" RUNNING
ok "somebody writes a comment" wait_job "$foreign" RUNNING
timeout 10 scontrol update jobid="$foreign" admincomment='ticket 4711'
ok "one is requeued" wait_until 20 test -e "$CTL/begun/$again"
timeout 10 scontrol requeue "$again"
start_now "$again"
five=()
for i in 1 2 3 4 5; do five+=("$(small $LONGER)"); done
touch "$CTL/mute.n2.$wide"
ok "the requeued one runs again" wait_job "$again" RUNNING

ok "the wide one ends" wait_job "$wide" COMPLETED 90
ok "it gets its comment" wait_until 20 has_comment "$wide"
is "which is of the nodes that told" "$(told "$wide" '.nodes | keys')" '["n1"]'
is "with GPUs by their minor numbers" \
	"$(told "$wide" '.nodes.n1.gpu_utilization == {"0": 87.5, "1": 0}')" \
	true
is "CPUs" "$(told "$wide" .nodes.n1.cpus)" 2
is "as many GPUs as Slurm gave it" "$(told "$wide" .gpus)" 4
is "who did not tell is named" "$(told "$wide" .assay.nodes.missing)" '["n2"]'
ok "and the time that Slurm counted" [ "$(told "$wide" .total_time)" = \
	"$(timeout 10 sacct -nPX -j "$wide" -o ElapsedRaw)" ]

ok "tasks of the array get theirs" wait_until 20 commented \
	"${array}_1" "${array}_2"
for i in 1 2; do
	is "its own, task $i" "$(told "${array}_$i" .assay.job.id)" \
		"$(raw "${array}_$i")"
done
is "what somebody else wrote stays" "$(comment "$foreign")" 'ticket 4711'
is "a short job has none" "$(comment "$short")" ''

# ---- the accounting is away -----------------------------------------------

slurmdbd_stop
ok "five jobs end" wait_job "${five[4]}" COMPLETED 60
ok "and the requeued one" wait_job "$again" COMPLETED 60
ok "they wait in the queue" wait_until 10 queue_is 6
calls=$(wc -l < "$CTL/calls")
ok "slurmdbd is back" slurmdbd_start
ok "they get their comments" wait_until 60 commented "${five[@]}" "$again"
ok "none waits any more" wait_until 20 queue_is 0
is "the requeued job's is of its second run" \
	"$(told "$again" .assay.job.restart)" 1
is "its first run has none" "$(timeout 10 sacct -nPXD -j "$again" \
	-o State,AdminComment | sed -n 's/^REQUEUED|//p')" ''
is "each was written once" $(($(wc -l < "$CTL/calls") - calls)) 6
took=$(tail -n 6 "$CTL/times" | awk 'NR == 1 { first = $1 }
	END { print $1 - first }')
ok "one a second (all in $took ms)" [ "$took" -ge 4000 ]
is "always with the cluster" "$(grep -vc ' cluster=lab set ' "$CTL/calls")" 0

# ---- this release's own sacctmgr --------------------------------------------

timeout 10 sacctmgr -i update job where jobid="$wide" set AdminComment= \
	> /dev/null
conf_here "$(command -v sacctmgr)" > "$CTL/plain.conf"
"$ASSAY" --config "$CTL/plain.conf" publish "$wide" > "$CTL/said" 2>&1
rc=$?
if [ "$(cluster_version)" = 2205 ]; then
	is "sacctmgr of 22.05 is not trusted with a comment" $rc 1
	like "as is said" "$(cat "$CTL/said")" 'no capital letters'
	is "and nothing of it stays" "$(comment "$wide")" ''
else
	is "sacctmgr writes" $rc 0
	ok "a whole comment" has_comment "$wide"
fi
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The sampler under a real Slurm: it comes with the first job of a node and
# goes with the last, before the Epilog asks the driver; restarts of slurmd,
# kills and a driver that hangs do not change that.
. "${0%/*}/lib.sh"
suite_assay
[ -n "$CLUSTER_EPILOG" ] || skip_all "assay-epilog is not installed"
CLUSTER_NODES=2
CLUSTER_ASSAY='[watch]
interval_s = 1
[report]
block_after_s = 0'
suite_up

# Samplers of NODE: by the mounts they live in and the program they are, but
# not their children.
samplers() {	# NODE
	local p parent
	for p in $(cluster_leftovers); do
		[[ $(readlink "/proc/$p/exe") == */assay-watch ]] || continue
		grep -qs "/nodes/$1/var/run " "/proc/$p/mountinfo" || continue
		parent=$(sed -E 's/.*\) . ([0-9]+) .*/\1/' "/proc/$p/stat")
		[[ $(readlink "/proc/$parent/exe") == */assay-watch ]] ||
			echo "$p"
	done 2> /dev/null
}
node_up() { [[ $(node_state "$1") != *[*]* ]]; }
one_sampler() { [ "$(samplers "$1" | wc -l)" = 1 ]; }
no_sampler() { [ -z "$(samplers "$1")" ]; }
state() { jq -r "$2" "$LAB/nodes/$1/var/run/watch/state.json" 2> /dev/null; }
sampled() { [ "$(state "$1" .samples)" -ge "$2" ]; }	# NODE N
record() {	# NODE JOB JQ : of the spool
	jq -r "$3" "$LAB/nodes/$1/var/spool/$2".*.json 2> /dev/null
}
recorded() { [ -n "$(record "$@" .schema)" ]; }
seconds_of() {	# COMMAND... : how long it took, in ms
	local t=${EPOCHREALTIME/[.,]/}
	"$@" > /dev/null 2>&1
	echo $(( (${EPOCHREALTIME/[.,]/} - t) / 1000 ))
}

# ---- one job, from its Prolog to its Epilog

job=$(whole -w n1 --wrap 'sleep 8')
ok "a job runs" wait_job "$job" RUNNING
ok "with one sampler" wait_until 5 one_sampler n1
ok "and none on the other node" no_sampler n2
ok "it samples" wait_until 10 sampled n1 3
ok "the running job has a record" \
	wait_until 10 test -s "$LAB/nodes/n1/var/run/$job/record.json"
is "which is root's" "$(stat -c %a "$LAB/nodes/n1/var/run/$job/record.json")" 600
# The mode of a file with an access list shows its mask.
is "so is its owner's copy" \
	"$(stat -c '%a %u' "$LAB/nodes/n1/var/run/$job/user.json")" "440 0"
is "which the owner may read" \
	"$(cluster_on n1 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$ASSAY" report "$job" --json 2>&1 | jq -r .job.id)" "$job"
ok "it ends well" wait_job "$job" COMPLETED
ok "the sampler is gone with it" wait_until 10 no_sampler n1
ok "the record stays" wait_until 10 recorded n1 "$job"
is "of a job that was seen whole" "$(record n1 "$job" .watch.state)" whole
is "and completed" "$(record n1 "$job" .job.state)" completed
is "on eight GPUs" "$(record n1 "$job" '.gpu | length')" 8
ok "nothing is left for the Prolog's pipe to wait for" node_free n1

# ---- two jobs on a node

half() { submit -n 1 -c 8 --gres=gpu:4 -w n1 "$@"; }
a=$(half --wrap 'sleep 6')
b=$(half --wrap 'sleep 30')
ok "two jobs share a node" eval 'wait_job "$a" RUNNING && wait_job "$b" RUNNING'
ok "and a sampler" wait_until 5 one_sampler n1
pid=$(samplers n1)
ok "one of them ends" wait_job "$a" COMPLETED
ok "its Epilog has run" wait_until 10 test -e "$LAB/nodes/n1/var/run/$a/ended"
is "the sampler stays for the other" "$(samplers n1)" "$pid"

# ---- slurmd is restarted under it

slurmd_stop n1
ok "slurmd goes, the sampler stays" kill -0 "$pid"
n=$(state n1 .samples)
slurmd_start n1
ok "slurmd comes back" wait_until 30 node_up n1
ok "the sampler goes on" wait_until 10 sampled n1 $((n + 2))
is "and is the same" "$(samplers n1)" "$pid"

# ---- killed, and the job goes on

kill -KILL "$pid"
ok "killed, nothing of it is left" wait_until 10 no_sampler n1
sleep 6
c=$(half --wrap 'sleep 4')
ok "the next job starts" wait_job "$c" RUNNING
ok "another one, for both" wait_until 5 one_sampler n1
ok "which samples the older job's GPUs, too" \
	wait_until 10 eval '[ "$(state n1 ".snapshot.gpus | length")" = 8 ]'
ok "the younger ends" wait_job "$c" COMPLETED
timeout 10 scancel "$b"
ok "the older is cancelled" wait_job "$b" CANCELLED
ok "the sampler ends with the last" wait_until 10 no_sampler n1
ok "the older has its record" wait_until 10 recorded n1 "$b"
like "which says that it was not seen whole" \
	"$(record n1 "$b" .watch.state)" '^(late|ended)$'

# ---- gone before the Epilog's driver calls

hw_set n2 '.nvml.Init_v2 = {hang_ms: 0}'
job=$(whole -w n2 --wrap 'sleep 6')
ok "a job on the other node" wait_job "$job" RUNNING
ok "is sampled" wait_until 10 sampled n2 2
# From now on each init of the library takes a while: the Epilog's will.
hw_set n2 '.nvml.Init_v2 = {hang_ms: 1500} | .nvml.InitWithFlags = {hang_ms: 1500}'
epilog_asks() {
	local p
	for p in $(cluster_leftovers); do
		[[ $(readlink "/proc/$p/exe") == */assay-epilog ]] &&
			grep -qs libnvidia-ml "/proc/$p/maps" && return 0
	done
	return 1
}
ok "its Epilog asks the driver" wait_until 20 epilog_asks
ok "when the sampler has gone" no_sampler n2
ok "and comes to its end" wait_until 20 node_free n2
hw_new n2

# ---- a driver that hangs

job=$(whole -w n2 --wrap 'sleep 120')
ok "a job on a good node" wait_job "$job" RUNNING
ok "is sampled" wait_until 10 sampled n2 2
hw_set n2 '.nvml.gpus[3].GetPowerUsage = {hang_ms: -1} | .deaf = true'
kill_child() {
	local pid
	pid=$(samplers n2)
	kill -KILL $(awk '{ print $1 }' "/proc/$pid/task/$pid/children")
}
ok "its driver's child is started again" wait_until 10 kill_child
driver_is() { [ "$(state n2 .driver)" = "$1" ]; }
ok "and hangs in a call" wait_until 60 driver_is stuck
like "which is named" "$(state n2 .driver_why)" GetPowerUsage
n=$(state n2 .samples)
ok "the rounds go on without it" wait_until 10 sampled n2 $((n + 3))
like "the next gate knows of it" \
	"$(jq -r '.[0].call' "$LAB/nodes/n2/var/run/stuck.json")" GetPowerUsage
pid=$(samplers n2)
timeout 10 scancel "$job"
ok "the sampler ends all the same" wait_until 20 _gone "$pid"
# What is in the driver is left there; here it can be ended.
for p in $(cluster_leftovers); do
	[[ $(readlink "/proc/$p/exe") == */assay-watch ]] && kill -KILL "$p"
done 2> /dev/null

# ---- requeued: another run of the same job

hw_new n2
resume n2 2> /dev/null
job=$(whole -w n1 --requeue --wrap 'sleep 5')
ok "a job runs" wait_job "$job" RUNNING
ok "is sampled" wait_until 10 sampled n1 1
ok "is requeued" timeout 10 scontrol requeue "$job"
start_now "$job"
ok "runs again" wait_job "$job" COMPLETED 60
two_records() {  [ "$(ls "$LAB"/nodes/n1/var/spool/"$job".*.json | wc -l)" = 2 ]; }
ok "and has a record of each run" wait_until 10 two_records

# ---- what the Prolog takes

ok "a job takes no longer than it did" \
	test "$(seconds_of as_user srun -w n1 --exclusive --gres=gpu:8 true)" -lt 5000
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A node as a site has it: slurmd under systemd, jobs in cgroups (v2), devices
# fenced off. What assay reads of the cgroup tree is what is there; the gate is
# outside of it and sees all devices; nothing of assay's is left in it.
. "${0%/*}/lib.sh"
programs
jq '.nvml.gpus |= .[:2] | .cuda.gpus |= .[:2]' \
	/share/src/tests/fixtures/scenarios/h100x8-active.json > "$HW/scenario.json"

# What of the node's cgroups assay sees, with run directories that tell nothing.
mkdir -m 755 /opt/empty
printf '[paths]\nrun = /opt/empty\nstate = /opt/empty/state\n' > /opt/look.conf
looked() {	# WORD : jobs, steps or room_mib
	/opt/look /opt/look.conf | tr ' ' '\n' | grep -A 1 -x "$1" | tail -n 1
}

is "no job, none seen" "$(looked jobs)" 0
is "nor a step" "$(looked steps)" 0
a=$(submit -c1 --wrap 'sleep 300')
wait_job "$a" RUNNING
wait_until 20 test -d /sys/fs/cgroup/system.slice/*slurmstepd.scope/job_$a
is "a job is seen in the cgroups" "$(looked jobs)" 1
ok "and its steps" test "$(looked steps)" -ge 1
scancel "$a"
wait_job "$a" CANCELLED
wait_until 20 node_free "$NODE"
is "it is over: not seen any more" "$(looked jobs)" 0
is "nor are steps" "$(looked steps)" 0
suite_end

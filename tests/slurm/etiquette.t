#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What assay never does: drain while it only observes, touch what an admin has
# marked, or act for a job that is exempt.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=4
suite_up

CLUSTER_MODE=observe conf_new n1
remap_failed n1 5
job=$(whole -w n1 --wrap true)
ok "observe: the job runs" wait_job "$job" COMPLETED
is "observe: the node is left alone" "$(node_state n1)" IDLE
is "observe: nothing was done" "$(action n1 "$job")" run
is "observe: what would have been" \
	"$(verdict n1 "$job" .verdict.would)" drain

# an admin is faster than we are: the gate still waits for a site's check when
# he drains the node
admin=$(exec_check admin \
	'scontrol update nodename=$NODE state=drain reason="fan 3 is loud"')
conf_new n2 "[exec admin]
command = $admin
timeout_ms = 3000"
remap_failed n2 5
job=$(whole -w n2 --wrap true)
ok "the job is refused" wait_job "$job" PENDING,CANCELLED
sleep 2
is "an admin's reason is kept" "$(node_reason n2)" "fan 3 is loud"
ok "and his drain" node_drained n2
is "the verdict says refuse" "$(action n2 "$job")" refuse
scancel "$job"

remap_failed n3 5
scontrol create reservation reservationname=fix starttime=now duration=10 \
	nodes=n3 users=nobody flags=maint > "$SAID"
ok "a node under maintenance" wait_until 40 node_maint n3
job=$(whole -w n3 --reservation=fix --wrap true)
ok "runs its jobs" wait_job "$job" COMPLETED
unlike "is not drained" "$(node_state n3)" DRAIN
is "and given no reason" "$(node_reason n3)" ""
ok "MAINT stays" node_maint n3

touch "$LAB/nodes/n4/etc/OFF"
chmod 644 "$LAB/nodes/n4/etc/OFF"
remap_failed n4 5
job=$(whole -w n4 --wrap true)
ok "the switch OFF: the job runs" wait_job "$job" COMPLETED
is "and nothing is drained" "$(node_state n4)" IDLE
rm "$LAB/nodes/n4/etc/OFF"
sed -i 's/^mode = .*/&\nexempt_users = nobody/' "$LAB/nodes/n4/etc/assay.conf"
job=$(whole -w n4 --wrap true)
ok "an exempt user: the job runs" wait_job "$job" COMPLETED
is "a hard fault is only observed for him" "$(node_state n4)" IDLE
suite_end

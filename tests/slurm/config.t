#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A configuration that is missing, broken, or has one bad key drains nothing
# and keeps no job waiting; what still can be judged is judged.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=4
suite_up

rm "$LAB/nodes/n1/etc/assay.conf"
job=$(submit -w n1 --gres=gpu:8 --wrap true)
ok "no configuration: the job runs" wait_job "$job" COMPLETED 20
is "no configuration: the node stays" "$(node_state n1)" IDLE
is "no configuration: the default places are the node's own" \
	"$(action n1 "$job")" run

# broken on its first day: nothing to fall back on
head -c 3000 /dev/urandom > "$LAB/nodes/n2/etc/assay.conf"
remap_failed n2 1
job=$(submit -w n2 --gres=gpu:8 --wrap true)
ok "a broken configuration: the job runs" wait_job "$job" COMPLETED 20
is "a broken configuration: the node stays" "$(node_state n2)" IDLE

# broken later: the last good copy judges
job=$(whole -w n3 --wrap true)
ok "a good configuration" wait_job "$job" COMPLETED 20
echo "[policy" > "$LAB/nodes/n3/etc/assay.conf"
remap_failed n3 1
job=$(whole -w n3 --wrap true)
ok "the last good copy still guards" wait_drained n3
like "with our reason" "$(node_reason n3)" '^assay:gpu_remap GPU1'
scancel "$job"

# one bad key disables its section, no more
conf_new n4 "[check gpu_temp]
slowdown = tomorrow"
remap_failed n4 6
job=$(whole -w n4 --wrap true)
ok "one bad key: the rest guards" wait_drained n4
like "with our reason" "$(node_reason n4)" '^assay:gpu_remap GPU6'
is "its section says so" "$(checked n4 "$job" gpu_temp)" ERROR
scancel "$job"
chmod 666 "$LAB/nodes/n1/etc/assay.conf" 2> /dev/null
conf_new n1
chmod 666 "$LAB/nodes/n1/etc/assay.conf"
remap_failed n1 1
job=$(whole -w n1 --wrap true)
ok "a file that anyone may write is not believed: the job runs" \
	wait_job "$job" COMPLETED 20
is "and the node stays" "$(node_state n1)" IDLE
suite_end

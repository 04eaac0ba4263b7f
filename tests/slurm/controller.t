#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# slurmctld dies while a node is being drained: the verdict comes in time, the
# exit code drains, and once slurmctld is back a retry puts our reason in.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=2
_decided() { [ "$(verdict "$1" "$2" .verdict.would)" = drain ]; }
_no_gate() { [ -z "$(children n1 assay-prolog)" ]; }
_ours() { [[ $(node_reason "$1") == assay:gpu_remap* ]]; }
suite_up

hold=$(exec_check hold 'touch "$LAB/held.$NODE"' \
	'for i in $(seq 30); do [ -e "$LAB/go" ] && exit 0; sleep 0.1; done')
conf_new n1 "[exec hold]
command = $hold
timeout_ms = 3500"
remap_failed n1 4
job=$(whole -w n1 --wrap true)
ok "the gate is at work" wait_until 15 test -e "$LAB/held.n1"
kill -KILL "$(_pid slurmctld)"
t0=$SECONDS
touch "$LAB/go"
ok "the verdict comes without slurmctld" \
	wait_until 10 _decided n1 "$job"
ok "the gate is gone in time" wait_until 9 _no_gate
ok "within its budget and a second" test $((SECONDS - t0)) -le 9
rm -f "$LAB/state/slurmctld.spid"
ok "slurmctld comes back" slurmctld_start
ok "the node is drained" wait_drained n1 60
ok "with our reason in the end" wait_until 60 _ours n1
like "which names the device" "$(node_reason n1)" '^assay:gpu_remap GPU4'
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A soft rule gone mad on five nodes at once, with a limit of two, drains
# exactly two: by tokens in a shared directory, and by counting ranks.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=5
suite_up

mad() {	# MORE : the rule and the limit, on all nodes
	conf_all "[exec mad]
command = $MAD
timeout_ms = 2000
action.prolog = drain
$1"
	for n in $(_nodes); do
		sed -i 's/^mode = .*/&\ndrains_per_rule = 2/' \
			"$LAB/nodes/$n/etc/assay.conf"
	done
}
MAD=$(exec_check mad 'echo "all is wrong"; exit 2')

round() {	# NAME
	local job
	job=$(whole -N5 --no-requeue --wrap true)
	ok "$1: the job meets them all" wait_until 20 _settled "$job"
	sleep 1
	is "$1: two nodes are drained" \
		"$(drained_nodes | wc -w)" 2
	for n in $(drained_nodes); do
		like "$1: $n with our reason" "$(node_reason $n)" '^assay:.*mad'
	done
	timeout 5 scancel "$job" 2> "$SAID"
}
_settled() {	# the gates of all five have written their verdicts
	local n
	for n in $(_nodes); do [ -n "$(verdict_file "$n" "$1")" ] || return 1; done
	! job_is "$1" CONFIGURING,RUNNING,COMPLETING
}

mkdir -m 1777 "$LAB/shared"
mad "[paths]
shared_dir = $LAB/shared
shared_user = nobody"
round "tokens"
rm -rf "$LAB/shared/tokens"
for n in $(drained_nodes); do resume "$n"; done
wait_until 20 nodes_free
for n in $(_nodes); do rm -rf "$LAB/nodes/$n/var/state"/*; done

mad ""
round "ranks"
suite_end

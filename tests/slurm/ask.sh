# SPDX-License-Identifier: Apache-2.0
# ask - what a suite wants to know of Slurm's jobs and nodes, and to wait for.
# Sourced.

wait_until() {	# SECONDS COMMAND... : poll until it succeeds
	local end=$(( ${EPOCHREALTIME/[.,]/} + $1 * 1000000 )); shift
	until "$@" > /dev/null 2>&1; do
		[ "${EPOCHREALTIME/[.,]/}" -lt "$end" ] || return 1
		sleep "${POLL_S:-0.1}"
	done
}

job_field() {	# ID FIELD
	timeout 10 scontrol -o show job "$1" 2> /dev/null | tr ' ' '\n' |
		sed -n "s/^$2=//p" | head -n 1
}
job_state() { job_field "$1" JobState; }
job_is() { [[ " ${2//,/ } " == *" $(job_state "$1") "* ]]; }

wait_job() {	# ID STATE[,STATE...] [SECONDS]
	wait_until "${3:-30}" job_is "$1" "$2" || {
		echo "job $1 is $(job_state "$1") $(job_field "$1" Reason)," \
			"wanted $2"
		return 1
	}
}

node_state() { timeout 10 scontrol show node "$1" | sed -nE 's/.*State=([^ ]+).*/\1/p'; }
node_reason() {	# without [who@when]
	timeout 10 scontrol show node "$1" |
		sed -nE 's/^ *Reason=//p' | sed -E 's/ \[[^]]*@[^]]*\]$//'
}
node_maint() { [[ $(node_state "$1") == *MAINT* ]]; }
node_drained() { [[ $(node_state "$1") == *DRAIN* ]]; }
node_free() { [[ $(node_state "$1") == IDLE ]]; }
wait_drained() {	# NODE [SECONDS]
	wait_until "${2:-15}" node_drained "$1" ||
		{ echo "$1 is $(node_state "$1")"; return 1; }
}
resume() {	# NODE... : and wait until it takes jobs
	local n
	for n; do
		timeout 10 scontrol update nodename="$n" state=resume
		wait_until 15 node_free "$n"
	done
}
drained_nodes() { timeout 10 sinfo -h -N -t drain,draining,drained -o %N | sort -u | tr '\n' ' '; }


# SPDX-License-Identifier: Apache-2.0
# lib - what the suites share: TAP, jobs and nodes. Sourced by each *.t.
#
# A suite says what it needs of the cluster in CLUSTER_* variables, calls
# suite_up, tests, and ends; stopping and the plan are done on exit. Order is
# asserted, and "deadline + a second": never a fine figure.

. "${BASH_SOURCE[0]%/*}/../tap.sh"
. "${BASH_SOURCE[0]%/*}/cluster"

ON_END=:	# what a suite wants done at last
ON_FAILURE=_show_logs

# What the daemons said: its end here, all of it in ASSAY_LOGS.
_show_logs() {
	[ -n "${LAB:-}" ] && [ -d "$LAB" ] || return 0
	{ timeout 10 sinfo -N -l; tail -n 15 "$LAB/log/slurmctld.log"; } 2>&1 |
		sed 's/^/# /'
	[ -n "${ASSAY_LOGS:-}" ] || return 0
	mkdir -p "$ASSAY_LOGS"
	(cd "$LAB" && tar -cf - log nodes/*/var nodes/*/etc) \
		> "$ASSAY_LOGS/$(basename "$0").$FAILED.tar"
}

_end() {
	local rc=$? left
	trap - EXIT INT TERM
	eval "$ON_END"
	if [ -n "${LAB:-}" ] && [ -d "$LAB" ]; then
		left=$(cluster_down 2>&1) && left=
		_left_nothing "$left"
	fi
	[ "$TESTS" -gt 0 ] || exit $rc
	tap_plan $rc
	exit
}

_left_nothing() {
	TESTS=$((TESTS + 1))
	if [ -z "$1" ]; then
		echo "ok $TESTS - nothing left running"
		return
	fi
	echo "not ok $TESTS - nothing left running"
	diag "$1"
	FAILED=$((FAILED + 1))
}

# The programs under test; a suite that needs them skips without.
suite_assay() {
	local f
	[ -n "$ASSAY_PREFIX" ] || skip_all "ASSAY_PREFIX: assay is not installed"
	for f in libexec/assay libexec bin sbin; do
		[ -x "$ASSAY_PREFIX/$f/assay-prolog" ] || continue
		CLUSTER_PROLOG=$ASSAY_PREFIX/$f/assay-prolog
		CLUSTER_EPILOG=$ASSAY_PREFIX/$f/assay-epilog
	done
	ASSAY=$ASSAY_PREFIX/bin/assay
	[ -n "$CLUSTER_PROLOG" ] || skip_all "assay-prolog is not installed"
	[ -x "$CLUSTER_EPILOG" ] || CLUSTER_EPILOG=
	[ -n "$(_fake_nvml)" ] || skip_all "the fake NVML is not built"
}

# The plugin as built, or the one that goes wrong on command (spank/faults.h).
PLUGIN=$BUILD/spank/.libs/spank_assay.so
PLUGIN_FAULTS=$BUILD/tests/slurm/.libs/spank_faults.so

suite_spank() {	# [PLUGIN]
	local so=${1:-$PLUGIN}
	[ -s "$so" ] || skip_all "the SPANK plugin is not built"
	CLUSTER_PLUGSTACK="optional $so run=/run/assay"
}

suite_up() {
	local why
	why=$(cluster_can) || skip_all "$why"
	trap _end EXIT
	trap 'exit 130' INT TERM
	cluster_up || bail "the cluster did not start"
}

# A new cluster in the same suite.
suite_again() {
	local left
	left=$(cluster_down 2>&1) && left=
	_left_nothing "$left"
	cluster_up || bail "the cluster did not start"
}

# ---- jobs and nodes -------------------------------------------------------

as_user() {	# COMMAND... : as an ordinary user, in a directory anyone may use
	(cd "$LAB/out" &&
	 exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
}

submit() {	# SBATCH-ARGUMENTS... : prints the job id
	as_user timeout 20 sbatch --parsable -o "$LAB/out/%j.out" "$@"
}

nodes_free() {
	local n
	for n in $(_nodes); do node_free "$n" || return 1; done
}

wait_reason() {	# ID REASON : why it is pending, once Slurm has settled
	wait_until 10 _reason_is "$@" || {
		echo "job $1 is $(job_state "$1") $(job_field "$1" Reason)"
		return 1
	}
}
_reason_is() { [ "$(job_field "$1" Reason)" = "$2" ]; }

# A requeued job waits 120 s in Slurm; the suites do not.
# Not at once: slurmctld may still be about to kill the launch that failed
# ("Killing non-startable batch"), and would meet the new one.
start_now() {	# ID : once it is pending again
	wait_until 20 job_is "$1" PENDING
	sleep 2
	timeout 10 scontrol update jobid="$1" StartTime=now
}

# ---- assay on a node ------------------------------------------------------

# The gate's record of a job, also after the Epilog has made its own.
verdict_file() {	# NODE JOB
	local dir=$LAB/nodes/$1/var/run/$2 f
	for f in prolog verdict; do
		[ ! -s "$dir/$f.json" ] || { echo "$dir/$f.json"; return 0; }
	done
	return 1
}
# Slurm calls a job RUNNING while its gate is still at work.
through_gate() { wait_until 15 verdict_file "$1" "$2"; }	# NODE JOB
verdict() {	# NODE JOB JQ-PROGRAM
	local f
	f=$(verdict_file "$1" "$2")
	[ -n "$f" ] || { echo "no verdict"; return 1; }
	jq -r "$3" "$f"
}
action() { verdict "$1" "$2" .verdict.action; }
checked() {	# NODE JOB CHECK
	verdict "$1" "$2" ".checks[] | select(.name == \"$3\") | .status"
}

# What the plugin noted on NODE of a job; the job's directory there.
job_dir() { echo "$LAB/nodes/$1/var/run/$2"; }
events() {	# NODE JOB JQ-PROGRAM
	jq -r "$3" "$(job_dir "$1" "$2")/steps.jsonl"
}

# Children of NODE's slurmd that run this program.
children() {	# NODE PROGRAM
	local p parent
	for p in /proc/[0-9]*; do
		[[ $(readlink "$p/exe") == */"$2" ]] || continue
		parent=$(sed -E 's/.*\) . ([0-9]+) .*/\1/' "$p/stat") || continue
		[ "$parent" != "$(_pid "slurmd.$1")" ] || echo "${p#/proc/}"
	done 2> /dev/null
}

# Faults.
remap_failed() {	# NODE GPU
	hw_set "$1" ".nvml.gpus[$2].GetRemappedRows = {corrRows: 1,
		uncRows: 8, isPending: 0, failureOccurred: 1}"
}
gpu_pci() {	# NODE GPU : as the kernel log writes it, 0000:3d:00
	jq -r ".nvml.gpus[$2].GetPciInfo_v3.busId" \
		"$LAB/nodes/$1/hw/scenario.json" |
		tr 'A-F' 'a-f' | sed -E 's/^0000//; s/\.0$//'
}
pcie_narrow() {	# NODE GPU
	hw_set "$1" ".nvml.gpus[$2].GetCurrPcieLinkWidth = 8"
}

# A site's own check as a script: it finds LAB and NODE set.
exec_check() {	# NAME LINES... : prints the path
	local f=$LAB/etc/$1
	printf '%s\n' '#!/bin/bash' 'PATH=/usr/sbin:/usr/bin:/sbin:/bin' \
		"LAB=$LAB" 'NODE=$(hostname)' \
		"export SLURM_CONF=$SLURM_CONF" "${@:2}" > "$f.new"
	chmod 755 "$f.new"
	mv "$f.new" "$f"
	echo "$f"
}

conf_all() {	# TEXT : more sections of assay.conf, on every node
	local n
	for n in $(_nodes); do conf_new "$n" "$1"; done
}

# All 16 CPUs and all 8 GPUs, on N nodes.
whole() { submit --exclusive --gres=gpu:8 "$@"; }

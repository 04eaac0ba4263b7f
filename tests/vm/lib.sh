# SPDX-License-Identifier: Apache-2.0
# lib - what the suites in the machine share. Sourced by each *.t, in there:
# the host has laid the programs (a tar of what make install makes), the
# stand-ins and this tree beside them on /share.

. "${BASH_SOURCE[0]%/*}/../tap.sh"
. "${BASH_SOURCE[0]%/*}/../slurm/ask.sh"

NODE=n1
HW=/opt/hw			# stand-ins of vendor libraries, and a scenario
OUT=/tmp/out			# where anyone may write
ON_FAILURE=_show_logs
POLL_S=0.5			# each look costs the rest of the machine its time
. /share/places			# ASSAY, GATES, ETC, RUN, STATE

_show_logs() {
	{
		timeout 10 sinfo -N -o '%N %T %E'
		tail -n 8 /var/log/slurm/slurmctld.log
		tail -n 8 /var/log/slurm/slurmd.log
		journalctl --no-pager -q -n 5 -t assay-prolog
	} 2>&1 | cut -c1-200 | sed 's/^/# /'
}

_end() {
	local rc=$?
	trap - EXIT
	[ "$TESTS" -gt 0 ] || exit $rc
	tap_plan $rc
	exit
}
trap _end EXIT

# ---- the machine as a site has it -----------------------------------------

programs() {	# installed, and their stand-ins beside them
	tar -C / -xpf /share/root.tar || return 1
	mkdir -p "$HW" "$OUT"
	chmod 1777 "$OUT"
	install -m 755 /share/hw/lib* "$HW/"
	install -m 755 /share/look /opt/look
}

# assay.conf: what is given goes behind what every suite has.
conf() {	# [TEXT]...
	mkdir -p "$ETC"
	cat > "$ETC/assay.conf" <<-C
	[policy]
	mode = enforce
	boot_grace_s = 0
	memo_s = 0
	resume_passes = 2
	resume_min_s = 1
	C
	printf '%s\n' "$@" >> "$ETC/assay.conf"
}

# More lines of slurm.conf, in place of those of the last call; +WORD is one
# more of the node's line. Slurm is started anew.
slurm() {	# [LINE...]
	local line
	cp /run/vm/node.conf.first /run/vm/node.conf
	for line; do
		case $line in
		+*) sed -i "/^NodeName=/s/\$/ ${line#+}/" /run/vm/node.conf;;
		*) echo "$line" >> /run/vm/node.conf;;
		esac
	done
	systemctl restart slurmctld && systemctl restart slurmd &&
		wait_until 60 node_free "$NODE"
}

slurm_version() {	# 2205, 2411 ...
	slurmd -V | sed -E 's/[^0-9]*([0-9]+)\.([0-9]+).*/\1\2/'
}

# ---- jobs -----------------------------------------------------------------

as_user() {	# COMMAND... : as an ordinary user, in a directory anyone may use
	(cd "$OUT" &&
	 exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
}

submit() {	# SBATCH-ARGUMENTS... : prints the job id
	as_user timeout 60 sbatch --parsable -o "$OUT/%j.out" --mem=200 "$@"
}

# What it ends as, whatever it is: a job that fails is not waited for in vain.
ended() {	# JOB STATE
	wait_until 90 job_is "$1" \
		COMPLETED,FAILED,CANCELLED,TIMEOUT,OUT_OF_MEMORY,NODE_FAIL
	job_is "$1" "$2" || {
		echo "job $1 is $(job_state "$1") $(job_field "$1" Reason)"
		head -n 5 "$OUT/$1.out"
		return 1
	}
}

cancel() {	# JOB... : and wait until the node has nothing left of it
	scancel "$@"
	wait_until 60 node_free "$NODE"
}

whole() {	# SBATCH-ARGUMENTS... : all of the node
	submit --exclusive --gres=gpu:2,nic:4 "$@"
}

# The gate's record of a job, also after the Epilog has made its own.
verdict() {	# JOB JQ-PROGRAM
	local f
	for f in prolog verdict; do
		f=$RUN/$1/$f.json
		[ -s "$f" ] || continue
		jq -r "$2" "$f"
		return
	done
	echo "no verdict"
	return 1
}
checked() {	# JOB CHECK
	verdict "$1" ".checks[] | select(.name == \"$2\") | .status"
}
note() {	# JOB CHECK : why it was skipped
	verdict "$1" ".checks[] | select(.name == \"$2\") | .note"
}

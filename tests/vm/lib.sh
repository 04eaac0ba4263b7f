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
. /share/places			# ASSAY, GATES, ETC, RUN, STATE

_show_logs() {
	{
		timeout 10 sinfo -N -l
		tail -n 15 /var/log/slurm/slurmctld.log
		tail -n 15 /var/log/slurm/slurmd.log
		journalctl --no-pager -q -n 10 -t assay-prolog
	} 2>&1 | cut -c1-300 | sed 's/^/# /'
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

# assay.conf: what is given goes behind what every suite has. The gate has
# more time than at a site, as all is slower here.
conf() {	# [TEXT]
	mkdir -p "$ETC"
	cat > "$ETC/assay.conf" <<-C
	[policy]
	mode = enforce
	boot_grace_s = 0
	memo_s = 0
	C
	printf '%s\n' "${1:-}" >> "$ETC/assay.conf"
}

# More lines of slurm.conf; whole ones of a node or partition replace those
# that are there. Slurm is started anew.
slurm() {	# [LINE...]
	local line
	cp /run/vm/node.conf.first /run/vm/node.conf
	for line; do
		case $line in
		NodeName=*) sed -i "/^NodeName=/c$line" /run/vm/node.conf;;
		*) echo "$line" >> /run/vm/node.conf;;
		esac
	done
	slurm_restart
}

slurm_restart() {
	systemctl restart slurmctld && systemctl restart slurmd &&
		wait_until 60 node_free "$NODE"
}

node_line() { sed -n 's/^NodeName=//p' /run/vm/node.conf.first; }

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

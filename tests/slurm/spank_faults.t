#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Nothing that goes wrong in the plugin can fail a job or drain a node: a build
# that goes wrong on command (spank/faults.h), and disks that do by themselves.
. "${0%/*}/lib.sh"
suite_spank "$PLUGIN_FAULTS"

PROLOG=$(mktemp /tmp/assay-spank.XXXXXX)
printf '#!/bin/bash\n[ -e /run/assay/none ] || /bin/mkdir -m 711 "/run/assay/$SLURM_JOB_ID"\nexit 0\n' > "$PROLOG"
chmod 755 "$PROLOG"
CLUSTER_PROLOG=$PROLOG
CLUSTER_NODES=2
# so that slurmd itself, and the client on this machine, fail alike
CLIENT=$(mktemp -d /tmp/assay-spank.XXXXXX)
chmod 755 "$CLIENT"
ON_END='rm -rf "$PROLOG" "$CLIENT"'
suite_up

run() { echo "$LAB/nodes/$1/var/run"; }
fault() {	# [WORD...] : on both nodes; none ends them
	local n
	for n in n1 n2; do
		printf '%s\n' "$@" > "$(run $n)/spank-faults"
		chmod 644 "$(run $n)/spank-faults"
	done
}
log_from() { wc -c < "$LAB/log/slurmd.n1.log"; }
log_since() { tail -c +"$(($1 + 1))" "$LAB/log/slurmd.n1.log"; }

# The job, its steps and their output are what they are without a plugin.
works() {	# NAME
	job=$(submit -N2 --ntasks-per-node=2 --wrap \
		'echo script; srun -l hostname | sort; srun -N1 -n1 false; exit 0')
	ok "$1: the job completes" wait_job "$job" COMPLETED
	ok "$1: its nodes are free" wait_until 20 nodes_free
	is "$1: all of its output is there" \
		"$(grep -v ^srun: "$LAB/out/$job.out" | tr '\n' ' ')" \
		"script 0: n1 1: n1 2: n2 3: n2 "
	is "$1: srun answers" "$(as_user timeout 30 srun -N2 hostname 2>&1 |
		sort | tr '\n' ' ')" "n1 n2 "
	is "$1: no node is drained" "$(drained_nodes)" ""
}
noted() { cat "$(run n1)/$job/steps.jsonl" 2> /dev/null | wc -l; }

works "no fault"
is "all is noted" "$(noted)" 10

for n in -1 3000; do
	fault hooks=$n
	from=$(log_from)
	works "hooks return $n"
	is "they did" "$(log_since "$from" |
		sed -n "s/.*assay: fault: \([a-z_]*\) returns $n\$/\1/p" |
		sort -u | tr '\n' ' ')" \
		"exit init init_post_opt job_epilog job_prolog task_exit task_init task_init_privileged task_post_fork user_init "
done

fault null
works "no handle"
is "nothing is known, and nothing noted" "$(noted)" 0
fault items
works "no items"
is "nothing is noted" "$(noted)" 0
fault fork
works "no child"
is "nothing is noted" "$(noted)" 0
fault segv
works "the child dies by SIGSEGV"
is "nothing is noted" "$(noted)" 0
is "no core is left" "$(find "$LAB/out" "$LAB/log" -name 'core*')" ""
fault hang
works "the child never ends"
is "nothing is noted" "$(noted)" 0
fault segv hooks=-1 items
works "all at once"
fault full
works "a line is cut by a full disk"
ok "half of it is there" test "$(tail -c 1 "$(run n1)/$job/steps.jsonl")" != ""
fault
works "and no fault again"
is "all is noted" "$(noted)" 10

# The same by themselves.
touch "$(run n1)/none" "$(run n2)/none"
works "no directory"
ok "there was none" test ! -e "$(run n1)/$job"
rm "$(run n1)/none" "$(run n2)/none"

for n in n1 n2; do
	cluster_on $n mount -t tmpfs -o size=4k,mode=755 none /run/assay
	cluster_on $n sh -c 'cat /dev/zero > /run/assay/fill' 2> /dev/null
done
works "a disk that is full"
ok "it was" cluster_on n1 test -d "/run/assay/$job" -a \
	! -s "/run/assay/$job/steps.jsonl"
for n in n1 n2; do
	cluster_on $n rm /run/assay/fill
	cluster_on $n mount -o remount,ro /run/assay
	touch "$(run $n)/none"
done
works "a disk that is read-only"
for n in n1 n2; do cluster_on $n umount /run/assay; done
rm -f "$(run n1)/none" "$(run n2)/none"

printf 'optional %s run=relative extra=1 run=/nonexistent\n' \
	"$PLUGIN_FAULTS" > "$LAB/etc/plugstack.conf"
works "arguments of somebody else"
is "nothing is noted" "$(noted)" 0

# The clients: what fails there submits all the same.
printf 'optional %s run=%s\n' "$PLUGIN_FAULTS" "$CLIENT" \
	> "$LAB/etc/plugstack.conf"
printf 'hooks=-1\n' > "$CLIENT/spank-faults"
works "hooks of sbatch and srun return -1"
job=$(submit --assay=quark --wrap true 2> "$SAID")
like "an unknown word is refused all the same" "$(cat "$SAID")" 'quark'

# And the proof that these faults are faults: a required plugin fails jobs.
printf 'required %s run=/run/assay\n' "$PLUGIN_FAULTS" \
	> "$LAB/etc/plugstack.conf"
fault hooks=-1
job=$(submit -w n1 --wrap true)
wait_job "$job" COMPLETED 5 > /dev/null
unlike "a required plugin that fails does harm" \
	"$(job_state "$job") $(node_state n1)" '^COMPLETED IDLE$'
suite_end

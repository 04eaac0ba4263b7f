#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The SPANK plugin where jobs are in cgroups (v2), and their memory is limited:
# what it notes of steps, beside what the job itself sees there.
. "${0%/*}/lib.sh"
programs
so=$(tar -tf /share/root.tar | sed -n 's#^\.\(/.*/spank_assay\.so\)$#\1#p')
[ -n "$so" ] || skip_all "the SPANK plugin is not built"
chmod 644 "$so"
echo "optional $so run=/run/notes" > /etc/slurm/plugstack.conf
mkdir -m 711 /run/notes
printf '#!/bin/bash\nexec /bin/mkdir -m 711 "/run/notes/$SLURM_JOB_ID"\n' \
	> /opt/prolog
chmod 755 /opt/prolog
ok "slurmd takes the plugin" slurm Prolog=/opt/prolog

notes() {	# JOB JQ-PROGRAM
	jq -r "$2" "/run/notes/$1/steps.jsonl"
}
at_least() { [ "$1" -ge "$2" ] || { echo "$1 < $2"; return 1; }; }
at_most() { at_least "$2" "$1"; }
MIB=1048576

# Memory by a pipe's reader that keeps all; what the job sees of itself at last.
cat > "$OUT/job.sh" <<'J'
#!/bin/bash
srun bash -c 'for i in {1..40000}; do :; done
	head -c 60M /dev/zero | tail -c 60M > /dev/null
	cat /proc/self/cgroup'
d=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
d=${d%/step_batch/*}
echo "dir $d"
sed -n 's/^usage_usec/cpu/p' "$d/cpu.stat"
echo "peak $(cat "$d/memory.peak")"
J
job=$(submit -n1 -c1 "$OUT/job.sh")
ok "a job with a step" wait_job "$job" COMPLETED 90
saw() { sed -n "s/^$1 //p" "$OUT/$job.out"; }
dir=$(saw dir)
like "is in a cgroup of Slurm's" "$dir" "^/sys/fs/cgroup/.*slurmstepd\.scope/"
is "the step's is noted when it begins" \
	"$(notes "$job" 'select(.step == "0" and .event == "begin") | .cgroup.v2')" \
	"$dir/step_0"
is "and the job's" \
	"$(notes "$job" 'select(.step == "0" and .event == "begin") | .job.cgroup.v2')" \
	"$dir"
is "the script's" \
	"$(notes "$job" 'select(.step == "batch" and .event == "task") | .cgroup.v2')" \
	"$dir/step_batch"

step() { notes "$job" "select(.step == \"0\" and .event == \"task\") | .$1"; }
last() { notes "$job" "select(.step == \"batch\" and .event == \"task\") | .job.$1"; }
ok "CPU time of a step" at_least "$(step cpu_us)" 100000
ok "the job's has it, too" at_least "$(last cpu_us)" "$(step cpu_us)"
ok "it is what the job saw, and a little more" \
	at_least "$(last cpu_us)" "$(saw cpu)"
ok "not much" at_most "$(last cpu_us)" $(($(saw cpu) + 5000000))
ok "what slurmstepd waited for is no more than that" \
	at_most "$(step rusage.cpu_us)" $(($(step cpu_us) + 100000))
if [ -n "$(saw peak)" ]; then
	ok "memory of a step" at_least "$(step mem_peak_bytes)" $((60 * MIB))
	ok "not above its limit" at_most "$(step mem_peak_bytes)" $((200 * MIB))
	ok "the job's is what the job saw" \
		at_least "$(last mem_peak_bytes)" "$(saw peak)"
else
	is "an old kernel tells no peak" "$(step why.mem_peak_bytes)" \
		"kernel too old"
fi
is "the limit of the step" "$(step mem_limit_bytes)" $((200 * MIB))
is "and of the job" "$(last mem_limit_bytes)" $((200 * MIB))
is "what Slurm shared out" "$(step mem_alloc_bytes)" $((200 * MIB))
is "nothing was killed" "$(step oom_kills) $(last oom_kills)" "0 0"
# the scope's own controllers: does Slurm hand on that of I/O?
if grep -qw io "${dir%/*}/cgroup.subtree_control"; then
	ok "I/O" at_least "$(last io_read_bytes)" 0
else
	is "I/O is not counted" \
		"$(step io_read_bytes) $(step why.io_read_bytes)" \
		"null controller not used"
fi
is "the end tells no cgroup" \
	"$(notes "$job" 'select(.step == "0" and .event == "end") | .cgroup')" null

job=$(submit -n1 --wrap 'srun bash -c "head -c 400M /dev/zero | tail -c 400M"
	true')
ok "a step takes more memory than it has" \
	wait_job "$job" COMPLETED,OUT_OF_MEMORY 90
ok "that is noted" at_least "$(step oom_kills)" 1
ok "of the job as well" at_least "$(last oom_kills)" 1

wait_until 20 node_free "$NODE"
ok "no cgroup of a job is left" not ls -d "$dir"
is "no node is drained" "$(drained_nodes)" ""
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The SPANK plugin: what it notes of steps, its option, and the report's lines
# at the end of a job's output.
. "${0%/*}/lib.sh"
suite_assay
suite_spank
CLUSTER_NODES=2
# What is rendered is put there by hand.
CLUSTER_ASSAY='[watch]
enabled = no'
CLUSTER_TOPOLOGY='SwitchName=leaf1 Nodes=n1
SwitchName=leaf2 Nodes=n2
SwitchName=spine Switches=leaf[1-2]'
suite_up

# ---- steps ----------------------------------------------------------------

cat > "$LAB/out/steps.sh" <<'S'
#!/bin/bash
srun -N2 -n4 true
srun -N1 -w n1 -n1 bash -c 'exit 3'
srun -N1 -w n2 -n1 bash -c 'kill -SEGV $$'
exit 5
S
job=$(submit -N2 --ntasks-per-node=2 -c2 "$LAB/out/steps.sh")
ok "a job fails by its own exit code" wait_job "$job" FAILED
ok "its steps have ended" wait_until 10 nodes_free
is "on its first node: batch and steps" \
	"$(events n1 "$job" '"\(.step) \(.event)"' | sort | uniq -c | sort -k2 |
		awk '{ printf "%s %s %s,", $1, $2, $3 }')" \
	"1 0 begin,1 0 end,2 0 task,1 1 begin,1 1 end,1 1 task,1 batch begin,1 batch end,1 batch task,"
is "on the other its steps" \
	"$(events n2 "$job" .step | sort -u | tr '\n' ' ')" "0 2 "
is "with the tasks that it had there" \
	"$(events n2 "$job" 'select(.step == "0" and .event == "end") |
		"\(.ntasks) \(.ended)"')" "2 2"
is "each with its rank" \
	"$( (events n1 "$job" 'select(.step == "0") | .task // empty'
	     events n2 "$job" 'select(.step == "0") | .task // empty') |
		sort | tr '\n' ' ')" "0 1 2 3 "
is "an exit code" \
	"$(events n1 "$job" 'select(.step == "1" and .event == "end") |
		"\(.exit.code) \(.exit.signal)"')" "3 0"
is "a signal" \
	"$(events n2 "$job" 'select(.step == "2" and .event == "task") |
		"\(.exit.code) \(.exit.signal)"')" "0 11"
is "and the script's own" \
	"$(events n1 "$job" 'select(.step == "batch" and .event == "end") |
		.exit.code')" 5
is "CPUs as Slurm counts them" \
	"$(events n1 "$job" 'select(.step == "0" and .event == "begin") | .cpus')" 4
is "without a cgroup its numbers are unknown, and why" \
	"$(events n1 "$job" 'select(.step == "batch" and .event == "task") |
		"\(.cgroup) \(.why.cgroup)"')" "null no cgroup"
is "what the kernel tells of processes is there" \
	"$(events n1 "$job" 'select(.step == "batch" and .event == "end") |
		.rusage.cpu_us > 0 and .rusage.max_rss_bytes > 0')" true
is "where its node hangs" \
	"$(events n1 "$job" 'select(.event == "begin") | .leaf' | sort -u)" leaf1
is "and the other one" \
	"$(events n2 "$job" 'select(.event == "begin") | .leaf' | sort -u)" leaf2
is "it is no task of an array" \
	"$(events n1 "$job" 'has("array_job") or has("array_task")' | sort -u)" \
	false
is "nobody else reads it" \
	"$(stat -c '%a %u' "$(job_dir n1 "$job")/steps.jsonl")" "600 0"

as_user timeout 30 srun -N1 -w n1 bash -c 'for i in {1..200000}; do :; done' \
	> "$SAID" 2>&1
job=$(cd "$LAB/nodes/n1/var/run" && ls -d [0-9]* | sort -n | tail -n 1)
is "a step without a script" "$(events n1 "$job" .event | tr '\n' ' ')" \
	"begin task end "

array=$(submit -n 1 -w n1 --array=0,3 --wrap true)
tasks=()
for i in 0 3; do
	ok "task $i of an array" wait_job "${array}_$i" COMPLETED
	job=$(job_field "${array}_$i" JobId)
	tasks+=("$(events n1 "$job" 'select(.event == "begin") |
		"\(.array_job)_\(.array_task)"')")
done
is "is noted as such" "${tasks[*]}" "${array}_0 ${array}_3"

# ---- the option -----------------------------------------------------------

newest() { as_user sbatch --parsable -H -o /dev/null --wrap true; }
first=$(newest)
like "it is in sbatch --help" "$(sbatch --help 2>&1)" '--assay=LIST'
for words in quark report,quark '' report,,no-report; do
	said=$(as_user sbatch --assay="$words" -o /dev/null --wrap true 2>&1)
	ok "'$words' is refused" test $? != 0
	like "and what is known is listed" "$said" 'report, no-report'
done
like "so it is by srun" "$(as_user srun --assay=quark true 2>&1)" \
	"does not know 'quark'"
like "by salloc" "$(as_user salloc --assay=quark true 2>&1)" \
	"does not know 'quark'"
like "and from the environment" \
	"$(as_user env SLURM_SPANK__SLURM_SPANK_OPTION_assay_assay=quark \
		sbatch -o /dev/null --wrap true 2>&1)" "does not know 'quark'"
is "nothing of that was submitted" "$(newest)" $((first + 1))
scancel "$first" $((first + 1))

chosen() { cat "$(job_dir "$1" "$2")/choice" 2> /dev/null; }
job=$(submit -w n1 --assay=no-report --wrap true)
ok "a choice" wait_job "$job" COMPLETED
is "is noted on the node" "$(chosen n1 "$job")" no-report
is "for root alone" "$(stat -c '%a %u' "$(job_dir n1 "$job")/choice")" "600 0"
printf '#!/bin/bash\n#SBATCH --assay=no-report,report\nsrun -N2 true\n' \
	> "$LAB/out/choice.sh"
job=$(submit -N2 "$LAB/out/choice.sh")
ok "a choice in the script" wait_job "$job" COMPLETED
is "of two the later holds" "$(chosen n1 "$job")" report
is "and a step brings it to the other node" "$(chosen n2 "$job")" report
job=$(SLURM_SPANK__SLURM_SPANK_OPTION_assay_assay=no-report \
	submit -w n1 --wrap true)
ok "a choice in the environment" wait_job "$job" COMPLETED
is "is one, too" "$(chosen n1 "$job")" no-report
job=$(submit -w n1 --wrap 'srun --assay=report true')
ok "a step's own choice" wait_job "$job" COMPLETED
is "is the job's where that has none" "$(chosen n1 "$job")" report
job=$(submit -w n1 --assay=no-report --wrap 'srun --assay=report true')
ok "else" wait_job "$job" COMPLETED
is "the job's own stays" "$(chosen n1 "$job")" no-report
job=$(as_user timeout 30 salloc -w n1 --assay=no-report \
	srun sh -c 'echo $SLURM_JOB_ID' 2> "$SAID")
is "a choice of salloc is its steps'" "$(chosen n1 "$job")" no-report
job=$(submit -w n1 --wrap true)
ok "no choice" wait_job "$job" COMPLETED
is "no note" "$(chosen n1 "$job")" ""

# ---- the report's lines ---------------------------------------------------

BLOCK='# assay job 1: 8 GPUs
# assay where the time went: 93% compute'
# A job that has run for AGE seconds, as its mark says, with a rendered block;
# the output it leaves.
output() {	# AGE "FILE..." SBATCH-ARGUMENTS...
	local age=$1 files=$2 job dir f; shift 2
	job=$(submit -w n1 "$@" --wrap 'until [ -e go ]; do sleep 0.1; done; printf end')
	rm -f "$LAB/out/go"
	wait_job "$job" RUNNING || return 1
	wait_until 10 test -s "$(job_dir n1 "$job")/steps.jsonl" || return 1
	dir=$(job_dir n1 "$job")
	(umask 077
	 printf '{"start": %d}\n' $(($(date +%s) - age)) > "$dir/job.json"
	 printf '%s\n' "$BLOCK" > "$dir/block"
	 for f in $files; do : > "$dir/$f"; done)
	touch "$LAB/out/go"
	wait_job "$job" COMPLETED || return 1
	wait_until 10 node_free n1
	cat "$LAB"/out/*"$job"*.out 2> /dev/null || cat "$LAB"/out/array.out
}
is "the block ends the output" "$(output 700 "")" "end
$BLOCK"
is "not of a short job" "$(output 500 "")" end
is "nor where it is not wanted" "$(output 700 "" --assay=no-report)" end
is "nor where the site says no" "$(output 700 noblock)" end
is "unless it is asked for" "$(output 700 noblock --assay=report)" "end
$BLOCK"
is "nor of an array" \
	"$(output 700 "" --assay=report -a 7 -o "$LAB/out/array.out")" end
BLOCK=$'# assay one\nfoul\n# assay \e[31mred\n#assay\n# assay two'
is "nor what does not look like it" "$(output 700 "")" 'end
# assay one
# assay two'

# ---- a second run ---------------------------------------------------------

job=$(submit -w n1 --requeue --assay=no-report --wrap \
	'[ "$SLURM_RESTART_COUNT" ] || sleep 60')
ok "a job runs" wait_job "$job" RUNNING
ok "and is noted" wait_until 10 test -s "$(job_dir n1 "$job")/steps.jsonl"
echo "# assay of the first run" > "$(job_dir n1 "$job")/block"
scontrol requeue "$job"
start_now "$job"
ok "requeued it completes" wait_job "$job" COMPLETED
is "and only its second run is noted" \
	"$(events n1 "$job" 'select(.event == "begin") | .step')" batch
ok "without the first one's block" test ! -e "$(job_dir n1 "$job")/block"
is "no node was drained" "$(drained_nodes)" ""
suite_end

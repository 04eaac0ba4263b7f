#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a job's user can try against the plugin, which runs as root: nothing of
# his is opened, and nothing that he forges is believed further than his own
# report.
. "${0%/*}/lib.sh"
suite_assay
suite_spank
CLUSTER_NODES=1
# What is rendered is put there by hand.
CLUSTER_ASSAY='[watch]
enabled = no'
suite_up

lines_are_json() { jq -e . "$(job_dir n1 "$1")/steps.jsonl" > /dev/null; }

# ---- the run directory ----------------------------------------------------

cat > "$LAB/out/tricks.sh" <<'S'
#!/bin/bash
# the tries below are of an ordinary user
d=/run/assay/$SLURM_JOB_ID
for i in {1..50}; do [ -d $d ] && break; sleep 0.1; done
t() { "$@" 2> /dev/null && echo "could: $*"; }
t ls $d
t ls /run/assay
t cat $d/steps.jsonl
t cat $d/choice
t ln -s /etc/passwd $d/block
t ln -sf /etc/shadow $d/steps.jsonl
t mkfifo $d/block
t touch $d/noblock
t rm -f $d/steps.jsonl
t mv $d/steps.jsonl $d/x
t mv $d /run/assay/x
t mkdir /run/assay/99999
t ln -s /tmp /run/assay/99998
t sh -c "echo '# assay mine' > $d/block"
t sh -c "echo x >> $d/steps.jsonl"
echo tried
S
job=$(submit --assay=report "$LAB/out/tricks.sh")
ok "a job that tries" wait_job "$job" COMPLETED
is "can do nothing there" "$(cat "$LAB/out/$job.out")" tried
is "and is noted like any other" \
	"$(events n1 "$job" .event | tr '\n' ' ')" "begin task end "

# A directory of his own in its place: the plugin asks whose it is.
mine=$LAB/nodes/n1/var/run
cat > "$LAB/out/wait.sh" <<'S'
#!/bin/bash
until [ -e go ]; do sleep 0.1; done
S
swapped() {	# COMMAND... : run on a job's directory before its steps
	job=$(submit "$LAB/out/wait.sh")
	rm -f "$LAB/out/go"
	wait_job "$job" RUNNING || return 1
	wait_until 10 test -s "$mine/$job/steps.jsonl" || return 1
	rm -f "$mine/$job/steps.jsonl"
	printf '{"start": 1}\n' > "$mine/$job/job.json"
	"$@"
	touch "$LAB/out/go"
	wait_job "$job" COMPLETED
}
victim() { printf precious > "$LAB/victim"; chmod 644 "$LAB/victim"; }

# Only root could do these; even then nothing else is touched.
link() { ln -s "$LAB/victim" "$mine/$job/$1"; }
victim
ok "a link in place of the notes: the job completes" swapped link steps.jsonl
is "what it points to is left alone" "$(cat "$LAB/victim")" precious
ok "a pipe: the job completes" \
	swapped eval 'mkfifo "$mine/$job/steps.jsonl" "$mine/$job/block"'
printf '# assay stolen\n' > "$LAB/victim"
ok "a link in place of the block: the job completes" swapped link block
is "nothing of it is shown" "$(cat "$LAB/out/$job.out")" ""
ok "a block of the user's: the job completes" swapped eval \
	'echo "# assay mine" > "$mine/$job/block"; chown 65534 "$mine/$job/block"'
is "it is not shown" "$(cat "$LAB/out/$job.out")" ""
ok "a block that anybody may write: the job completes" swapped eval \
	'echo "# assay mine" > "$mine/$job/block"; chmod 666 "$mine/$job/block"'
is "it is not shown" "$(cat "$LAB/out/$job.out")" ""
ok "root's own block: the job completes" swapped eval \
	'echo "# assay good" > "$mine/$job/block"'
is "it is shown" "$(cat "$LAB/out/$job.out")" $'\n# assay good'

cat > "$LAB/out/steps.sh" <<'S'
#!/bin/bash
until [ -e go ]; do sleep 0.1; done
srun true
S
taken() {
	job=$(submit "$LAB/out/steps.sh")
	rm -f "$LAB/out/go"
	wait_job "$job" RUNNING || return 1
	wait_until 10 test -s "$mine/$job/steps.jsonl" || return 1
	chown 65534 "$mine/$job"
	touch "$LAB/out/go"
	wait_job "$job" COMPLETED
}
ok "a directory that is not root's: the job completes" taken
is "its later steps write nothing there" "$(events n1 "$job" 'select(.step == "0")')" ""

# ---- what he sets ---------------------------------------------------------

V=_SLURM_SPANK_OPTION_assay_assay
forged=$'no-report\n# assay fake\033[31m,x'
for name in $V SPANK_$V SPANK__$V SLURM_SPANK_$V SPANK_ASSAY SPANK_assay; do
	job=$(as_user env "$name=$forged" timeout 20 sbatch --parsable \
		-o "$LAB/out/%j.out" --export=ALL --wrap 'srun true' 2> "$SAID")
	if [ "$name" = SLURM_SPANK_$V ]; then
		is "forged $name is refused" "$job" ""
		continue
	fi
	ok "forged $name: the job completes" wait_job "$job" COMPLETED
	is "no word of it is noted" \
		"$(cat "$(job_dir n1 "$job")/choice" 2> /dev/null)" ""
	is "nor shown" "$(cat "$LAB/out/$job.out")" ""
	ok "what is noted is whole" lines_are_json "$job"
done

# A submission without any plugin checks nothing: what comes is looked at again.
cp "$SLURM_CONF" "$LAB/etc/bare.conf"
sed -i '/^PlugStackConfig/d' "$LAB/etc/bare.conf"
echo "PlugStackConfig=$LAB/etc/none" >> "$LAB/etc/bare.conf"
touch "$LAB/etc/none"
bare() {	# VALUE
	as_user env SLURM_CONF="$LAB/etc/bare.conf" "$V=$1" timeout 20 sbatch \
		--parsable -o "$LAB/out/%j.out" --export=ALL --wrap true
}
job=$(bare "$forged")
ok "unchecked rubbish: the job completes" wait_job "$job" COMPLETED
is "nothing is noted of it" \
	"$(cat "$(job_dir n1 "$job")/choice" 2> /dev/null)" ""
job=$(bare "lint,no-report,$(printf '%05000d' 0)")
ok "words of another build: the job completes" wait_job "$job" COMPLETED
is "the known one counts" "$(cat "$(job_dir n1 "$job")/choice")" no-report

job=$(as_user env SLURM_JOB_ID=1 SLURM_STEP_ID=9 SLURM_RESTART_COUNT=7 \
	SLURMD_NODENAME=../../etc timeout 20 sbatch --parsable \
	-o "$LAB/out/%j.out" --export=ALL --comment=$'"\n{' \
	--job-name=$'a\n# assay fake\033[31m"}' --wrap true)
ok "odd names: the job completes" wait_job "$job" COMPLETED
ok "what is noted is whole" lines_are_json "$job"
is "and about itself" "$(events n1 "$job" .step | sort -u)" batch

forge() { echo "# assay good" > "$mine/$job/block"; }
cat > "$LAB/out/array.sh" <<'S'
#!/bin/bash
export SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_JOB_ID=3
until [ -e go ]; do sleep 0.1; done
S
cp "$LAB/out/array.sh" "$LAB/out/wait.sh"
ok "a script that forges an array in itself" swapped forge
is "is no array" "$(cat "$LAB/out/$job.out")" $'\n# assay good'
is "no node was drained" "$(drained_nodes)" ""
suite_end

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay publish: off by default, by slurmctld, by hand, by a timer.
. "$(dirname "$0")/lib.sh"

# An accounting that keeps the comment of job 7 in a file.
script() {	# NAME : stdin is its body
	{ printf '#!/bin/sh\ncd %s\n' "$T"; cat; } > "$T/$1"
	chmod 755 "$T/$1"
}
script sacct <<'S'
while [ -e hang ]; do : > hangs; sleep 0.1; done
echo "sacct $*" >> calls
[ "$7" = AdminComment ] ||
	printf '7|7|lab|COMPLETED|%s|600|1|8|cpu=8,mem=8G|n1|' "$(cat start)"
cat comment
echo
S
script sacctmgr <<'S'
echo "sacctmgr $*" >> calls
printf %s "${8#AdminComment=}" > comment
S
date +%FT%T > "$T/start"
: > "$T/comment"
calls() { cat "$T/calls" 2> /dev/null; }
comment() { cat "$T/comment"; }
fresh() { : > "$T/comment"; rm -f "$T/calls"; }

mkdir -p "$T/shared/jobs/7.0"
start=$(date +%s)
cat > "$T/shared/jobs/7.0/n1.json" <<J
{"schema": "assay.job/1", "kind": "node",
 "job": {"id": 7, "restart": 0, "node": "n1", "nodes": 1, "start": $start,
  "end": $((start + 600)), "elapsed_s": 600, "state": "completed"},
 "node": [{"node": "n1", "state": "completed", "watch": "whole",
  "start": $start, "end": $((start + 600)), "cpu_seconds": 1200,
  "cores_alloc": 8, "mem_peak_bytes": 1000000, "mem_limit_bytes": 8000000}],
 "gpu": []}
J

conf() {	# [LINES OF [report]]
	config <<-C
	shared_dir = $T/shared
	shared_user = $(id -un)
	[slurm]
	sacct = $T/sacct
	sacctmgr = $T/sacctmgr
	[report]
	$1
	C
}
C="--config $T/assay.conf"
by_slurmctld() {	# CODE ENVIRONMENT...
	want=$1; shift
	env -i "$@" "$ASSAY" $C publish > "$T/out" 2>&1 < /dev/null
	[ $? = "$want" ]
}
by_its_own_name() {
	ln -sf "$ASSAY" "$T/assay-publish"
	env -i "$T/assay-publish" $C > "$T/out" 2>&1 < /dev/null
	[ $? = 2 ]
}
waits_for() {	# COMMAND... : up to ten seconds
	n=0
	until "$@"; do
		n=$((n + 1))
		[ $n -lt 100 ] || return 1
		sleep 0.1
	done
}
has_comment() { comment | grep -q '^JS1:H4sI'; }

conf ''
ok "it is off" leaves 2 publish $C 7
ok "as is said" says 'publish = no'
ok "slurmctld may call it nevertheless" by_slurmctld 0 SLURM_JOB_ID=7
ok "and nothing is said" says_nothing
ok "nor done" test ! -e "$T/spool/publish"

conf 'publish = yes'
ok "a job by hand" leaves 0 publish $C 7
ok "is told" says 'job 7: comment written'
ok "and written" has_comment
ok "with the cluster" grep -q ' where jobid=7 cluster=lab set ' "$T/calls"
ok "twice is once" leaves 0 publish $C 7
ok "as is said" says 'has this comment already'
fresh
echo 'a ticket' > "$T/comment"
ok "what somebody else wrote" leaves 0 publish $C 7
ok "stays" test "$(comment)" = 'a ticket'
ok "and is told" says 'not assay.s'
fresh
ok "a job of which nobody told" leaves 1 publish $C 8
ok "is not asked for" test -z "$(calls)"

ok "it wants a job" leaves 2 publish $C
ok "which is a number" leaves 2 publish $C 7x
ok "one" leaves 2 publish $C 7 8
ok "alone" leaves 2 publish $C 7 --once
ok "seconds are a number" leaves 2 publish $C --since yesterday
ok "in 80 columns" is_narrow
ok "other words are refused" leaves 2 publish $C --now
ok "slurm.conf can name it without arguments" by_its_own_name
ok "then it is this command" says 'assay publish'

fresh
: > "$T/hang"
before=$(date +%s)
ok "slurmctld does not wait for the accounting" by_slurmctld 0 SLURM_JOB_ID=7
ok "it returns at once" test $(($(date +%s) - before)) -lt 10
ok "while that does not answer" waits_for test -e "$T/hangs"
ok "the job waits in the queue" test -e "$T/spool/publish/7"
ok "one writer is enough" by_slurmctld 0 SLURM_JOB_ID=7
rm "$T/hang"
ok "it is written when the accounting answers" waits_for has_comment
ok "and waits no more" waits_for test ! -e "$T/spool/publish/7"
ok "a job id that is none" by_slurmctld 2 'SLURM_JOB_ID=7;id'

fresh
touch -d @$((start - 60)) "$T/shared/jobs/7.0"
ok "a timer looks for jobs" leaves 0 publish $C --since 3600
ok "that nodes have told of" has_comment
rm -f "$T/calls"
ok "each once" leaves 0 publish $C --since 3600
ok "without a question" test -z "$(calls)"
: > "$T/spool/publish/7"
fresh
ok "and works through the queue" leaves 0 publish $C --once
ok "to its end" has_comment
ok "which is empty then" test ! -e "$T/spool/publish/7"

HUNG=$BUILD/tests/fake/hung
if "$HUNG" "$T/shared" true; then
	: > "$T/spool/publish/7"
	fresh
	ASSAY="timeout 30 $HUNG $T/shared $ASSAY"
	in_the_dark() { $ASSAY publish $C "$@" > "$T/out" 2>&1; [ $? = 1 ]; }
	for word in "--since 3600" --once 7; do
		ok "shared_dir hangs: publish $word does not" in_the_dark $word
		ok "and says so" says 'shared_dir .* does not answer'
	done
	ok "the job waits" test -e "$T/spool/publish/7"
	ASSAY=$BUILD/assay
	ok "until it answers" leaves 0 publish $C --once
	ok "and gets its comment" has_comment
fi

chmod 777 "$T/spool/publish"
ok "a queue that others may write" leaves 2 publish $C --once
ok "is not used" says 'may be written by others'
chmod 700 "$T/spool/publish"
: > "$T/OFF"
fresh
ok "switched off" leaves 0 publish $C --since 3600
ok "it does nothing" test -z "$(calls)"
rm "$T/OFF"
conf 'publish = perhaps'
ok "a broken section" leaves 2 publish $C 7
ok "is told" says 'publish'
ok "also to slurmctld" by_slurmctld 2 SLURM_JOB_ID=7
config <<C
[report]
publish = yes
C
ok "without a shared directory" leaves 2 publish $C 7
ok "there is nothing to publish from" says 'shared_dir'
done_testing

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Many at once: two jobs on a node, eight Prologs, an array of 200 jobs, and a
# job that has no GPUs.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=2
CLUSTER_CONF='MaxArraySize=1001'
_array_done() { [ -z "$(squeue -h -j "$1" 2> /dev/null)" ]; }
suite_up

# only what is the job's may drain
remap_failed n1 7
a=$(submit -w n1 -c1 --gres=gpu:4 --wrap 'sleep 2')
b=$(submit -w n1 -c1 --wrap 'sleep 1')
ok "a job with healthy GPUs beside a broken one runs" wait_job "$a" COMPLETED
ok "so does a job without GPUs" wait_job "$b" COMPLETED
is "the broken GPU is only mentioned" "$(checked n1 "$a" gpu_remap)" WARN
ok "the node stays" wait_until 5 node_free n1
like "GPU checks do not apply without GPUs" \
	"$(checked n1 "$b" gpu_remap)" '^(SKIP|)$'
c=$(submit -w n1 -c1 --gres=gpu:8 --wrap true)
ok "the job that gets it meets it" wait_drained n1
like "by its name" "$(node_reason n1)" '^assay:gpu_remap GPU7'
scancel "$c"
hw_new n1
resume n1

jobs=
for i in 1 2 3 4 5 6 7 8; do
	jobs+=" $(submit -w n2 -c1 --gres=gpu:1 --wrap 'sleep 1')"
done
for j in $jobs; do
	ok "one of eight at once: $j" wait_job "$j" COMPLETED 40
done
is "nothing drained" "$(drained_nodes)" ""

t0=$SECONDS
array=$(submit -a 1-200 -c1 -o /dev/null --wrap 'sleep 1')
ok "an array of 200 jobs completes" wait_until 120 _array_done "$array"
diag "200 jobs of a second on 32 CPUs: $((SECONDS - t0)) s"
is "all of them well" "$(scontrol -o show job "$array" |
	grep -o 'JobState=[A-Z]*' | sort | uniq -c | tr -s ' ')" \
	" 200 JobState=COMPLETED"
is "nothing drained" "$(drained_nodes)" ""
for n in n1 n2; do
	is "every job of $n has ended for assay" \
		"$(find "$LAB/nodes/$n/var/run" -name verdict.json | wc -l)" \
		"$(find "$LAB/nodes/$n/var/run" -name ended | wc -l)"
done
suite_end

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Active probes: the gate of a job that owns the node measures its GPUs and
# drains a node with one slow memory, one slow link or one SM that computes
# wrong; what is not a job's alone is not loaded; health finds the same on the
# idle node, and gives way to a job.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=4
CLUSTER_ASSAY='[budget]
quick = always
quick_ttl = 0'
suite_up

# Rates of a healthy node; its driver wakes fast.
measured() {	# NODE
	hw_set "$1" '.cuda = {gpus: [range(8) | {hbm_gbps: 2970,
		gemm_tflops: 620, h2d_gbps: 54, d2h_gbps: 52, p2p_gbps: 380,
		context_ms: 20}]}'
}
for n in n1 n2 n3 n4; do measured $n; done
note() {	# NODE JOB CHECK : why it was skipped
	verdict "$1" "$2" ".checks[] | select(.name == \"$3\") | .note"
}
drop() {	# JOB... : not before slurmctld knows that its Prolog failed
	local j
	for j; do
		wait_until 20 job_is "$j" PENDING
		scancel "$j"
	done
}
health() {	# NODE
	cluster_on "$1" timeout 60 "$ASSAY" health
}

job=$(whole -N2 --wrap 'srun hostname')
ok "a healthy job runs" wait_job "$job" COMPLETED
is "its GPUs were opened" "$(checked n1 "$job" gpu_context)" PASS
is "their links measured" "$(checked n1 "$job" gpu_pcie_bw)" PASS
is "and the copies between them" "$(checked n2 "$job" nvlink_bw)" PASS
ok "the record has the figures" test "$(verdict n1 "$job" '.checks[] |
	select(.name == "gpu_pcie_bw") | .measured[3].h2d_gbps | floor')" = 54
kernels=yes
[ "$(verdict n1 "$job" .probes.kernels)" != null ] || kernels=
ok "nothing is drained" nodes_free

# one slow link: the driver copies at a third of what the link can
hw_set n2 '.cuda.gpus[6].h2d_gbps = 17'
job=$(whole -w n2 --wrap true)
ok "a slow link drains" wait_drained n2 20
like "and is named" "$(node_reason n2)" \
	"^assay:gpu_pcie_bw GPU6 17[.0-9]*<[0-9.]+ GB/s.* \\[service\\] job $job"
drop "$job"

if [ -n "$kernels" ]; then
	hw_set n3 '.cuda.gpus[3].hbm_gbps = 1710'
	job=$(whole -w n3 --wrap true)
	ok "a slow memory drains" wait_drained n3 20
	like "and is named" "$(node_reason n3)" \
		"^assay:gpu_membw GPU3 1710<[0-9]+ GB/s.* job $job"
	drop "$job"
	hw_set n4 '.cuda.gpus[5].corrupt = {kernel: "gemm", sm: 17,
		flip_bit: 12}'
	job=$(whole -w n4 --wrap true)
	ok "an SM that computes wrong drains" wait_drained n4 20
	like "and is named" "$(node_reason n4)" \
		"^assay:gpu_gemm GPU5 SM 17 .*job $job"
	drop "$job"
else
	skip "a slow memory, a wrong SM" "built without nvcc: no kernels"
fi

# a job that does not own the node loads nothing
for n in n2 n3 n4; do hw_new $n; measured $n; done
resume n2 n3 n4
a=$(submit -w n1 --gres=gpu:2 -c1 --wrap 'sleep 30')
ok "a job of two GPUs runs" wait_job "$a" RUNNING
b=$(submit -w n1 --gres=gpu:2 -c1 --wrap true)
ok "another one beside it" wait_job "$b" COMPLETED
is "the first loaded nothing" "$(checked n1 "$a" gpu_pcie_bw)" SKIP
is "nor did the second" "$(checked n1 "$b" gpu_pcie_bw)" SKIP
like "and says why" "$(note n1 "$b" gpu_pcie_bw)" 'does not own'

# nor does the health check or a person while jobs run
passes() { cksum < "$LAB/nodes/n1/var/state/probes.json"; }
before=$(passes)
health n1 > "$LAB/out/health" 2>&1
is "health loads nothing beside a job" "$(passes)" "$before"
out=$(cluster_on n1 "$ASSAY" check --only gpu_pcie_bw --json)
is "neither does a person's check" \
	"$(jq -r '.checks[0].note' <<< "$out")" "jobs run on this node"
scancel "$a"

# a probe that stalls is not the job's trouble
hw_set n2 '.cuda.gpus[4].DevicePrimaryCtxRetain = {hang_ms: -1}'
t0=${EPOCHREALTIME/[.,]/}
job=$(whole -w n2 --wrap true)
ok "a driver that stalls under a probe: the job runs" \
	wait_job "$job" COMPLETED 30
ok "within the gate's time and a second" \
	test $((${EPOCHREALTIME/[.,]/} - t0)) -lt 12000000
ok "the node stays" node_free n2
is "the others were measured" "$(checked n2 "$job" gpu_pcie_bw)" PASS
hw_new n2; measured n2

# auto: only where the limit is known, and long enough
conf_all '[budget]
quick = auto'
rm -f "$LAB"/nodes/*/var/state/probes.json	# as if never measured
job=$(whole -w n3 -t 60 --wrap true)
ok "an hour's job runs" wait_job "$job" COMPLETED
if [ "$(cluster_version)" -ge 2302 ]; then
	is "it is measured" "$(checked n3 "$job" gpu_pcie_bw)" PASS
	job=$(whole -w n3 -t 60 --wrap true)
	ok "so does the next" wait_job "$job" COMPLETED
	like "not measured again" "$(note n3 "$job" gpu_pcie_bw)" 'lately'
	job=$(whole -w n4 -t 5 --wrap true)
	ok "five minutes' job" wait_job "$job" COMPLETED
	like "is too short" "$(note n4 "$job" gpu_pcie_bw)" 'shorter'
	job=$(whole -w n2 -t 60 --wrap true)
	ok "an hour's job on another node" wait_job "$job" COMPLETED
	# and now both as if they had never been measured
	rm -f "$LAB"/nodes/n[23]/var/state/probes.json
	if [ -n "$kernels" ]; then
		hw_set n2 '.cuda.gpus[3].hbm_gbps = 1710'
		hw_set n3 '.cuda.gpus[5].corrupt = {kernel: "gemm", sm: 17,
			flip_bit: 12}'
	else
		hw_set n2 '.cuda.gpus[3].h2d_gbps = 17'
		hw_set n3 '.cuda.gpus[5].corrupt = {kernel: "d2h",
			flip_bit: 12}'
	fi
	a=$(whole -w n2 -t 60 --wrap true)
	b=$(whole -w n3 -t 60 --wrap true)
	ok "an hour's job and a slow GPU" wait_drained n2 20
	like "drain the node" "$(node_reason n2)" \
		"^assay:gpu_(membw GPU3 1710|pcie_bw GPU3 17[.0-9]*)<.* job $a"
	ok "an hour's job and one that is wrong" wait_drained n3 20
	like "too" "$(node_reason n3)" \
		"^assay:gpu_(gemm GPU5 SM 17|pcie_bw GPU5) .* job $b"
	drop "$a" "$b"
else
	like "its limit is not known" "$(note n3 "$job" gpu_pcie_bw)" \
		'not known'
fi

# health on an idle node
hw_set n4 '.cuda.gpus[1].d2h_gbps = 15'
health n4 > "$LAB/out/health" 2>&1
ok "and drains the idle node" wait_drained n4
like "with the reason" "$(node_reason n4)" '^assay:gpu_pcie_bw GPU1 15'
suite_end

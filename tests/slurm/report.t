#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A job on four nodes whose hardware moves: one GPU slowed down by its
# hardware, one idle, one port that flaps, and an XID at a known second. What
# comes of it - while the job runs, at the end of its output, as a report, as
# JSON, as a page, for the accounting, as metrics - says exactly that; the
# figures are computed here from what the hardware was told to do.
. "${0%/*}/lib.sh"
suite_assay
suite_spank
CLUSTER_NODES=4
CLUSTER_TOPOLOGY='SwitchName=leaf1 Nodes=n[1-2]
SwitchName=leaf2 Nodes=n[3-4]
SwitchName=spine Switches=leaf[1-2]'
CLUSTER_ASSAY='[watch]
interval_s = 1
[report]
block_after_s = 5'
RUNS_S=30
no_accounting=$(accounting_can) && {
	CLUSTER_ACCOUNTING=yes
	. "${0%/*}/publisher.sh"
	RUNS_S=64	# a comment tells of no shorter job than a minute
}
suite_up

BUSY_W=600	# of a GPU that computes
IDLE_W=90
SLOW=3		# on n2
UNUSED=5	# on n3
CPU_S=3		# of a process on each node
MEM_MB=64	# that it holds
HELD_GB=62	# of a computing GPU's memory

mkdir -m 1777 "$LAB/shared"
mkdir -m 755 "$LAB/metrics"
for n in $(_nodes); do mkdir "$LAB/metrics/$n"; done
conf_node() {	# NODE
	conf_new "$1" "[paths]
shared_dir = $LAB/shared
shared_user = nobody
[report]
metrics_dir = $LAB/metrics/$1"
}
for n in $(_nodes); do conf_node "$n"; done
[ -n "$no_accounting" ] || {
	conf_publish "$SACCTMGR" "$LAB/shared" nobody
	echo "publish_wait_s = 60"	# all four tell
} > "$CTL/assay.conf"

# ---- hardware that moves ----------------------------------------------------

computes() {	# NODE : all of its GPUs, from now on
	hw_set "$1" ".nvml.gpus |= map(. * {
		GetUtilizationRates: {gpu: 100, memory: 40},
		GetPowerUsage: ($BUSY_W * 1000),
		GetMemoryInfo_v2: {used: ($HELD_GB * 1000000000)},
		GetClockInfo: {\"0\": 1980, \"1\": 1980, \"2\": 2619},
		GpmQueryDeviceSupport: 1,
		GpmMetricsGet: {\"2\": 92, \"5\": 55, \"10\": 30},
		GetFieldValues: {
			\"83\": {ramp: {start: 5000000, per_s: ($BUSY_W * 1000)}},
			\"270\": 1000,
			\"138:4294967295\": {ramp: {start: 1000, per_s: 1000000}},
			\"139:4294967295\": {ramp: {start: 1000, per_s: 1000000}}}})"
}
rests() {	# NODE GPU
	hw_set "$1" ".nvml.gpus[$2] |= . * {
		GetUtilizationRates: {gpu: 0, memory: 0},
		GetPowerUsage: ($IDLE_W * 1000),
		GetMemoryInfo_v2: {used: 0},
		GpmMetricsGet: {\"2\": 0, \"5\": 0, \"10\": 0},
		GetFieldValues: {
			\"83\": {ramp: {start: 5000000, per_s: ($IDLE_W * 1000)}},
			\"138:4294967295\": 1000, \"139:4294967295\": 1000}}"
}
slows() {	# NODE GPU : held down by its hardware nine tenths of the time
	hw_set "$1" ".nvml.gpus[$2] |= . * {
		GetClockInfo: {\"0\": 1200, \"1\": 1200, \"2\": 2619},
		GetCurrentClocksEventReasons: 72,
		GetFieldValues: {
			\"270\": {ramp: {start: 1000, per_s: 900000000}}}}"
}
port() {	# NODE FILE TEXT : of mlx5_2, a file as the kernel shows it
	local f=$LAB/nodes/$1/hw/root/sys/class/infiniband/mlx5_2/ports/1/$2
	printf '%s\n' "$3" > "$f.new" && cat "$f.new" > "$f" && rm "$f.new"
}

for n in $(_nodes); do computes "$n"; done
slows n2 $SLOW
rests n3 $UNUSED

# ---- the job ---------------------------------------------------------------

# A limit of CPU time ends the process that uses it up.
cat > "$LAB/out/job.sh" <<S
#!/bin/bash
srun -N4 -n4 --ntasks-per-node=1 bash -c '
	x=\$(head -c ${MEM_MB}M /dev/zero | tr "\\0" x)
	ulimit -c 0 -S -t $CPU_S; while :; do :; done' > /dev/null 2>&1
until [ -e $LAB/out/go ]; do sleep 1; done
exit 3
S
job=$(whole -N4 --time=60 "$LAB/out/job.sh")
ok "it runs" wait_job "$job" RUNNING
began=$(date +%s)
live() {	# JQ-PROGRAM : of the record on node n2, as of the last sample
	jq -r "$1" "$LAB/nodes/n2/var/run/$job/record.json" 2> /dev/null
}
sampled() { [ "$(live '.watch.samples // 0')" -ge 3 ]; }
ok "its nodes are sampled" wait_until 30 sampled

# the port goes down for some seconds, and an XID is logged
xid_at=$(date +%s)
hw_kmsg n1 "NVRM: Xid (PCI:$(gpu_pci n1 6)): 94, pid=4242, name=train, Contained ECC error"
port n4 state '1: DOWN'
port n4 phys_state '2: Polling'
sleep 4
port n4 state '4: ACTIVE'
port n4 phys_state '5: LinkUp'
port n4 counters/link_downed 1

report() {	# NODE ARGUMENTS...
	cluster_on "$1" "$ASSAY" report "${@:2}" 2>&1
}
tells() { report n1 "$job" > "$LAB/out/live"; grep -q "$1" "$LAB/out/live"; }
ok "before its end the report tells of the XID" wait_until 20 tells 'XID 94'
report n2 "$job" > "$LAB/out/live2"
ok "with the node's figures" \
	grep -qE '^n2 +GPU3 .* [1-9][0-9]* +(0|-)$' "$LAB/out/live2"
like "that the job still runs" "$(cat "$LAB/out/live")" 'running'

while [ $(($(date +%s) - began)) -lt $RUNS_S ]; do sleep 1; done
touch "$LAB/out/go"
ok "it fails by itself" wait_job "$job" FAILED
ended=$(date +%s)
over() {
	local n
	for n in $(_nodes); do
		[[ $(node_state "$n") =~ ^(IDLE|DRAIN) ]] || return 1
	done
}
ok "its nodes are done with it" wait_until 30 over
elapsed=$((ended - began))

# ---- the end of its output ---------------------------------------------------

out=$LAB/out/$job.out
diag "$(cat "$out")"
is "the block ends the job's output" \
	"$(grep -vcE '^(# assay .*)?$' "$out")" 0
ok "in at most twelve lines" test "$(wc -l < "$out")" -le 12
ok "and at least five" test "$(wc -l < "$out")" -ge 5

# ---- the report ---------------------------------------------------------------

published() {
	[ "$(ls "$LAB/shared/jobs/$job.0" 2> /dev/null | grep -c '\.json$')" = 4 ]
}
ok "all nodes publish their records" wait_until 30 published
report n1 "$job" > "$LAB/out/report"
diag "$(cat "$LAB/out/report")"
said() { tr -s '\n ' ' ' < "$LAB/out/report"; }
like "32 GPUs on 4 nodes" "$(said)" '32 GPUs .* on 4 nodes'
like "31 of them used" "$(said)" '31 of 32 used \(idle: n3 GPU5\)'
like "who was held down, most" "$(said)" 'held down: heat [0-9]+; most n2 GPU3'
like "who was slow, and why" "$(said)" \
	'slow: n2 GPU3, .*: held down by heat for [0-9]+ s'
like "what they did" "$(said)" 'SMs active [89][0-9]%.*tensor cores 5[0-9]%'
like "that the hardware is the limit" "$(said)" 'the hardware is the limit'
like "the XID and its GPU" "$(said)" 'n1 GPU6 XID 94'
like "the link that flapped" "$(said)" 'n4 mlx5_2'

report n1 "$job" --json > "$LAB/out/report.json"
r() { jq -r "$1" "$LAB/out/report.json"; }
about() {	# NAME VALUE EXPECTED TOLERANCE-PERCENT
	ok "$1: $2, expected $3 +-$4%" awk -v v="$2" -v e="$3" -v t="$4" \
		'BEGIN { exit !(v >= e * (1 - t / 100) && v <= e * (1 + t / 100)) }'
}
is "all nodes reported" "$(r '.nodes.reported')" 4
is "it failed" "$(r '.job.state')" failed
is "with its exit code" "$(r '.job.exit_code')" 3
about "seconds" "$(r .job.elapsed_s)" "$elapsed" 20
took=$(r .job.elapsed_s)
about "energy, J" "$(r .power.energy_j)" \
	$((took * (31 * BUSY_W + IDLE_W))) 15
about "energy of a GPU that computes" \
	"$(r '.gpu[] | select(.node == "n1" and .index == 0) | .energy_j')" \
	$((took * BUSY_W)) 15
about "of the one that rests" \
	"$(r '.gpu[] | select(.node == "n3" and .index == 5) | .energy_j')" \
	$((took * IDLE_W)) 15
about "seconds held down" \
	"$(r '.gpu[] | select(.node == "n2" and .index == 3) | .throttle_s.hw + .throttle_s.thermal')" \
	"$(awk "BEGIN { print $took * 0.9 }")" 20
is "nobody else was" \
	"$(r '[.gpu[] | select(.throttle_s.hw + .throttle_s.thermal > 0)] | length')" 1
about "the memory that it held" \
	"$(r '.gpu[] | select(.node == "n1" and .index == 0) | .mem_peak_bytes')" \
	${HELD_GB}000000000 1
like "and the most of all, in words" "$(said)" \
	"memory peak $HELD_GB of [0-9]+ GB"
is "the idle one is not called used" \
	"$(r '[.gpu[] | select(.used | not)] | map("\(.node) \(.index)") | join(",")')" \
	"n3 5"
about "the XID's second" \
	"$(r "[.faults[] | select(.number == 94)][0].time - $began + 100")" \
	$((xid_at - began + 100)) 3
is "and device" "$(r '[.faults[] | select(.number == 94)][0] | "\(.node) \(.device)"')" \
	"n1 GPU6"
is "the flap is the port's" \
	"$(r '[.fabric.port[] | select(.downs > 0)] | map("\(.node) \(.name)") | join(",")')" \
	"n4 mlx5_2"
is "once" "$(r '[.fabric.port[].downs] | add')" 1
is "the leaf switches that it spans" "$(r .fabric.leaf_switches)" 2
is "each node's own" "$(r '[.node[] | "\(.node) \(.leaf)"] | join(",")')" \
	"n1 leaf1,n2 leaf1,n3 leaf2,n4 leaf2"
is "without cgroups its processes tell of CPU and memory" \
	"$(r '[.node[] | .cpu_of, .mem_of] | unique | join(",")')" \
	"largest process,processes"
for n in n2 n3 n4; do
	about "CPU seconds of $n" \
		"$(r ".node[] | select(.node == \"$n\") | .cpu_seconds")" \
		"$CPU_S" 40
	ok "$n has used memory as it was to" test \
		"$(r ".node[] | select(.node == \"$n\") |
			.mem_peak_bytes / 1048576 |
			. >= $MEM_MB and . < 4 * $MEM_MB")" = true
done

# ---- the page ------------------------------------------------------------------

report n1 "$job" --html "$LAB/out/page.html"
for what in 'n3 GPU5' 'n2 GPU3' 'XID 94'; do
	ok "the page tells of $what" grep -q "$what" "$LAB/out/page.html"
done

# ---- metrics --------------------------------------------------------------------

ok "metrics are written on each node" test \
	"$(ls "$LAB"/metrics/n[1-4]/*.prom | wc -l)" -ge 4

# ---- the accounting --------------------------------------------------------------

if [ -n "$no_accounting" ]; then
	skip "the comment in the accounting" "$no_accounting"
	suite_end
fi
strictly() {	# as tests/meta/js1.py takes a comment apart
	comment "$job" | PYTHONPATH=$CLUSTER_SRC/tests/meta \
		SRCDIR=$CLUSTER_SRC BUILD=$BUILD python3 -c '
import sys, js1
got = js1.unpack(sys.stdin.read().rstrip("\n"))
bad = list(js1.trouble(got))
print("\n".join(bad))
sys.exit(bool(bad))'
}
gpus() {	# JQ-PROGRAM : of "NODE MINOR" and the utilization
	told "$job" "[.nodes | to_entries[] | .key as \$n |
		.value.gpu_utilization | to_entries[] |
		{gpu: \"\(\$n) \(.key)\", busy: .value}] | $1"
}
ok "the job gets its comment" wait_until 60 has_comment "$job"
ok "which a strict reader takes" strictly
is "it is of all nodes" "$(told "$job" '.nodes | keys | join(" ")')" \
	"n1 n2 n3 n4"
is "none was missing" "$(told "$job" '.assay | .partial // .nodes.missing')" \
	null
is "with as many GPUs as Slurm gave it" "$(told "$job" .gpus)" 32
is "each by its number" "$(gpus length)" 32
is "the idle one did nothing, and it alone" \
	"$(gpus 'map(select(.busy == 0).gpu) | join(",")')" "n3 $UNUSED"
about "the others were busy, the least, percent" \
	"$(gpus "map(select(.gpu != \"n3 $UNUSED\").busy) | min")" 100 5
is "the CPUs of each" "$(told "$job" '[.nodes[].cpus] | unique | join(",")')" \
	"$CLUSTER_CPUS"
for n in n2 n3 n4; do
	about "CPU seconds of $n" "$(told "$job" ".nodes.$n.total_time")" \
		"$CPU_S" 40
done
is "memory is the node's, as Slurm shares out none" \
	"$(told "$job" '[.nodes[].total_memory] | unique | join(",")')" \
	"$(awk '/^MemTotal:/ { printf "%d", $2 * 1024 }' \
		"$LAB/nodes/n1/hw/root/proc/meminfo")"
is "that what was used is a process's is said" \
	"$(told "$job" '[.nodes[].assay.mem_of_process] | unique')" '[true]'
is "the time is what Slurm counted" "$(told "$job" .total_time)" \
	"$(timeout 10 sacct -nPX -j "$job" -o ElapsedRaw)"
is "who was held down" "$(told "$job" '[.nodes | to_entries[] | .key as $n |
	.value.assay.gpu[] | select((.throttle_s.hw // 0) +
		(.throttle_s.thermal // 0) > 0) | "\($n) \(.index)"]')" \
	"[\"n2 $SLOW\"]"
about "energy, J" "$(told "$job" .assay.power.energy_j)" \
	$((took * (31 * BUSY_W + IDLE_W))) 15
is "the XID is in it" "$(told "$job" '[.assay.faults[] |
	select(.number == 94) | "\(.node) \(.device)"]')" '["n1 GPU6"]'
is "and the switches" "$(told "$job" .assay.fabric.leaf_switches)" 2

# No node's file is there for this one to read.
{
	printf '[paths]\nstate = %s\nrun = %s\nspool = %s\n' \
		"$CTL/state" "$CTL/none" "$CTL/none"
	printf '[slurm]\nsacct = %s\nconf = %s\n' \
		"$(command -v sacct)" "$SLURM_CONF"
} > "$CTL/elsewhere.conf"
"$ASSAY" --config "$CTL/elsewhere.conf" report "$job" > "$LAB/out/report" 2>&1
diag "$(cat "$LAB/out/report")"
like "the report says where it has it from" "$(said)" \
	'as the accounting keeps it'
like "32 GPUs on 4 nodes" "$(said)" '32 GPUs .* on 4 nodes'
like "who was idle" "$(said)" "31 of 32 used \\(idle: n3 GPU$UNUSED\\)"
like "the XID" "$(said)" 'n1 GPU6 XID 94'
suite_end

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/device with the stand-ins: it runs to its end, tells what is wrong, and
# has no figure where nothing can be measured.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 > /dev/null; then
	[ "${CI:-}" != true ] || { echo "1..1"; echo "not ok 1 - no python3"; exit 1; }
	echo "1..0 # SKIP no python3"
	exit 0
fi

LIBS=$BUILD/tests/fake/.libs
export BUILD ASSAY_SCENARIO="$T/scenario.json"
mkdir "$T/seq.d" "$T/none"

# The healthy node, of which PYTHON changes something: s is the scenario, g and
# c are the first GPU's answers.
scenario() {	# [PYTHON]
	rm -f "$T"/seq.d/*
	python3 - "$SRCDIR/tests/fixtures/scenarios/h100x8-active.json" \
		"$ASSAY_SCENARIO.new" "${1:-}" <<-'P'
	import json, sys
	s = json.load(open(sys.argv[1]))
	g, c = s["nvml"]["gpus"][0], s["cuda"]["gpus"][0]
	exec(sys.argv[3])
	json.dump(s, open(sys.argv[2], "w"))
	P
	mv "$ASSAY_SCENARIO.new" "$ASSAY_SCENARIO"
}

script() {	# CODE ARGS... : the script; output in $T/out
	want=$1
	shift
	timeout 120 "$SRCDIR/tests/device/run" "$@" > "$T/out" 2>&1 < /dev/null
	got=$?
	[ "$got" = "$want" ] || { echo "# exit $got, not $want"; return 1; }
}
report() {	# CODE
	rm -rf "$T/report"
	script "$1" --libs "$LIBS" --root "$SRCDIR/tests/fixtures/roots/h100x8" \
		"$T/report"
}
device() {	# CODE ARGS... : the program
	want=$1
	shift
	"$BUILD/tests/device/device" --nvml "$LIBS/libnvidia-ml.so.1" \
		--cuda "$LIBS/libcuda.so.1" --nccl "$LIBS/libnccl.so.2" "$@" \
		> "$T/out" 2>&1 < /dev/null
	got=$?
	[ "$got" = "$want" ] || { echo "# exit $got, not $want"; return 1; }
}
row() { grep -qE -e "^\| $1 \| $2" "$T/report/report.md"; }
one_line() { [ "$(wc -l < "$T/out")" = 1 ]; }
# What needs kernels: the code, or 77 of a build without nvcc.
if grep -q '^#define HAVE_NVCC 1' "$BUILD/config.h"; then
	KERNELS=yes
fi
by_kernel() { if [ -n "${KERNELS:-}" ]; then echo "$1"; else echo "$2"; fi; }

# ---- the script -----------------------------------------------------------

scenario 'g.update({"GetUUID": "GPU-5ec2e700-0000-4000-8000-000000000000",
	"GpmQueryDeviceSupport": 1, "GpmMetricsGet": {"2": 45.5, "10": 88}})'
ok "a healthy node's report" report 0
ok "is told where it lies" says "^$T/report/report.md\$"
ok "it is a report of stand-ins" grep -q 'no figure here was measured' \
	"$T/report/report.md"
ok "of this card" row card 'NVIDIA H100 80GB HBM3, 132 SMs'
ok "with the driver" row driver '580\.95\.05'
for name in 'quick tier, wall' 'deep tier, wall'; do
	ok "a tier: $name" row "$name" '[0-9]+ ms \| of [13]; .* context [0-9]+'
done
ok "a probe of it" row gpu_pcie_bw 'PASS \| GPU0 h2d_gbps 54\.5, d2h_gbps 52\.5'
for name in 'phase: load and cuInit' \
	'phase: pcie_bw' 'phase: teardown' 'kernels, against the CPU' \
	'a scenario of the card' 'ptxas: no spill, no stack frame'; do
	ok "a row: $name" row "$name" '[^|]+\|'
done
for name in gpu_context gpu_membw gpu_gemm nvlink_bw nccl_allreduce \
	gpu_gemm_peak gpu_sdc gpu_mem_pattern gpu_sustain storage_read; do
	ok "a row: $name" row "$name" '[^|]+\|'
done
ok "rates" row 'PCIe, host to GPU' '54\.5 GB/s'
ok "both ways" row 'PCIe, GPU to host' '52\.5 GB/s'
ok "of memory" row 'HBM, triad' "$(by_kernel '2970 GB/s' 'not measured')"
ok "of reading it" row 'HBM, read kernel' \
	"$(by_kernel '2970 GB/s' 'not measured')"
ok "of the multiply" row 'GEMM rate' \
	"$(by_kernel '620 TFLOP/s' 'not measured')"
ok "its digests are equal" row 'GEMM digests, bit-equal' \
	"$(by_kernel 'right \| 5 times, 132 of 132 SMs' 'not measured')"
ok "latencies of NVML" row 'NVML fields of a GPU' 'p50 [0-9]+ µs, p99'
ok "beside a monitor, too" row 'NVML fields, beside a monitor' \
	'p50 .*; beside it: '
ok "which GPM metrics answer" row 'GPM metrics that answer' \
	'2 \| (over a load|at rest): 2 10 '
ok "NCCL alone" row 'NCCL, one rank' 'right \| NCCL 22703'
ok "settings" row 'settings left alone' right
ok "no framework can use stand-ins" row 'HBM, tuned copy of a framework' \
	'not measured \| stand-ins'
ok "nor the sanitizer" row 'compute-sanitizer, memcheck' 'not measured \| st'
ok "nothing names the card" not grep -rqi 5ec2e700 "$T/report/report.md" \
	"$T/report/scenario.json" "$T/report/info.json"

# The recorded card, played: the same is recorded of it, but for times.
same_record() {
	grep -v context_ms "$T/report/scenario.json" > "$T/first"
	grep -v context_ms "$T/again.json" > "$T/second"
	python3 - "$T/first" "$T/second" <<-'P'
	import re, sys
	a, b = (re.sub(r"\s", "", open(f).read()) for f in sys.argv[1:])
	sys.exit(a != b or len(a) < 20000)
	P
}
# And no check finds anything in it.
case_of_it() {
	mkdir "$T/case"
	cp "$T/report/scenario.json" "$T/case"
	cat > "$T/case/case.json" <<-C
	{"about": "a recorded card", "root": "$SRCDIR/tests/fixtures/roots/h100x8",
	"job": {"base": "$SRCDIR/tests/fixtures/jobs/h100x8.json"},
	"command": ["assay", "check", "--json"],
	"expect": {"exit": 0, "verdict": "run", "quiet": true,
	"checks": {"gpu_driver": "PASS", "gpu_count": "PASS",
	"gpu_remap": "PASS", "gpu_pcie": "PASS", "nvlink_links": "PASS"}}}
	C
	python3 -B "$SRCDIR/tests/run-case" "$T/case" > "$T/out" 2>&1
}
ok "the recorded card is a case of a healthy node" case_of_it
cp "$T/report/scenario.json" "$ASSAY_SCENARIO"
ok "what was recorded can be played" device 0 record
cp "$T/out" "$T/again.json"
ok "and is the same" same_record

scenario 'del s["nccl"]; g["GetPersistenceMode"] = {"seq": [1, 0]}
c["corrupt"] = {"kernel": "gemm", "sm": 17, "flip_bit": 12}'
ok "a sick node's report" report 1
ok "names what is wrong" says 'wrong:.* settings left alone'
ok "that a setting changed" row 'settings left alone' \
	'\*\*wrong\*\* \| changed: persistence'
ok "that an SM computes otherwise" row 'GEMM digests, bit-equal' \
	"$(by_kernel '\*\*wrong\*\* .* 5 digests differ' 'not measured')"
ok "not that NCCL is" row 'NCCL, one rank' 'not measured \| ncclCommInitAll'

ok "without the libraries" script 77 --libs "$T/none" "$T/nothing"
ok "there is one line" one_line
ok "which names the library" says 'load .*/none/libcuda.so.1: '
ok "and no report" test ! -e "$T/nothing"
ok "an unknown option is refused" script 2 --nothing
no_build() {
	mkdir -p "$T/src/tests/device"
	cp "$SRCDIR"/tests/device/r[diu]* "$T/src/tests/device"
	BUILD=$T/none "$T/src/tests/device/run" "$T/nothing" > "$T/out" 2>&1
	[ $? = 2 ]
}
ok "without programs or a way to build them" no_build
ok "that is told" says 'no ./configure to build them'
ok "in one line" one_line

# ---- the program ----------------------------------------------------------

wrong=$(by_kernel 1 77)
scenario 'c["corrupt"] = {"seq": [[], [], {"kernel": "gemm", "flip_bit": 3}]}'
ok "one run of the multiply is another" device "$wrong" gemm 4
scenario 'c["corrupt"] = {"kernel": "h2d", "flip_bit": 3}'
ok "a payload changed on its way" device 1 pcie 1
ok "which is counted" says '"corrupt": 1'
scenario 'c["corrupt"] = {"kernel": "sdc", "path": 2, "flip_bit": 5}'
ok "a kernel does not what the CPU does" device "$wrong" kernels
ok "which is named" says "$(by_kernel '"sdc fp64"' 'without nvcc')"
scenario 's["nccl"]["corrupt"] = {"rank": 0, "flip_bit": 9}'
ok "a sum of one is not what it was" device 1 onerank
ok "which is told" says '"right": false'
scenario 'g["GetPowerUsage"] = {"rc": 999}
s["nvml"]["missing_symbols"] = ["nvmlDeviceGetNumaNodeId"]'
ok "a card with an error" device 0 record
ok "is recorded with it" says '"GetPowerUsage": \{ "rc": 999 \}'
ok "and with what its library lacks" says \
	'"missing_symbols": \[ "nvmlDeviceGetNumaNodeId" \]'
scenario
ok "GPM is not everywhere" device 77 gpm
ok "which is told" says 'nvmlGpmQueryDeviceSupport: code 3'
ok "no command is refused" device 2
ok "an unknown one, too" device 2 nothing
ok "a number that is none" device 2 gemm x
# The ports, by the stand-in.
rdma() {	# CODE CASE
	rm -rf "$T/report" "$T/root" "$T"/seq.d/*
	mkdir "$T/root"
	cp -R "$SRCDIR/tests/fixtures/roots/cpu-only/." "$T/root"
	cp -R "$SRCDIR/tests/fixtures/roots/ib-cx6/." "$T/root"
	cp "$2" "$ASSAY_SCENARIO"
	script "$1" --rdma --libs "$LIBS" --root "$T/root" "$T/report"
}
PORTS=$SRCDIR/tests/fixtures/scenarios/ib-cx6.json
if [ -e "$LIBS/libibverbs.so.1" ]; then
	ok "RDMA ports are measured" rdma 0 "$PORTS"
	ok "each with its rate" row ibp26s0 '[0-9.]+ GB/s, [0-9]+ Gb/s'
	ok "and by each check" row ib_loopback right
	jq '.verbs.devices[1].corrupt = {flip_bit: 12}' "$PORTS" > "$T/bad.json"
	ok "a payload that changes" rdma 1 "$T/bad.json"
	ok "is wrong" row ib_loopback '\*\*wrong'
	echo '{}' > "$T/none.json"
	ok "without devices nothing is measured" rdma 77 "$T/none.json"
fi

done_testing

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RDMA for real: queue pairs, addresses and counters of the kernel's own RoCE
# (rdma_rxe), by the system's libibverbs. Rates mean nothing here; which device
# is the slow one, what is told of trouble and what is left behind do.
#
# A device taken away under load, a wrong key, a dead wire and lost packets are
# the unit tests', by the stand-in: `rdma link delete` waits until nobody has
# the device open, and no packet of a device to itself comes to a wire.
. "${0%/*}/lib.sh"
programs
BUDGET='[budget]
quick = always
quick_ttl = 0
total_ms = 30000
quick_ms = 20000'
ONE='[check ib_ports]
exclude = mlx5_1 mlx5_2 mlx5_3'
conf "$BUDGET"

check() {	# CHECKS ARGUMENT... : sets DOC and RC
	DOC=$("$ASSAY" check --json --only "$@" 2> "$OUT/err")
	RC=$?
}
user_check() {	# as check, by an ordinary user
	DOC=$(as_user "$ASSAY" check --json --only "$@" 2> "$OUT/err")
	RC=$?
}
# Who is kept from the CPU has no time for all of it: it shall work once.
thrice() {	# COMMAND...
	for _ in 1 2 3; do
		"$@"
		[ "$RC" != 0 ] || break
	done
}
doc() { jq -r "$1" <<< "$DOC"; }
port() {	# DEVICE FIELD : of what was measured
	doc ".checks[0].measured[] | select(.subject == \"$1\") | .$2"
}
failed() { doc '[.checks[].findings[] | select(.status == "FAIL")] | length'; }
status() { doc '.checks[0].status'; }
said() { doc '.checks[0] | .note, .findings[].text'; }

# ---- as a tool ------------------------------------------------------------

objects() { rdma resource show; }
nothing_left() {
	_same "$(objects)" "$before" || return 1
	! pgrep -af assay || return 1
	! ss -xapH | grep assay
}
before=$(objects)
thrice check ib_loopback
is "four devices are measured" "$RC $(failed)" "0 0"
is "each of them" "$(doc '.checks[0].measured[].subject' | tr '\n' ' ')" \
	"mlx5_0 mlx5_1 mlx5_2 mlx5_3 "
# Both are rounded to thousandths.
figures='.gbps > 0 and (8 * .gbps - .gbit_s | . * . < 0.00003) and
	.message_bytes > 0 and .qps > 0 and .mtu == 4096'
is "in GB/s and Gb/s, with how" \
	"$(doc "[.checks[0].measured[] | $figures] | unique | tostring")" "[true]"
is "and CPU time, where they were measured long enough" \
	"$(doc '[.checks[0].measured[].cpu_ms > 0] | any')" true
is "from the IPv4 address" "$(port mlx5_2 gid)" "::ffff:10.98.2.1"
is "by RoCE v2" "$(port mlx5_2 gid_type)" "RoCE v2"
ok "nothing is left" nothing_left
check ib_latency --tier deep
is "latency, with a tail that is no shorter" "$(doc '[.checks[0].measured[] |
	.median_us > 0 and .p99_us >= .median_us] | unique | tostring')" "[true]"
is "and what was written arrives" "$(doc '[.checks[0].findings[].code |
	select(contains("payload"))] | length')" 0
ok "and nothing is left" nothing_left

# No counters/, no device in PCI, no firmware's version: nothing to complain of.
check ib_ports,ib_errors,ib_pcie
is "the state checks have nothing to say" \
	"$(doc '[.checks[].findings[]] | length')" 0

# ---- one is slow ----------------------------------------------------------

# What is measured while the CPUs are others' may be too little to be sure of:
# one of three times is enough to find it, none to find another.
of() {	# STATUS : whose rate it is
	jq -r "[.checks[] | select(.name == \"ib_loopback\") | .findings[] |
		select(.code == \"ib_loopback.rate\" and .status == \"$1\") |
		.subject] | unique | join(\" \")"
}
ip link set eth2 mtu 512
for _ in 1 2 3; do
	check ib_loopback
	slow=$(doc . | of FAIL)
	[ -z "$slow" ] || break
done
is "small packets on one: it alone fails" "$slow" mlx5_2
like "by its rate" "$(said)" '[0-9.]+<[0-9.]+ GB/s'
ok "after a repeat" test "$(port mlx5_2 repeat.gbps)" != null
ok "nothing is left of it" nothing_left
ip link set eth2 mtu 4200

# ---- trouble --------------------------------------------------------------

conf "$BUDGET" "$ONE"
skips() {	# NAME REGEX : software's trouble, told as such
	is "$1: not measured" "$RC $(status)" "2 SKIP"
	like "$1: why" "$(said)" "$2"
	ok "$1: nothing is left" nothing_left
}

thrice user_check ib_loopback
is "an ordinary user may" "$RC $(failed)" "0 0"
(ulimit -l 64; user_check ib_loopback; declare -p DOC RC) > "$OUT/low"
. "$OUT/low"
skips "little locked memory" 'limited to 64 KiB \(ulimit -l\)'
chmod 600 /dev/infiniband/uverbs0
user_check ib_loopback
skips "no permission" '/dev/infiniband/uverbs0: Permission denied'
chmod 666 /dev/infiniband/uverbs0

mkdir -m 755 /opt/none
mount --bind /opt/none /etc/libibverbs.d
check ib_loopback
umount /etc/libibverbs.d
skips "no provider" 'does not know mlx5_0: its provider is missing'
lib=$(ldconfig -p | sed -n 's/.*libibverbs\.so\.1 .*=> //p' | head -n 1)
mv "$lib" /opt/lib
check ib_loopback
mv /opt/lib "$lib"
skips "no library" 'libibverbs\.so\.1'
conf "$BUDGET" "$ONE" '[libraries]' 'verbs = /opt/none/libibverbs.so.1'
check ib_loopback
is "another library is named, and is not there" "$(status) $(failed)" "ERROR 0"
like "it is told" "$(said)" '/opt/none/libibverbs.so.1'
conf "$BUDGET" "$ONE"

ip -4 addr flush dev eth0
thrice check ib_loopback
is "no IPv4 address: measured all the same" "$RC $(failed)" "0 0"
like "from the link's own" "$(port mlx5_0 gid)" '^fe80:'
ip addr flush dev eth0
check ib_loopback
skips "no address at all" 'no way from the port.s GID \(index 0\) to itself'
ip link set eth0 down
check ib_loopback
skips "the port is down" 'mlx5_0: the port is not active'
ip link set eth0 up
ip addr add 10.98.0.1/24 dev eth0
active() { grep -q ACTIVE /sys/class/infiniband/mlx5_0/ports/1/state; }
wait_until 10 active

# Its queue pairs are there: it is about to be measured, or just is.
(until [[ $(rdma resource show mlx5_0) == *' qp 5 '* ]]; do :; done
 exec ip link set eth0 down) &
pid=$!
check ib_loopback
kill "$pid" 2> /dev/null && echo "# it did not go down"
is "the port goes down meanwhile: no fault" "$(status) $(failed)" "WARN 0"
like "it is told" "$(said)" 'port 1 went '
ok "nothing is left of it" nothing_left
ip link set eth0 up
conf "$BUDGET"
rdma link delete mlx5_1
check ib_loopback
is "a device less: the others are measured" \
	"$(doc '.checks[0].measured[].subject' | tr '\n' ' ')" \
	"mlx5_0 mlx5_2 mlx5_3 "
for i in 0 2 3; do rdma link delete "mlx5_$i"; done
before=$(objects)
check ib_loopback
skips "no device" 'no RDMA device here'
for i in 0 1 2 3; do rdma link add "mlx5_$i" type rxe netdev "eth$i"; done

# ---- in Slurm -------------------------------------------------------------

# They are measured for a job that owns the node, by its GPUs: the stand-ins'.
# The gate has some seconds, too few here to repeat for sure what is slow: that
# is left to the health check, which has more.
jq '.nvml.gpus |= .[:2] | .cuda.gpus |= .[:2]' \
	/share/src/tests/fixtures/scenarios/h100x8-active.json > "$HW/scenario.json"
GATED="[libraries]
nvml = $HW/libnvidia-ml.so.1
cuda = $HW/libcuda.so.1
[check gpu_count]
expected = 2"
for name in gpu_context gpu_pcie_bw gpu_membw gpu_gemm nvlink_bw ib_gdr; do
	GATED+="
[check $name]
enabled = no"
done
conf "$BUDGET" "$GATED"
ok "Slurm takes the gate" slurm "Prolog=$GATES/assay-prolog" \
	"Epilog=$GATES/assay-epilog"
job=$(whole --wrap true)
ok "all alike: a job runs" ended "$job" COMPLETED
ok "ports were measured for it" test "$(verdict "$job" '[.checks[] |
	select(.name == "ib_loopback") | .measured[]? |
	select(.gbps > 0)] | length')" -gt 0
ok "the node stays" wait_until 20 node_free "$NODE"
ip link set eth2 mtu 512
for _ in 1 2 3; do
	timeout 60 "$ASSAY" health > "$OUT/health" 2>&1
	wait_until 3 node_drained "$NODE" && break
done
ok "small packets on one: the idle node is drained" node_drained "$NODE"
like "for that one" "$(node_reason "$NODE")" \
	'^assay:ib_loopback mlx5_2 [0-9.]+<[0-9.]+ GB/s'
suite_end

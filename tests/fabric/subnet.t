#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# InfiniBand as its subnet management sees it: LIDs, errors, links that fail.
. "$(dirname "$0")/lib.sh"

same() { [ "$1" = "$2" ] || { echo "# got '$1', wanted '$2'"; return 1; }; }

# The node is asked as by ibstat and perfquery, and again by assay.
look() {	# EXIT
	leaves "$1" check --config "$T/assay.conf" --only ib_ports,ib_errors
}
# The gate remembers what it saw; it never fails a job while it observes.
gate() {
	rm -rf "$T/run"/*
	SLURM_JOB_ID=7 SLURM_JOB_UID=0 SLURMD_NODENAME=n1 \
		"$BUILD/assay-prolog" --config "$T/assay.conf" > "$T/out" 2>&1
}

config <<C
root = $T/root
[policy]
mode = observe
C

ok "a subnet of two switches, four ports at 40 Gb/s and one at 10" sim_up H1 <<'N'
Switch	8 "S1"
[1]	"H1"[1]	w=2 s=4
[2]	"H2"[1]	w=2 s=4
[5]	"H5"[1]
[8]	"S2"[8]

Switch	8 "S2"
[1]	"H3"[1]	w=2 s=4
[2]	"H4"[1]	w=2 s=4
[8]	"S1"[8]

Hca	2 "H1"
[1]	"S1"[1]	w=2 s=4

Hca	2 "H2"
[1]	"S1"[2]	w=2 s=4

Hca	2 "H3"
[1]	"S2"[1]	w=2 s=4

Hca	2 "H4"
[1]	"S2"[2]	w=2 s=4

Hca	2 "H5"
[1]	"S1"[5]
N

ok "a node with four adapters there" node_of H1 H2 H3 H4
ok "before any subnet manager nothing fails" look 0
ok "all ports wait for one" \
	says 'WARN ib_ports node no port is up, 4 wait for the subnet manager'

ok "the subnet manager sweeps" sweep H1
ok "the node again" node_of H1 H2 H3 H4
ok "is sound" look 0
ok "in both respects" says "PASS ib_ports ib_errors"
for i in 1 2 3 4; do
	dev=mlx5_$((i - 1))
	lid=$(printf '0x%x' "$(ibstat_of H$i 'Base lid')")
	ok "$dev has the LID that ibstat tells" same "$(file_of $dev lid)" "$lid"
	ok "and got it from the manager" test "$lid" != 0x0
	ok "its state is ibstat's" \
		same "$(ibstat_of H$i State)/$(file_of $dev state)" "Active/4: ACTIVE"
	ok "and its rate" \
		same "$(ibstat_of H$i Rate)/$(file_of $dev rate)" \
		"40/40 Gb/sec (4X QDR)"
	LIDS="${LIDS:-} $lid"
done
ok "no two LIDs are the same" \
	same "$(printf '%s\n' $LIDS | sort -u | wc -l)" 4

ok "the gate lets a job in" gate
ok "silently" says_nothing
sim 'PerformanceSet "H3"[1] PortCounters.SymbolErrorCounter=1234'
has_errors() { [ "$(counter_of H3 SymbolErrorCounter)" = 1234 ]; }
ok "symbol errors on one port" wait_for has_errors
ok "the node with them" node_of H1 H2 H3 H4
ok "as perfquery tells them" same "$(file_of mlx5_2 counters/symbol_error)" 1234
ok "are no reason to drain" look 0
ok "that port is named, with how many" \
	says 'WARN ib_errors mlx5_2 symbol_error \+1234'
ok "no other port is" not says '(FAIL|WARN) ib_errors mlx5_[013]'

gate
sim 'PerformanceSet "H2"[1] PortCounters.LinkDownedCounter=1'
has_flapped() { [ "$(counter_of H2 LinkDownedCounter)" = 1 ]; }
ok "a link that was lost once" wait_for has_flapped
ok "the node with it" node_of H1 H2 H3 H4
ok "is none either" look 0
ok "and is said" says 'WARN ib_errors mlx5_1 link lost 1 times'

sim 'Unlink "H3"[1]'
is_down() { [ "$(ibstat_of H3 State)" = Down ]; }
ok "a cable is pulled" wait_for is_down
ok "the node without it" node_of H1 H2 H3 H4
ok "is not sound" look 1
ok "its port is named" says "FAIL ib_ports mlx5_2 port DOWN"
ok "no other port is" not says 'ib_ports +mlx5_[013]'

sim 'ReLink "H3"[1]'
is_back() { [ "$(ibstat_of H3 State)" = Initializing ]; }
ok "the cable is plugged in again" wait_for is_back
node_of H1 H2 H3 H4
look 1
ok "the port waits for the subnet manager, alone" \
	says 'FAIL ib_ports mlx5_2 port INIT, waits for the subnet manager'
ok "which sweeps" sweep H1
node_of H1 H2 H3 H4
ok "and all ports are sound" look 0
ok "though errors are remembered" says 'WARN ib_errors mlx5_2.*PASS ib_ports'

ok "a node with an adapter at a quarter of the rate" node_of H1 H2 H5 H4
ok "which is not sound" look 1
ok "is told by its neighbours" \
	says 'FAIL ib_ports mlx5_2 10<40 Gb/s'

sim_down
ok "nothing of the simulator is left" \
	same "$(grep -c "@$IBSIM_SOCKNAME" /proc/net/unix)" 0
done_testing

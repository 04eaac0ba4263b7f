# SPDX-License-Identifier: Apache-2.0
# lib - an InfiniBand subnet without InfiniBand: ibsim and opensm in a private
# directory, with sockets of their own; sourced by each *.t. TAP and the call
# of assay are those of the command's tests.
. "$(dirname "$0")/../cli/lib.sh"

IBSIM_SOCKNAME=assay-$$
OSM_TMP_DIR=$T/osm
OSM_CACHE_DIR=$T/osm
export IBSIM_SOCKNAME OSM_TMP_DIR OSM_CACHE_DIR
PATH=$PATH:/usr/sbin:/sbin
SIM=	# pid of the simulator

for p in ibsim ibsim-run opensm ibstat perfquery python3; do
	command -v $p > "$T/out" || { echo "1..0 # SKIP no $p"; exit 0; }
done

sim_down() {
	[ -z "$SIM" ] || kill "$SIM" 2> /dev/null
	wait
	SIM=
}
trap 'sim_down; rm -rf "$T"' EXIT
trap 'exit 130' INT TERM HUP

wait_for() {	# COMMAND... : within 10 seconds
	local n=0
	until "$@" > /dev/null 2>&1; do
		n=$((n + 1))
		[ $n -lt 100 ] || return 1
		sleep 0.1
	done
}

# The topology is on stdin; "sim COMMAND" speaks to its console.
sim_up() {
	mkdir -p "$T/osm" && cat > "$T/net" && mkfifo "$T/console" || return 1
	ibsim -s "$T/net" < "$T/console" > "$T/ibsim.log" 2>&1 &
	SIM=$!
	exec 3> "$T/console"
	wait_for on "$1" ibstat
}

sim() { echo "$*" >&3; }

# As a program on that host; the library keeps its files in the current place.
on() {	# HOST COMMAND...
	(cd "$T" && SIM_HOST=$1 && export SIM_HOST && shift &&
		timeout 20 ibsim-run "$@" 3>&-)
}

# One sweep of the subnet manager, which runs on that host.
sweep() { on "$1" opensm -o -f "$T/osm/log" > "$T/osm/out" 2>&1; }

ibstat_of() {	# HOST FIELD
	on "$1" ibstat | sed -n "s/^[[:space:]]*$2: //p" | head -n 1
}

counter_of() {	# HOST FIELD
	on "$1" perfquery | sed -n "s/^$2:\.*//p"
}

# A node whose adapters are those of these hosts: mlx5_0 and so on.
node_of() {	# HOST...
	local host i=0
	rm -rf "$T/root"
	cp -r "$SRCDIR/tests/fixtures/roots/cpu-only" "$T/root" &&
		chmod -R u+w,go-w "$T/root" || return 1
	for host; do
		on "$host" "$SRCDIR/tests/fabric/root-of" "$T/root" mlx5_$i \
			"$(on "$host" perfquery 2> /dev/null)" || return 1
		i=$((i + 1))
	done
}

file_of() {	# DEVICE FILE : of its port
	cat "$T/root/sys/class/infiniband/$1/ports/1/$2"
}

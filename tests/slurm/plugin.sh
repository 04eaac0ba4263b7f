#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plugin - does Slurm take the SPANK plugin? sbatch loads it for --help too,
# and as "required" it fails aloud. Needs no controller.
so=${BUILD:-.}/spank/.libs/spank_assay.so
sbatch=$(command -v sbatch)
n=0

result() {	# STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
machine() { od -An -tx2 -j18 -N2 "$1"; }

echo 1..5
if readelf -d "$so" | grep NEEDED | grep -Eqv 'libc\.|libasan|libubsan'; then
	readelf -d "$so" | sed 's/^/# /'
	result 1 "the plugin needs nothing but the C library"
else
	result 0 "the plugin needs nothing but the C library"
fi

skip=
[ -n "$sbatch" ] || skip="sbatch is not installed"
[ -n "$skip" ] || [ "$(machine "$sbatch")" = "$(machine "$so")" ] ||
	skip="built for another machine"
[ -n "$skip" ] || ! readelf -d "$so" | grep -q libasan ||
	skip="built with sanitizers"
if [ -n "$skip" ]; then
	echo "ok 2 - sbatch loads it # SKIP $skip"
	echo "ok 3 - and has its option # SKIP $skip"
	echo "ok 4 - what that does not know is refused # SKIP $skip"
	echo "ok 5 - a plugin that is not there is noticed # SKIP $skip"
	exit 0
fi

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
printf 'ClusterName=t\nSlurmctldHost=localhost\nPlugStackConfig=%s\n' \
	"$dir/plugstack.conf" > "$dir/slurm.conf"
export SLURM_CONF="$dir/slurm.conf"

case $so in /*) ;; *) so=$PWD/$so ;; esac
echo "required $so" > "$dir/plugstack.conf"
timeout 20 "$sbatch" --help > "$dir/out" 2>&1
status=$?
if grep -q Incompatible "$dir/out"; then
	for n in 2 3 4; do
		echo "ok $n - # SKIP headers of another Slurm release"
	done
else
	[ $status -eq 0 ] || sed 's/^/# /' "$dir/out"
	result $status "sbatch loads it"
	grep -q -e '--assay=LIST' "$dir/out"
	result $? "and has its option"
	# the option is looked at before slurmctld is asked for
	timeout 20 "$sbatch" --assay=quark --wrap true > "$dir/out" 2>&1
	grep -q "does not know 'quark'.*report, no-report" "$dir/out"
	result $? "what that does not know is refused"
fi

echo "required $dir/absent.so" > "$dir/plugstack.conf"
! timeout 20 "$sbatch" --help > "$dir/out" 2>&1
result $? "a plugin that is not there is noticed"

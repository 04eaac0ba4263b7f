#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kill switch, seen by a gate: root's, somebody else's.
. "$(dirname "$0")/lib.sh"

config < /dev/null

gate() {	# runs the gate of a job, output in $T/out
	rm -rf "$T/run/7"
	env -i SLURM_JOB_ID=7 SLURMD_NODENAME=n1 "$BUILD/assay-prolog" \
		--config "$T/assay.conf" > "$T/out" 2>&1 < /dev/null
}
judged() { [ -s "$T/run/7/verdict.json" ]; }
ignored='OFF is not root.s \(uid 65534\) and switches nothing off'

ok "a gate" gate
ok "judges" judged
ok "and has nothing to say about a switch" not says 'OFF'
: > "$T/OFF"
ok "one with the switch beside its configuration" gate
ok "does not" not judged
ok "and says why" says 'switched off by the file OFF'
if [ "$(id -u)" = 0 ] && chown 65534 "$T/OFF" 2> /dev/null; then
	ok "one with somebody else's" gate
	ok "judges" judged
	ok "and says whose it is" says "$ignored"
	ok "doctor" leaves 1 doctor --config "$T/assay.conf"
	ok "says so, too" says "^WRONG +switch .*$ignored"
else
	ok "a switch of somebody else # SKIP only root can give one away" true
fi
done_testing

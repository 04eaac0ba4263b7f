#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The demo plays to its end, says what it is about, and fits a terminal.
. "${0%/*}/lib.sh"
why=$(cluster_can) || skip_all "$why"
suite_assay

PLAYED=$(mktemp) || exit 1
ON_END='rm -f "$PLAYED"'
play() {
	timeout 240 "${0%/*}/demo" > "$PLAYED" 2>&1 ||
		{ tail -n 40 "$PLAYED"; return 1; }
}
played() { grep -qE "$1" "$PLAYED"; }

trap _end EXIT
ok "it plays to its end" play
ok "which it says" played '^Done in [0-9]+ s'
ok "it says that it enforces" played '^\| mode = enforce'
ok "and how soon it returns a node" played '^\| resume_min_s = 1$'
ok "it shows the real path of the gate" \
	played "^\| Prolog=${CLUSTER_PROLOG:0:60}"
ok "and the lines for the health check" played '^\| HealthCheckProgram=/'
ok "the health check says why it waits" played 'tests good, 1 of 3 times'
is "no line is wider than 80 columns" "$(awk 'length > 80' "$PLAYED")" ""
suite_end

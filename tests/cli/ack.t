#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay ack: evidence and faults of the kernel log.
. "$(dirname "$0")/lib.sh"

config < /dev/null
C="--config $T/assay.conf"

UUID=GPU-5a1c0de0-1111-2222-3333-444455556666
REASON='assay:gpu_remap GPU5 row remap failed and a very long fact behind it '
REASON=$REASON'that would not fit into any line [service]'
# A text of several lines, not an expression.
says_text() { tr -s '\n ' ' ' < "$T/out" | grep -qF -e "$1"; }

state() {
	cat > "$T/state/evidence.json" <<S
{"schema": "assay.state.evidence/1", "entries": {
 "gpu_remap|$UUID|gpu_remap.failure": {"state": "drained",
  "reason": "$REASON",
  "drained_s": 1700000000},
 "kmsg_xid|GPU-2|b:77": {"state": "resumed", "reason": "x",
  "drained_s": 1700000000}}}
S
	cat > "$T/state/kmsg.json" <<'S'
{"schema": "assay.state.kmsg/1", "boot_id": "b", "next_seq": 100, "faults": [
 {"kind": "xid", "number": 48, "seq": 77, "device": "0000:1b:00.0",
  "count": 2, "seen_s": 1700000000, "text": "t"},
 {"kind": "edac", "seq": 78, "fatal": true, "seen_s": 1700000000,
  "text": "t"}]}
S
	chmod 600 "$T"/state/*.json
}

ok "with nothing there" leaves 0 ack $C
ok "it says so" says 'nothing to acknowledge'
ok "and writes nothing" test ! -e "$T/state/evidence.json"

state
ok "it lists" leaves 0 ack $C --list
ok "evidence with its state" says '^gpu_remap +drained +2023-11-14T'
ok "whole" says "^    $UUID gpu_remap.failure\$"
ok "with the whole reason" says_text "$REASON"
ok "faults of the kernel log" says '^kmsg_xid +open +2023-11-14T'
ok "with device and count" says '^    0000:1b:00.0 2x'
ok "of all kinds" says '^kmsg_hw +open'
ok "in 80 columns" is_narrow
ok "and changes nothing" grep -q '"drained"' "$T/state/evidence.json"
ok "without arguments it lists, too" leaves 0 ack $C
ok "all" says '^kmsg_hw +open'
ok "and changes nothing" grep -q '"drained"' "$T/state/evidence.json"
ok "only of one check" leaves 0 ack $C --list gpu_remap
ok "where one is named" not says '^kmsg_'

ok "one check is acknowledged" leaves 0 ack $C gpu_remap
ok "which is told" \
	says "$(id -un).*: acknowledged 1 entry of evidence and 0 faults"
ok "and kept" grep -q '"acked"' "$T/state/evidence.json"
ok "with a name" leaves 0 ack $C --list gpu_remap
ok "that is listed" says "acknowledged by $(id -un)"
ok "and kept" grep -q "\"acked_by\": *\"$(id -un)" "$T/state/evidence.json"
ok "once is enough" leaves 0 ack $C gpu_remap
ok "which is told" says 'nothing to acknowledge'
ok "the other one is not touched" grep -q '"resumed"' "$T/state/evidence.json"
ok "nor the kernel log" grep -q '"edac"' "$T/state/kmsg.json"

ok "a check of the kernel log" leaves 0 ack $C kmsg_xid
ok "takes its faults with it" says '1 entry of evidence and 1 fault of'
ok "which are closed" not grep -q '"xid"' "$T/state/kmsg.json"
ok "others stay open" grep -q '"edac"' "$T/state/kmsg.json"
ok "and the place in the log is kept" grep -qE '"next_seq": *100' \
	"$T/state/kmsg.json"

state
ok "all at once" leaves 0 ack $C --all
ok "in 80 columns" is_narrow
ok "are all" says '2 entries of evidence and 2 faults'
ok "then there is nothing open" not grep -qE '"(drained|resumed|edac)"' \
	"$T/state/kmsg.json"

if strangers; then
	ok "who may not read the state" leaves_a_stranger 2 ack $C --list
	ok "is told so" says 'is not known: open .*/state: Permission denied'
	ok "not that there is nothing" not says 'nothing to acknowledge'
else
	ok "who may not read the state # SKIP nobody to be" true
fi
chmod 000 "$T/state/evidence.json"
if [ "$(id -u)" = 0 ]; then
	ok "root reads what has no mode" leaves 0 ack $C --list
else
	ok "nor one document of it" leaves 2 ack $C --list
fi
chmod 600 "$T/state/evidence.json"

ok "an unknown check is refused" leaves 2 ack $C gpu_nothing
ok "all and one, too" leaves 2 ack $C --all gpu_remap
ok "two checks are refused" leaves 2 ack $C gpu_remap gpu_ecc
printf 'no json' > "$T/state/evidence.json"
ok "a torn document is nothing" leaves 0 ack $C gpu_remap
done_testing

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay policy: the table, promote and demote.
. "$(dirname "$0")/lib.sh"

today=$(date -u +%F)
config <<C
[check gpu_pcie]
action.health = ignore
[check gpu_power]
enabled = no
[exec tape]
command = /bin/true
scope = site
action.prolog = drain
[exec scratch]
command = /bin/true
action.prolog = drain
C
C="--config $T/assay.conf"
cat > "$T/state/tally.json" <<S
{"schema": "assay.state.tally/1", "days": {
 "$today": {"gpu_remap": {"runs": 12, "would": 3, "did": 1}},
 "2001-01-01": {"gpu_remap": {"runs": 1000, "would": 1000}}}}
S
cat > "$T/state/fuse.json" <<'S'
{"schema": "assay.state.fuse/1", "driver": "1", "passed": {"gpu_temp": true}}
S
chmod 600 "$T"/state/*.json

ok "it prints a table" leaves 0 policy $C
ok "with each rule's state and action" says '^gpu_remap +observe +drain '
ok "with today's runs/would/did" says '^gpu_remap .* 12/3/1 '
ok "with the week's, old days left out" says '^gpu_remap .* 12/3/1$'
ok "with the actions of each context where they differ" \
	says '^gpu_pcie +observe +drain-after/drain-after/ignore'
ok "with what is switched off" says '^gpu_power +off '
ok "with the site's own checks" says '^exec_scratch +observe +drain/warn/warn'
ok "that says whose numbers these are" says 'this node only'
ok "in 80 columns" is_narrow

ok "as JSON" leaves 0 policy $C --json
ok "with a schema" says '"schema": "assay.policy/1"'
ok "with numbers" says '"would": 3'

ok "a check is promoted" leaves 0 policy $C promote gpu_remap
ok "which is told, with the name of who did it" \
	says "assay: $(id -un).*: promoted gpu_remap"
ok "and kept" grep -q '"gpu_remap"' "$T/state/promoted.json"
ok "and seen" leaves 0 policy $C
ok "in the table" says '^gpu_remap +promoted '
ok "and below it" says 'gpu_remap was promoted by'
ok "it drains, so nothing is to be warned of" not says 'only warns'
ok "twice is once" leaves 0 policy $C promote gpu_remap
ok "and said" says 'already'
ok "a soft rule that has not passed since a change" \
	leaves 0 policy $C promote gpu_throttle
leaves 0 policy $C
ok "is held" says '^gpu_throttle +held '
ok "it is demoted again" leaves 0 policy $C demote gpu_remap
leaves 0 policy $C
ok "and observes" says '^gpu_remap +observe '
ok "the other stays promoted" says '^gpu_throttle +held '
mallory() { SUDO_USER=mallory leaves 0 policy $C promote gpu_temp; }
ok "a name in the environment is not believed" mallory
ok "and not kept" not grep -q mallory "$T/state/promoted.json"

ok "which drains nothing by its action, as is told" says 'gpu_temp only warns'
leaves 0 policy $C promote gpu_pcie
ok "one that drains in some context is well" not says 'only warns'
ok "one that belongs to the site" leaves 0 policy $C promote exec_tape
ok "drains nothing either" says 'exec_tape only warns'
ok "in 80 columns" is_narrow
ok "an own check is promoted" leaves 0 policy $C promote exec_scratch
ok "and drains" not says 'only warns'
ok "an unknown one is not" leaves 2 policy $C promote gpu_nothing
ok "in 80 columns" is_narrow
ok "nor an unknown own one" leaves 2 policy $C promote exec_nothing
ok "promote needs a check" leaves 2 policy $C promote
ok "other words are refused" leaves 2 policy $C encourage gpu_remap

printf '{"schema": "assay.state.promoted/9"}' > "$T/state/promoted.json"
ok "a document of a newer version is not overwritten" \
	leaves 2 policy $C promote gpu_remap
ok "and still there" grep -q 'promoted/9' "$T/state/promoted.json"

config <<'C'
[policy]
mode = enforce
[check gpu_ecc]
no_such_key = 1
C
ok "in enforce mode" leaves 0 policy $C
ok "rules are enforced" says '^gpu_remap +enforce '
ok "a broken section is told" says '^gpu_ecc +broken '

if strangers; then
	ok "who may not read the state" leaves_a_stranger 2 policy $C
	ok "is told so" says 'is not known: open .*/state: Permission denied'
	ok "and sees no numbers" not says '0/0/0'
	ok "nor change it" leaves_a_stranger 2 policy $C promote gpu_temp
	ok "is told whose it is" says 'only root and the owner'
	ok "nor in JSON" leaves_a_stranger 2 policy $C --json
	ok "which is none" not says '"runs"'
else
	ok "who may not read the state # SKIP nobody to be" true
fi

if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	chmod 755 "$T" "$T/state"
	chmod 644 "$T/assay.conf"
	foreign() { setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$ASSAY" policy $C promote gpu_temp > "$T/out" 2>&1; }
	rm "$T/state/promoted.json"
	ok "another user may not promote" not foreign
	ok "and nothing was kept" test ! -e "$T/state/promoted.json"
fi
done_testing

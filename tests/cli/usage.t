#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What every command says about itself, and to who mistypes.
. "$(dirname "$0")/lib.sh"

config <<'C'
[exec burn]
command = /usr/local/bin/burn --minutes 1
timeout_ms = 900
action.prolog = drain
[exec bad]
no_such_key = 1
C
C="--config $T/assay.conf"

trim() { ! grep -nE ' $' "$T/out"; }

# Each word of the usage has a line below it; [A|B] and values are no words.
explains() {
	words=$(sed '/^$/,$d' "$T/out" | grep -oE '(--[a-z]+|[A-Z]{3,})' |
		grep -vxE 'LIST|FILE|SECONDS')
	[ -n "$words" ] || return 1
	for w in $words; do
		sed '1,/^$/d' "$T/out" |
			grep -qE "^  ([a-z]+ )?$w( |\$)" || return 1
	done
}

for help in --help -h help; do
	ok "assay $help" leaves 0 $help
	ok "shows the commands" says '^  doctor +is this node'
	ok "in 80 columns" is_narrow
done
for c in check health report publish explain doctor policy ack; do
	ok "$c --help" leaves 0 $c --help
	ok "says how" says "^usage: +assay $c"
	ok "in 80 columns" is_narrow
	ok "without blanks at an end" trim
	ok "and what each of its arguments is" explains
	cp "$T/out" "$T/kept"
	leaves 0 help $c
	ok "help $c is the same" cmp -s "$T/out" "$T/kept"
	ok "$c refuses what it does not know" leaves 2 $c --no-such-thing
	ok "in 80 columns" is_narrow
done
ok "an unknown command" leaves 2 chekc
ok "is named" says "unknown command 'chekc'"
ok "--config without a file" leaves 2 --config
ok "is told what it lacks" says '^assay: --config wants a file'
ok "without one" leaves 2
ok "the usage is shown" says '^usage: assay \[--config FILE\] COMMAND'
ok "--version" leaves 0 --version
ok "tells it" says '^assay [0-9]+\.'
ln -s "$ASSAY" "$T/assay-health"
health() { "$T/assay-health" "$@" > "$T/out" 2>&1; }
ok "the health check's, too" health --version
ok "tells it" says '^assay [0-9]+\.'
ok "and nothing else" not says 'assay-health'

# Values.
for o in --only --gpus --tier; do
	ok "check $o without a value" leaves 2 check $o
	ok "is told what it lacks" says "$o wants a value"
done
ok "an empty list of checks" leaves 2 check $C --only ''
ok "names none" says 'names no check'
ok "an empty name" leaves 2 check $C --only host_memory,,host_shm
ok "is none" says "no check ''"
ok "what was not promoted" leaves 0 policy $C demote gpu_ecc
ok "is said to be so" says '^gpu_ecc is not promoted$'

# The table of checks.
leaves 0 check $C --only host_memory,host_shm,host_cpu
ok "no blank at an end there" trim

# The site's own checks.
ok "explain knows a command of the site" leaves 0 explain $C exec_burn
ok "what it runs" says '^  command +/usr/local/bin/burn --minutes 1$'
ok "how it is judged" says '^  fails +the command ends with 2'
ok "with its keys as they are" says '^    timeout_ms +900 ms'
ok "its actions among them" says '^    action.prolog +drain'
ok "in 80 columns" is_narrow
leaves 0 explain $C exec_bad
ok "that its section is broken" says '^  broken +assay\.conf:[0-9]+: unknown key'
ok "one that is not there" leaves 2 explain $C exec_burns
ok "is none" says "'exec_burns' is no check"
ok "in 80 columns" is_narrow
done_testing

# SPDX-License-Identifier: Apache-2.0
# tap - TAP for the suites over a real Slurm. Sourced.
#
# A suite tests and then calls suite_end; the plan is printed on exit, by a
# trap of whoever sources this, which ends with tap_plan.

TESTS=0
FAILED=0
ENDED=		# set by the last line of a suite
SAID=$(mktemp) || exit 1
ON_FAILURE=:	# what is to be shown with the first two

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

ok() {	# NAME COMMAND... : passes if the command does
	local name=$1; shift
	TESTS=$((TESTS + 1))
	if "$@" > "$SAID" 2>&1; then
		echo "ok $TESTS - $name"
		return 0
	fi
	echo "not ok $TESTS - $name"
	sed 's/^/# /' "$SAID"
	FAILED=$((FAILED + 1))
	[ "$FAILED" -gt 2 ] || $ON_FAILURE
	return 1
}

not() { ! "$@"; }

is() {	# NAME GOT WANTED
	ok "$1" _same "$2" "$3"
}
_same() { [ "$1" = "$2" ] || { echo "got '$1', wanted '$2'"; return 1; }; }

like() {	# NAME GOT REGEX
	ok "$1" _like "$2" "$3"
}
_like() {
	[[ $1 =~ $2 ]] || { echo "got '$1', wanted /$2/"; return 1; }
}

unlike() {	# NAME GOT REGEX
	ok "$1" _unlike "$2" "$3"
}
_unlike() {
	[[ ! $1 =~ $2 ]] || { echo "got '$1', did not want /$2/"; return 1; }
}

skip() {	# NAME WHY
	TESTS=$((TESTS + 1))
	echo "ok $TESTS - $1 # SKIP $2"
}

suite_end() { ENDED=yes; exit 0; }

bail() { echo "Bail out! $*"; exit 1; }

skip_all() { echo "1..0 # SKIP $*"; trap - EXIT; rm -f "$SAID"; exit 0; }

tap_plan() {	# STATUS : that the suite ends with. Fails if a test has
	if [ -z "$ENDED" ]; then
		TESTS=$((TESTS + 1)); FAILED=$((FAILED + 1))
		echo "not ok $TESTS - the suite ran to its end (status $1)"
	fi
	echo "1..$TESTS"
	rm -f "$SAID"
	[ "$FAILED" = 0 ]
}

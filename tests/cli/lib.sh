# SPDX-License-Identifier: Apache-2.0
# TAP for the tests of the command; source it. T is a private directory.

BUILD=${BUILD:-$PWD}
# The config takes no "..", which the SRCDIR of a build beside the tree has.
SRCDIR=$(cd "${SRCDIR:-$(dirname "$0")/../..}" && pwd)
ASSAY=$BUILD/assay
T=$(mktemp -d "${TMPDIR:-/tmp}/assay-cli.XXXXXX") || exit 99
trap 'rm -rf "$T"' EXIT
COUNT=0
FAILED=0

ok() {	# NAME COMMAND... : passes if the command succeeds
	name=$1
	shift
	COUNT=$((COUNT + 1))
	if "$@"; then
		echo "ok $COUNT - $name"
	else
		FAILED=$((FAILED + 1))
		echo "not ok $COUNT - $name"
		[ ! -f "$T/out" ] || sed 's/^/# /' "$T/out" | head -40
	fi
}

not() { ! "$@"; }

# CODE ARGS... : runs assay, output in $T/out; is the exit code CODE?
leaves() {
	want=$1
	shift
	"$ASSAY" "$@" > "$T/out" 2>&1 < /dev/null
	got=$?
	[ "$got" = "$want" ] || { echo "# exit $got, not $want"; return 1; }
}

# The same as somebody who may not look into $T/state: root is nobody for
# that, who else locks himself out.
PROGRAM=$ASSAY
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$PROGRAM" "$@"
}
strangers() {
	[ "$(id -u)" != 0 ] || as_nobody --version > /dev/null 2>&1
}
leaves_a_stranger() {
	chmod 755 "$T"
	chmod 644 "$T/assay.conf"
	if [ "$(id -u)" = 0 ]; then
		ASSAY=as_nobody
	else
		chmod 000 "$T/state"
	fi
	leaves "$@"
	rc=$?
	ASSAY=$PROGRAM
	chmod 700 "$T" "$T/state"
	return $rc
}

# In one line of the output, or across the lines of a wrapped paragraph.
says() {
	grep -qE -e "$1" "$T/out" ||
		tr -s '\n ' ' ' < "$T/out" | grep -qE -e "$1"
}
says_nothing() { [ ! -s "$T/out" ]; }
is_narrow() { [ "$(expand "$T/out" | awk '{ if (length($0) > m) m = length($0) } END { print m + 0 }')" -le 80 ]; }

# A configuration in $T/assay.conf whose places are all in $T; stdin goes on
# with it. With no root of its own it reads the machine's.
config() {
	mkdir -p "$T/run" "$T/state" "$T/spool"
	# A checkout may be writable by a group; what assay reads may not.
	rm -rf "$T/profiles"
	cp -r "$SRCDIR/etc/profiles" "$T/profiles"
	chmod -R u+w,go-w "$T/profiles"
	chmod 700 "$T" "$T/run" "$T/state" "$T/spool"
	{
		printf '[paths]\nrun = %s\nstate = %s\nspool = %s\n' \
			"$T/run" "$T/state" "$T/spool"
		printf 'profiles = %s\n' "$T/profiles"
		cat
	} > "$T/assay.conf"
	chmod 600 "$T/assay.conf"
}

done_testing() {
	echo "1..$COUNT"
	[ "$FAILED" = 0 ]
	exit
}

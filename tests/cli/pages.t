#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual pages are clean, and the example configuration can be used.
. "$(dirname "$0")/lib.sh"

formats() {
	groff -man -Tutf8 -ww "$1" 2> "$T/out" > "$T/page" && says_nothing
}

for page in "$SRCDIR"/doc/*.[1-8]; do
	name=$(basename "$page")
	if command -v groff > /dev/null; then
		ok "$name formats without a warning" formats "$page"
	else
		ok "$name # SKIP no groff" true
	fi
	# A page that names another names one that is there.
	for other in $(sed -nE 's/^\.BR (assay[a-z.\\-]*) \(([1-8])\).*/\1.\2/p' \
			"$page" | tr -d '\\'); do
		ok "$name: $other is there" test -f "$SRCDIR/doc/$other"
	done
done
rm -f "$T/out"

for name in $(sed -nE 's/^	(NUMBER|TEXT|CALL)\("([A-Z0-9_]+)".*/\2/p' \
		"$SRCDIR/lib/job.c"); do
	ok "assay-prolog(8) names $name" \
		grep -qw "$name" "$SRCDIR/doc/assay-prolog.8"
done

# The README names what setup installs to build and to check.
for what in $(sed -n "/^BUILD_PACKAGES='/,/'\$/p" "$SRCDIR/setup" |
		sed "s/^BUILD_PACKAGES=//; s/'//g") libcmocka-dev python3; do
	ok "the README names $what" grep -qE \
		"^    (apt install )?.*\\b$what\\b" "$SRCDIR/README.md"
done

# No complaint, and no value that differs from its default (that of an action
# is the check's own, which the table of keys does not know).
loads() {
	"$ASSAY" doctor --config "$T/example.conf" --json > "$T/out" 2>&1
	! grep -qE '"what": "example\.conf:' "$T/out" &&
		! grep '"key": ' "$T/out" | grep -vqE 'action\.|paths' &&
		grep -q 'example.conf is read' "$T/out"
}

chmod 700 "$T"
# The places of this machine stay out of it.
mkdir -p "$T/run" "$T/state"
places() { sed "s|^\[paths\]|&\nrun = $T/run\nstate = $T/state|"; }
places < "$SRCDIR/etc/assay.conf.example" > "$T/example.conf"
chmod 600 "$T/example.conf"
ok "the example loads as it is" loads
# All defaults written out, but for those that are unset.
sed -E 's/^#(\[exec|\[check|\[host|[a-z][a-z_.0-9]* = .)/\1/; /^(\[host|match|check\.|(run|state) = )/d' \
	"$SRCDIR/etc/assay.conf.example" | places > "$T/example.conf"
ok "and with its defaults written out" loads
done_testing

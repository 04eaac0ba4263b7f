#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What make install lays out for the programs to be at home in.
. "$(dirname "$0")/lib.sh"

# Not as a part of the make that runs the tests.
unset MAKEFLAGS MAKELEVEL MFLAGS
laid() { make -s -C "$BUILD" install-places "$@" > "$T/out" 2>&1; }
mode() { [ "$(stat -c %a "$2")" = "$1" ]; }

run=$(sed -n 1p "$BUILD/tests/places")
state=$(sed -n 2p "$BUILD/tests/places")
umask 022
ok "the places are laid out" laid DESTDIR="$T/a"
ok "the state's with all parents, and others pass through" mode 711 "$T/a$state"
ok "and again" laid DESTDIR="$T/a"
ok "below another prefix" laid DESTDIR="$T/b" prefix=/opt/x \
	localstatedir=/opt/x/var runstatedir=/opt/x/var/run
ok "the parents of both are there" \
	test -d "$T/b/opt/x/var/lib/assay" -a -d "$T/b/opt/x/var/run"
ok "/run is left to the system" laid DESTDIR="$T/c" runstatedir=/run
ok "which fills it" test ! -e "$T/c/run"

# All of it, as a package would.
installed() { find "$T/d" ! -type d | grep -q "$1"; }
all() { make -s -C "$BUILD" "$@" DESTDIR="$T/d" > "$T/out" 2>&1; }
ok "everything is installed" all install
ok "the gate among it" installed '/assay-prolog$'
ok "and the health check's name" installed '/assay-health$'
named_docs() {
	find "$T/d" -name 'assay*.[1-8]' -exec cat {} + | tr -d '\\' |
		grep -oE '/[A-Za-z0-9._/+-]*/doc/assay/[a-z.-]*[a-z]' | sort -u
}
docs_are_there() {
	[ -n "$(named_docs)" ] || return 1
	named_docs | while read -r f; do
		[ -f "$T/d$f" ] || echo "$f"
	done > "$T/lack"
	[ ! -s "$T/lack" ]
}
ok "and what the pages name of the documentation" docs_are_there
ok "no archive of libtool's" not installed '\.la$'
ok "everything is removed" all uninstall
ok "and nothing is left" not installed .

# Other places than the usual ones: the pages name them. (Not another prefix:
# libtool knows where its libraries go.)
ok "into other places" all install sysconfdir=/opt/x/etc \
	localstatedir=/opt/x/var runstatedir=/opt/x/run libexecdir=/opt/x/lib \
	bindir=/opt/x/bin
pages() { find "$T/d" -name 'assay*.[1-8]' -o -name 'assay.conf' \
	-o -name '*.example'; }
names() { [ "$(pages | xargs grep -hoE "$1" | wc -l)" -gt 1 ]; }
ok "they are named" names '/opt/x/etc/assay/assay.conf'
ok "each of them" names '/opt/x/lib/assay/assay'
ok "the command" names '/opt/x/bin/assay '
ok "the state's" names '/opt/x/var/lib/assay'
ok "that of run time" names '/opt/x/run/assay'
ok "not the usual ones" not names \
	'(^|[^x])/(etc|var/lib|run|usr/libexec|usr/bin)/assay'
done_testing

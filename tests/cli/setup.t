#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup's words, where nothing is to be set up: the directory it works in is a
# link, which it refuses.
. "$(dirname "$0")/lib.sh"

ln -s "$T" "$T/link"
ASSAY=setup
setup() { ASSAY_SETUP_DIR=$T/link timeout 20 "$SRCDIR/setup" "$@"; }
usage='^usage: ./setup COMMAND'

ok "without a command it helps" leaves 0
ok "with its usage" says "$usage"
ok "help" leaves 0 help
ok "is the same" says "$usage"
ok "demo --help is help, too" leaves 0 demo --help
ok "not a demo" says "$usage"
ok "further arguments are refused" leaves 2 test all
ok "and named" says 'test takes no argument'
ok "an unknown command is refused" leaves 2 install
ok "with the usage" says "$usage"
ok "nothing was set up" test ! -e "$T/log"
done_testing

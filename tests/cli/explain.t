#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay explain: checks, numbers of the kernel log, drain reasons.
. "$(dirname "$0")/lib.sh"

ok "without an argument it lists the checks" leaves 0 explain
ok "one by its name" says '^gpu_remap +drain +'
ok "in 80 columns" is_narrow

ok "a check" leaves 0 explain gpu_power
ok "what it reads" says '^  reads +NVML'
ok "its action and that it is soft" says '^  action +warn; soft'
ok "its keys with defaults" says 'action\.prolog +warn'
ok "its own keys, with their unit" says 'expected_w +0 W'
ok "in 80 columns" is_narrow

ok "an XID" leaves 0 explain 79
ok "its class" says '^  class +reboot'
ok "its source" says '^  source +[A-Z]'
ok "in words" leaves 0 explain Xid 79
ok "means the same" says '^XID 79 - '
ok "an XID with its sub-code" leaves 0 explain xid 145/9
ok "shows both severities" says 'not fatal'
ok "an SXid" leaves 0 explain sxid 20034
ok "from its own table" says '^SXid 20034'
ok "an unknown XID is an answer, too" leaves 0 explain 999
ok "that says so" says 'not in the table'

R='assay:gpu_remap GPU5 row remap failed [service] job 12 +2'
ok "a drain reason" leaves 0 explain "$R"
ok "its subject" says 'GPU5, by the index'
ok "what the word asks for" says '\[service\] the hardware needs a hand'
ok "its job" says '12 met the fault'
ok "what more there is" says '2 further checks'
ok "how the node comes back" says 'scontrol update nodename'
ok "in 80 columns" is_narrow
ok "a reason that the shell took apart" leaves 0 explain $R
ok "is the same" says 'GPU5, by the index'
ok "a reason with the author behind it" leaves 0 \
	explain "$R [root@2026-01-01T00:00:00]"
ok "is the same" says '2 further checks'
ok "a reason of the kernel log" leaves 0 \
	explain 'assay:kmsg_xid GPU3 XID 79 GPU has fallen off the bus [reboot]'
ok "explains its number" says '^XID 79 - '

ok "what is neither is refused" leaves 2 explain nonsense
ok "with a hint" says 'usage: assay explain'
ok "somebody else's reason is refused" leaves 2 explain "NHC: check_hw failed"
ok "control characters are harmless" leaves 0 \
	explain "$(printf 'assay:gpu_remap GPU5 \033[31mred')"
ok "and do not reach the terminal" not grep -q "$(printf '\033')" "$T/out"
done_testing

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay check as a person reads it.
. "$(dirname "$0")/lib.sh"

config <<C
[exec says]
command = $T/says
action.prolog = drain
[exec with-a-name-of-the-sites-own]
command = /nothing
C
cat > "$T/says" <<'S'
#!/bin/sh
echo "a scratch file system that has far too little room left for any job at all"
exit 2
S
chmod 755 "$T/says"
C="--config $T/assay.conf"

ok "one check" leaves 1 check $C --only exec_says
ok "is one" says ': 1 check in [0-9.]+ ms: 1 fail'
ok "its text is whole" says 'far too little room left for any job at all'
ok "in 80 columns" is_narrow

LONG=exec_with-a-name-of-the-sites-own
ok "one that could not run" leaves 2 check $C --only $LONG
ok "has its whole name" says "^ERROR +$LONG node\$"
ok "and the next step, with what tells more" \
	says "next: config - assay explain $LONG"
ok "in 80 columns" is_narrow

ok "a configuration that is not there is refused" \
	leaves 2 check --config "$T/nothing.conf"
ok "and named" says 'nothing\.conf: No such file'
ok "and nothing else is said" not says 'check'

# Who runs it.
if strangers; then
	leaves_a_stranger 0 check $C --only host_shm
	ok "who is not root is told that he sees less" says 'not run as root'
fi
if [ "$(id -u)" = 0 ]; then
	leaves 0 check $C --only host_shm
	ok "root is not" not says 'not run as root'
fi
done_testing

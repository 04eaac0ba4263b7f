#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay doctor: with a stand-in for scontrol, a dead one, a hung one, none.
. "$(dirname "$0")/lib.sh"

C="--config $T/assay.conf"
DRIVER='[libraries]
nvml = /nonexistent/libnvidia-ml.so.1'
ROOT="root = $SRCDIR/tests/fixtures/roots/h100x8"
unset SLURM_CONF

scontrol() {	# the body of the stand-in comes on stdin
	{ echo '#!/bin/sh'; cat; } > "$T/scontrol"
	chmod 755 "$T/scontrol"
}

show() {	# further lines of "scontrol show config"
	cat > "$T/show" <<S
Configuration data as of 2026-11-30T10:00:00
BatchStartTimeout       = 10 sec
Epilog                  = $T/prolog.d/assay-epilog
HealthCheckInterval     = 300 sec
HealthCheckProgram      = $T/assay-health
MessageTimeout          = 10 sec
PluginDir               = $T/plugins
Prolog                  = $T/prolog.d/*prolog*
PrologEpilogTimeout     = 65534
PrologFlags             = Alloc,DeferBatch
ReturnToService         = 2
SchedulerParameters     = nohold_on_prolog_fail
SLURM_CONF              = $T/slurm.conf
SLURM_VERSION           = 22.05.8
S
	sed -i "/^$1 /d" "$T/show"
	[ -z "$2" ] || echo "$1 = $2" >> "$T/show"
	scontrol <<S
[ "\$1 \$2" = "show config" ] && exec cat $T/show
exit 1
S
}

slurm() { printf '[slurm]\nscontrol = %s\nconf = %s\n' "$T/scontrol" \
	"$T/slurm.conf"; }

mkdir -p "$T/prolog.d" "$T/plugins"
for f in prolog.d/50-assay-prolog prolog.d/assay-epilog assay-health; do
	case $f in
	*prolog.d/50*) what=assay-prolog ;;
	*health) what='assay health' ;;
	*) what=assay-epilog ;;
	esac
	printf '#!/bin/sh\nexec /usr/libexec/assay/%s\n' "$what" > "$T/$f"
	chmod 755 "$T/$f"
done
: > "$T/slurm.conf"

# A good site.
show X
{ echo '[policy]'; echo 'mode = enforce'; slurm; } | config
ok "a good site is good" leaves 0 doctor $C
ok "slurmctld was asked" says '^OK +slurm +slurmctld answers: Slurm 22\.05\.8'
ok "its flags are good" says '^OK +slurm\.conf'
ok "its scripts call assay" says '^OK +scripts +Prolog calls assay-prolog'
ok "and the health check" says '^OK +scripts +HealthCheckProgram calls'
ok "the places are safe" says '^OK +places'
ok "values that are set are told with their source" \
	says '\[policy\] mode = enforce \(.*assay\.conf:'
mkdir "$T/real"
cp "$BUILD/assay-prolog" "$T/real/assay-prolog"
ln -sf "$T/real/assay-prolog" "$T/prolog.d/zz-prolog"
show Prolog "$T/prolog.d/zz-*"
ok "a link to the gate is the gate" leaves 0 doctor $C
ok "whatever its name" says '^OK +scripts +Prolog calls assay-prolog'
rm "$T/prolog.d/zz-prolog"
show X
leaves 0 doctor $C
ok "it ends with a count" says ': 0 wrong, '
ok "in 80 columns" is_narrow

ok "as JSON" leaves 0 doctor $C --json
ok "with a schema" says '"schema": "assay.doctor/1"'
ok "with levels" says '"level": "OK"'

# What hurts.
show PrologFlags Alloc
ok "DeferBatch missing is wrong" leaves 1 doctor $C
ok "and is told" says '^WRONG +slurm\.conf +PrologFlags lacks DeferBatch'
ok "with what to write" says '-> PrologFlags=Alloc,DeferBatch'
ok "worst first" sh -c "head -1 '$T/out' | grep -q ^WRONG"
show Prolog /bin/true
ok "a Prolog without assay" leaves 1 doctor $C
ok "is told" says 'Prolog does not call assay-prolog'
show HealthCheckProgram "$BUILD/assay"
ok "the command itself as health check" leaves 1 doctor $C
ok "is told" says 'Slurm gives no argument'
show HealthCheckProgram
ok "no health check" leaves 1 doctor $C
ok "is told" says 'no HealthCheckProgram'
show X
printf '#!/bin/sh\n' > "$T/prolog.d/99-prolog-other"
chmod 755 "$T/prolog.d/99-prolog-other"
leaves 0 doctor $C
ok "a script that comes first is noted" \
	says '99-prolog-other runs before'
rm "$T/prolog.d/99-prolog-other"

# plugstack
echo "required $T/plugins/other.so" > "$T/plugstack.conf"
echo "required spank_assay.so" >> "$T/plugstack.conf"
ok "a required plugin that is not there" leaves 1 doctor $C
ok "is wrong because it is required" says 'WRONG +plugin +plugstack.conf has'
ok "and because it is not there" says 'which is not here'
ok "one in front of it is noted" says 'other\.so is required and comes'
so() {	# ARGUMENT... : ours alone, optional
	: > "$T/plugins/spank_assay.so"
	chmod 755 "$T/plugins/spank_assay.so"
	echo "optional spank_assay.so $*" > "$T/plugstack.conf"
}
so "run=$T/run"
ok "an optional plugin" leaves 0 doctor $C
ok "is not wrong" not says '^(WRONG|NOTE) +plugin +(plugstack|the plugin notes)'
so run=/nonexistent
ok "another run directory" leaves 1 doctor $C
ok "is wrong" says '^WRONG +plugin +the plugin notes steps below /nonexistent'
so "run=$T/run" log=debug
leaves 0 doctor $C
ok "an argument that it does not know is noted" says "'log=debug', which"
echo "optional spank_assay.so" >> "$T/plugstack.conf"
ok "twice" leaves 1 doctor $C
ok "is wrong" says 'names the plugin 2 times'
rm "$T/plugstack.conf" "$T/plugins/spank_assay.so"
leaves 0 doctor $C
ok "none is no fault" says '^OK +plugin +the plugin is not in'

# The kill switch, state, permissions.
: > "$T/OFF"
ok "the kill switch is wrong" leaves 1 doctor $C
ok "and told" says 'switched off'
rm "$T/OFF"
printf '{"schema": "assay.state.metrics/1", "last_success_s": 1000}' \
	> "$T/state/metrics.json"
ok "a blind gate is wrong" leaves 1 doctor $C
ok "and told with the time it last saw" says 'run blind.*'
printf '{"schema": "assay.state.metrics/1", "last_success_s": %s}' \
	"$(date +%s)" > "$T/state/metrics.json"
ok "a seeing one is good" leaves 0 doctor $C
ok "and told" says '^OK +passes'
mkdir -p "$T/open"
chmod 777 "$T/open"
{ echo '[policy]'; echo 'mode = enforce'; slurm; } | config
sed -i "s|^profiles = .*|profiles = $T/open|" "$T/assay.conf"
ok "profiles that anyone may write are wrong" leaves 1 doctor $C
ok "and told" says '^WRONG +places +\[paths\] profiles'
{ slurm; printf '[policy]\nmode = maybe\nresume_passes = 1\n'; } | config
ok "a bad line is wrong" leaves 1 doctor $C
ok "with its place" says '^WRONG +config +.*assay\.conf:[0-9]+'
ok "and what it means" says \
	'of \[policy\] is at its defaults: mode is observe, nothing is drained'
ok "as it does" says 'NOTE +policy +mode is observe'
{ slurm; printf '[budget]\nslurm_ms = 2000\ntotal_ms = 8\n'; } | config
ok "one in another section" leaves 1 doctor $C
ok "means its defaults" says 'all of \[budget\] is at its defaults'
ok "in words of its own" not says 'observe, nothing is drained'
{ slurm; printf '[check gpu_temp]\nlimit_x = 8\n[exec a]\nb = c\n'; } | config
ok "one in that of a check" leaves 1 doctor $C
ok "means that it reports ERROR" says '\[check gpu_temp\] is off and reports E'
ok "as that of a command" says '\[exec a\] is off and reports ERROR'
{ slurm; printf '[checks gpu_temp]\nenabled = no\n'; } | config
ok "an unknown section" leaves 1 doctor $C
ok "is read by nobody" says 'unknown section .*nothing reads it'

as_root() {
	[ "$(id -u)" = 0 ] || set -- "$1 # SKIP only the gates' own user is told" true
	ok "$@"
}
{ echo '[policy]'; echo 'mode = enforce'; slurm; } | config
sed -i "s|^state = .*|state = $T/no/such/state|" "$T/assay.conf"
as_root "a state that cannot be created is wrong" leaves 1 doctor $C
as_root "and told once, with the way out" says \
	'^WRONG +places +\[paths\] state: .* -> mkdir -p [^ ]*/no/such/state'
as_root "not as a matter of the config" not says '^WRONG +config'
: > "$T/file"
sed -i "s|^state = .*|state = $T/state|; s|^run = .*|run = $T/file|" \
	"$T/assay.conf"
as_root "a run directory that is none is wrong" leaves 1 doctor $C
as_root "and told" says '\[paths\] run: .* cannot be used.*-> a directory'

{ echo '[policy]'; echo 'mode = enforce'; slurm; } | config
if strangers; then
	leaves_a_stranger 0 doctor $C
	ok "who may not read the state is told so" \
		says '^NOTE +passes +not known whether a gate has run'
	ok "and not that it is wrong" not says '^WRONG'
	ok "but that root sees more" says '^NOTE +user .*-> run it as root'
else
	ok "who may not read the state # SKIP nobody to be" true
fi

# slurmctld dead, hung; no Slurm at all.
{ echo '[policy]'; echo 'mode = enforce'; slurm; } | config
cat > "$T/slurm.conf" <<S
PrologFlags=Alloc,DeferBatch
SchedulerParameters=nohold_on_prolog_fail
Prolog=$T/prolog.d/50-assay-prolog
Epilog=$T/prolog.d/assay-epilog
HealthCheckProgram=$T/assay-health
HealthCheckInterval=300
ReturnToService=1
S
echo 'exit 1' | scontrol
ok "with a dead slurmctld the file is read" leaves 0 doctor $C
ok "which is said" says 'NOTE +slurm +.*slurm\.conf was read'
ok "and judged" says '^OK +slurm\.conf'
# What the pages say to write.
# (EpilogSlurmctld is for who publishes, and assay(1)'s.)
block() {
	grep -hE '^( {4})?[A-Z][A-Za-z]+=[^ ]' "$1" | tr -d ' \\' |
		grep -v '^EpilogSlurmctld='
}
cp "$T/slurm.conf" "$T/kept"
block "$SRCDIR/README.md" > "$T/slurm.conf"
ok "the lines of the README" leaves 1 doctor $C
ok "please it" says '^OK +slurm\.conf +flags and timeouts suit'
ok "without a note" not says '^NOTE +slurm\.conf'
block "$SRCDIR/doc/assay-prolog.8" > "$T/page"
ok "and the manual page has the same" cmp -s "$T/slurm.conf" "$T/page"
mv "$T/kept" "$T/slurm.conf"

echo 'exec sleep 60' | scontrol
start=$(date +%s)
ok "with a hung scontrol, too" leaves 0 doctor $C
ok "in bounded time" test $(($(date +%s) - start)) -le 20
# A look that crashes, or stops for ever, costs only itself.
echo 'kill -9 $PPID; exit 1' | scontrol
ok "a look that crashes" leaves 1 doctor $C
ok "is named" says '^WRONG +doctor +the look at .slurm. crashed'
ok "and the others get their turn" says '^OK +driver'
echo 'kill -STOP $PPID; exit 1' | scontrol
start=$(date +%s)
ok "a look that never comes back" leaves 1 doctor $C
ok "is named" says 'the look at .slurm. did not come back in time'
ok "and the others get their turn" says '^OK +driver'
ok "in bounded time" test $(($(date +%s) - start)) -le 25
printf '[slurm]\nscontrol = /nonexistent/scontrol\n[policy]\nmode = enforce\n' |
	config
[ -e /etc/slurm/slurm.conf ] || [ -e /usr/local/etc/slurm.conf ] || {
	ok "without Slurm it works" leaves 0 doctor $C
	ok "and says so" says 'no Slurm here'
}

# GPUs of a fixture.
{ echo '[policy]'; echo 'mode = enforce'; slurm; echo "$DRIVER"; } | config
sed -i "s|^\[paths\]|&\n$ROOT|" "$T/assay.conf"
leaves 1 doctor $C
ok "GPUs without NVML are wrong" says '^WRONG +driver +'
ok "a place of a library that is not there, too" \
	says '^WRONG +places +\[libraries\] nvml'
ok "their profile is found from files" says '^OK +profile +8 x H100'

ok "a missing configuration that was named is none" \
	leaves 2 doctor --config "$T/nothing.conf"
ok "and named" says 'nothing.conf: No such file'
ok "unknown arguments are refused" leaves 2 doctor --fix
done_testing

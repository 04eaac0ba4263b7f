#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A node as a site has it: slurmd under systemd, jobs in cgroups (v2), devices
# fenced off. What assay reads of the cgroup tree is what is there; the gate is
# outside of it and sees all devices; nothing of assay's is left in it.
. "${0%/*}/lib.sh"
programs
GPUS='.nvml.gpus |= .[:2] | .cuda.gpus |= .[:2]'
scenario() {	# JQ-PROGRAM : of two GPUs
	jq "$GPUS | $1" /share/src/tests/fixtures/scenarios/h100x8-active.json \
		> "$HW/scenario.json"
}
scenario .

# Which devices can be opened: by a job, and by the gate's children, as a site's
# own check.
cat > /opt/open <<'X'
#!/bin/bash
cat /proc/self/cgroup
for f in /dev/nvidia[01] /dev/infiniband/uverbs[0-3]; do
	: 3<> $f
done 2>&1
exit 0
X
printf '#!/bin/bash\n/opt/open >> /opt/seen.log\n/opt/look /opt/look.conf >> /opt/seen.log\n' > /opt/seen
chmod 755 /opt/open /opt/seen
CONF="[libraries]
nvml = $HW/libnvidia-ml.so.1
cuda = $HW/libcuda.so.1
nccl = $HW/libnccl.so.2
[check gpu_count]
expected = 2
[check ib_loopback]
enabled = no
[exec seen]
command = /opt/seen
timeout_ms = 10000"
# One probe of GPUs is enough, and quick.
PROBES='[budget]
quick = always
quick_ttl = 0
[check gpu_membw]
enabled = no
[check gpu_gemm]
enabled = no
[check nvlink_bw]
enabled = no'
conf "$CONF"
GATE="Prolog=$GATES/assay-prolog
Epilog=$GATES/assay-epilog"

# ---- what tells of jobs ---------------------------------------------------

# With run directories that tell nothing.
mkdir -m 755 /opt/empty
printf '[paths]\nrun = /opt/empty\nstate = /opt/empty/state\n' > /opt/look.conf
looked() {	# jobs|steps|room_mib [NAME=VALUE]...
	env "${@:2}" /opt/look /opt/look.conf | tr ' ' '\n' |
		grep -A 1 -x "$1" | tail -n 1
}
job_dir() { echo /sys/fs/cgroup/system.slice/*slurmstepd.scope/job_$1; }
has_dir() { [ -d "$(job_dir "$1")" ]; }

is "no job, none seen" "$(looked jobs)" 0
is "nor a step" "$(looked steps)" 0
a=$(submit -c1 --wrap 'sleep 300')
ok "a job runs" wait_job "$a" RUNNING
ok "in a cgroup where one is expected" wait_until 20 has_dir "$a"
is "it is seen there" "$(looked jobs)" 1
ok "and its steps" test "$(looked steps)" -ge 1
is "to itself it is no other" "$(looked jobs SLURM_JOB_ID="$a")" 0
ok "it ends" cancel "$a"
is "and is not seen any more" "$(looked jobs)" 0
is "nor are steps" "$(looked steps)" 0

# ---- the gate -------------------------------------------------------------

slurm "$GATE"
ok "Slurm takes the gate" node_free "$NODE"
a=$(submit -c1 --gres=gpu:1,nic:1 --wrap /opt/open)
ok "a job of one GPU passes it" ended "$a" COMPLETED
is "and it judged the GPUs" "$(checked "$a" gpu_count)" PASS
like "the job is in a cgroup of its own" "$(cat "$OUT/$a.out")" \
	"slurmstepd.scope/job_$a/"
is "with four devices fenced off" \
	"$(grep -c 'not permitted' "$OUT/$a.out")" 4
ok "the gate's children are in slurmd's" \
	grep -q '^0::/system.slice/slurmd.service' /opt/seen.log
not_in_job() { ! grep -q 'job_' /opt/seen.log; }
ok "never in a job's" not_in_job
is "no device is closed to them" "$(grep -c permitted /opt/seen.log)" 0
ok "the Epilog comes when the cgroup is gone" \
	test "$(verdict "$a" .job)" = "$a" -a ! -d "$(job_dir "$a")"
like "the line is in the journal" "$(journalctl -q --no-pager -t assay-prolog)" \
	"\"job\":$a"
ok "nothing keeps the node" wait_until 20 node_free "$NODE"

# A line that anyone could have written is none of the kernel's.
echo "<4>NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus." \
	> /dev/kmsg
a=$(submit -c1 --gres=gpu:1 --wrap true)
ok "a forged line of the kernel's log stops nobody" ended "$a" COMPLETED
a=$(submit -c1 --mem=60 --wrap 'head -c 300M /dev/zero | tail')
ok "the kernel kills what takes too much" ended "$a" OUT_OF_MEMORY
a=$(submit -c1 --gres=gpu:1 --wrap true)
ok "which is no fault of the node" ended "$a" COMPLETED
like "for the kernel's log either" "$(checked "$a" kmsg_hw)" 'PASS|WARN'

# ---- who owns the node ----------------------------------------------------

conf "$CONF" "$PROBES"
a=$(submit -c1 --wrap 'sleep 300')
wait_job "$a" RUNNING 60
rm -rf "${RUN:?}/$a"	# no Prolog of ours has told
b=$(submit -c1 --gres=gpu:2 --wrap true)
ok "a job of all GPUs beside another" ended "$b" COMPLETED
like "does not own the node: the other's cgroup tells" \
	"$(note "$b" gpu_pcie_bw)" 'does not own'
cancel "$a"
b=$(whole --wrap true)
ok "a job alone" ended "$b" COMPLETED
is "does, and its GPUs are measured" "$(checked "$b" gpu_pcie_bw)" PASS

# ---- slurmd is restarted --------------------------------------------------

a=$(submit -c1 --gres=gpu:1 --wrap 'sleep 300')
wait_job "$a" RUNNING 60
ok "slurmd is restarted under a job" systemctl restart slurmd
is "which is still seen" "$(looked jobs)" 1
b=$(submit -c1 --gres=gpu:1 --wrap true)
ok "another one runs beside it" ended "$b" COMPLETED
ok "the first goes on" job_is "$a" RUNNING
ok "and ends" cancel "$a"
ok "with an Epilog" test -e "$RUN/$a/ended"

# ---- a worker that stays behind -------------------------------------------

conf "$CONF"
scenario '.deaf = true | .nvml.Init_v2 = {hang_ms: -1} |
	.nvml.InitWithFlags = {hang_ms: -1}'
a=$(submit -c1 --gres=gpu:1 --wrap true)
ok "a driver that hangs, and no witness: the job runs" ended "$a" COMPLETED
is "the timeout is told" "$(checked "$a" gpu_driver)" TIMEOUT
ok "the node is free" wait_until 20 node_free "$NODE"
stuck=$(jq -r '.[].pid' "$RUN/stuck.json")
# shellcheck disable=SC2086
ok "though a worker is stuck" kill -0 $stuck
outside() { ! cat /proc/*/cgroup 2> /dev/null | grep -q "job_$a"; }
ok "not in the job's cgroup" outside
ok "which is gone" not has_dir "$a"
ok "nor does it hold up slurmd" timeout 30 systemctl restart slurmd
# shellcheck disable=SC2086
kill -KILL $stuck
scenario .

# ---- slurmd in bounds -----------------------------------------------------

conf "$CONF" "$PROBES"
: > /opt/seen.log
ok "slurmd with 600 MB and a CPU of its own" \
	slurm "$GATE" +MemSpecLimit=600 +CpuSpecList=0
a=$(whole --wrap 'grep Cpus_allowed_list /proc/self/status')
ok "a job passes" ended "$a" COMPLETED
like "on the other CPU" "$(cat "$OUT/$a.out")" '1$'
room=$(awk '/room_mib/ { print $6; exit }' /opt/seen.log)
ok "the gate sees that memory, not the machine's" \
	test "$room" -gt 100 -a "$room" -le 600
like "and leaves probes alone" "$(note "$a" gpu_pcie_bw)" \
	'too little memory'
slurm "$GATE"

# ---- assay in a job -------------------------------------------------------

# The driver's files of two GPUs. In a job NVML tells of those alone that can
# be opened: the first, in the stand-ins for that.
mount -t tmpfs -o mode=755 none /proc/driver
from=/share/src/tests/fixtures/roots/h100x8/proc/driver/nvidia
mkdir -p /proc/driver/nvidia/gpus
cp "$from/version" /proc/driver/nvidia/
cp -r "$from"/gpus/0000:[12]?:00.0 /proc/driver/nvidia/gpus/
mkdir /opt/injob
cp "$HW"/lib* /opt/injob/
jq '.nvml.gpus |= .[:1]' "$HW/scenario.json" > /opt/injob/scenario.json
conf "${CONF//$HW//opt/injob}"
mv "$ETC/assay.conf" /opt/injob/assay.conf
conf "$CONF"
check="$ASSAY check --config /opt/injob/assay.conf --only gpu_count,gpu_driver"

a=$(submit -c1 --gres=gpu:1 --wrap "$check")
ok "a user's check in a job: the fenced GPU is not missing" \
	ended "$a" COMPLETED
like "both checks pass" "$(cat "$OUT/$a.out")" 'PASS +gpu_driver gpu_count'
a=$(submit -c1 --gres=gpu:2 --wrap "$check")
ok "but one that is the job's and is not shown" ended "$a" FAILED
like "is" "$(cat "$OUT/$a.out")" 'FAIL +gpu_count .*1<2'
as_user $check > "$OUT/check" 2>&1
like "as it is outside of jobs" "$(cat "$OUT/check")" 'FAIL +gpu_count .*1<2'
a=$(submit -c1 --mem=5000 --gres=gpu:1 \
	--wrap "$ASSAY check --only gpu_pcie_bw")
ended "$a" FAILED > /dev/null
like "nothing is loaded from within a job" "$(cat "$OUT/$a.out")" \
	'SKIP +gpu_pcie_bw +jobs run on this node'

if [ "$(slurm_version)" -ge 2405 ]; then
	# the gate in the job's own cgroup, with its fences and its memory
	mv /opt/injob/assay.conf "$ETC/"
	slurm "$GATE" PrologFlags=Alloc,Contain,RunInJob
	a=$(submit -c1 --gres=gpu:1 --wrap true)
	ok "RunInJob: a job runs" ended "$a" COMPLETED
	is "the gate passes what it may not see" "$(checked "$a" gpu_count)" PASS
	conf "$CONF"
else
	skip "RunInJob" "this Slurm has none"
fi

# ---- the health check -----------------------------------------------------

slurm "$GATE" "HealthCheckProgram=$GATES/assay-health" HealthCheckInterval=3
scenario 'del(.cuda) | .nvml.gpus[1].GetFieldValues["230"] = 1'
ok "a sick idle node is drained by the health check" wait_drained "$NODE" 60
like "with the reason" "$(node_reason "$NODE")" '^assay:gpu_recovery GPU1'
scenario 'del(.cuda)'
ok "and comes back when it is well" wait_until 90 node_free "$NODE"
a=$(submit -c1 --gres=gpu:1 --wrap 'sleep 5')
ok "a job runs meanwhile" ended "$a" COMPLETED

# ---- and at last ----------------------------------------------------------

slurm
no_assay() { ! pgrep -f assay- > "$SAID"; }
ok "no process of assay's is left" no_assay
is "nor a job's cgroup" \
	"$(find /sys/fs/cgroup -type d -path '*slurmstepd.scope/*' -name 'job_*')" ""
suite_end

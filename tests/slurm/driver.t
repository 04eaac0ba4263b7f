#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A driver that never answers, that crashes, and one hung GPU of eight.
. "${0%/*}/lib.sh"
suite_assay
CLUSTER_NODES=4
suite_up

# never returns, whole node: a second worker is the witness
hw_set n1 '.nvml.Init_v2 = {hang_ms: -1} | .nvml.InitWithFlags = {hang_ms: -1}'
t0=$SECONDS
job=$(whole -w n1 --wrap true)
ok "a driver that never answers drains its node" wait_drained n1 20
ok "in time" test $((SECONDS - t0)) -le 11
like "with our reason" "$(node_reason n1)" '^assay:gpu_driver'
like "as a timeout" "$(checked n1 "$job" gpu_driver)" 'TIMEOUT|FAIL'
timeout 5 scancel "$job"

# never returns, some GPUs: nobody can witness it, so the job runs
hw_set n2 '.nvml.Init_v2 = {hang_ms: -1} | .nvml.InitWithFlags = {hang_ms: -1}'
job=$(submit -w n2 --gres=gpu:2 --wrap true)
ok "without a witness the job runs" wait_job "$job" COMPLETED 40
is "and the node stays" "$(node_state n2)" IDLE
is "the timeout is recorded" "$(checked n2 "$job" gpu_driver)" TIMEOUT

# crashes
cat > "$LAB/etc/crash.c" <<'C'
int nvmlInit_v2(void) { __builtin_trap(); }
int nvmlInitWithFlags(unsigned int flags) { (void)flags; __builtin_trap(); }
C
cp "$LAB/nodes/n3/hw/libnvidia-ml.so.1" "$LAB/etc/libnvidia-ml.so.1"
if gcc -shared -fPIC -o "$LAB/nodes/n3/hw/libcrash.so" "$LAB/etc/crash.c" \
	-L"$LAB/etc" -Wl,--no-as-needed -l:libnvidia-ml.so.1 \
	-Wl,-rpath,"$LAB/hw" > "$SAID" 2>&1
then
	sed -i 's/libnvidia-ml.so.1/libcrash.so/' "$LAB/nodes/n3/etc/assay.conf"
	job=$(whole -w n3 --wrap true)
	ok "a library that crashes: the job runs" wait_job "$job" COMPLETED 20
	is "and the node stays" "$(node_state n3)" IDLE
	is "the crash is ours to explain" \
		"$(checked n3 "$job" gpu_driver)" ERROR
else
	skip "a library that crashes" "no compiler"
fi

# one of eight: named, and the others are asked
hw_set n4 '.nvml.gpus[3].GetRemappedRows = {hang_ms: -1}'
hw_set n4 '.nvml.gpus[3].GetTemperature = {hang_ms: -1}'
job=$(whole -w n4 --wrap true)
ok "one hung GPU of eight drains its node" wait_drained n4 20
like "by its name" "$(node_reason n4)" '^assay:.*GPU3'
timeout 5 scancel "$job"
suite_end

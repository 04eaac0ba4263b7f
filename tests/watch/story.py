#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job's record and its block: while it runs, and behind it."""
import json
import os
import time

import node
from node import ramp, tap, uuid, wait

WATTS = 400
MIB = 1 << 20
GPU = {"GetTotalEnergyConsumption": ramp(WATTS * 1000, 5000000),
       "GetPowerUsage": 400000, "GetClockInfo": {"1": 1755, "2": 2619},
       "GpmQueryDeviceSupport": 1,
       "GpmMetricsGet": {"1": 90, "2": 80, "5": 50, "10": 30}}
SCENARIO = {"nvml": {"gpus": {
    "0": GPU, "1": GPU,
    "2": dict(GPU, GetFieldValues={"74": ramp(500000000)}),
    "3": dict(GPU, GpmMetricsGet={"1": 0, "2": 0, "5": 0, "10": 0}),
}}}
JOB = {"SLURM_JOB_UID": "1234", "SLURM_JOB_USER": "alice"}


def near(got, want, share=0.15):
    return got is not None and abs(got - want) <= abs(want) * share


def spooled(n, job, restart=0):
    for name in os.listdir(n.run.path("spool")):
        if name.startswith("%d.%d." % (job, restart)):
            with open(n.run.path("spool", name), encoding="utf-8") as f:
                return json.load(f)
    return None


def gpu(record, i):
    return [g for g in record["gpu"] if g["index"] == i][0]


def running(n):
    wait(20, lambda: (n.json("7/record.json") or {}).get(
        "watch", {}).get("samples", 0) >= 3)
    rec = n.json("7/record.json")
    tap.ok(rec["schema"] == "assay.job/1" and rec["kind"] == "node" and
           rec["job"]["state"] == "running", "a record while it runs",
           rec["job"])
    tap.ok(rec["job"]["user"] == "alice" and rec["job"]["id"] == 7,
           "of this job", rec["job"])
    tap.ok(near(gpu(rec, 0)["busy_pct"], 90) and
           near(gpu(rec, 0)["sm_active_pct"], 80) and
           near(gpu(rec, 0)["tensor_active_pct"], 50), "as the GPU did",
           gpu(rec, 0))
    # Of some seconds only, and a job begins at a whole one.
    tap.ok(near(gpu(rec, 0)["power_w"]["mean"], WATTS, 0.4), "at its power",
           gpu(rec, 0))
    tap.ok(not gpu(rec, 3)["used"] and gpu(rec, 0)["used"],
           "who held a GPU idle is told", rec["gpus"])
    tap.ok([s for s in rec["series"]["gpu"] if s["index"] == 0],
           "with its series")
    st = os.stat(n.run.path("run", "7/user.json"))
    tap.ok(st.st_uid == os.getuid() and
           st.st_mode & 0o777 == 0o440,
           "and a copy that its owner can read, but not fill")
    st = os.stat(n.run.path("run", "7/record.json"))
    tap.ok(st.st_mode & 0o777 == 0o600, "root's own is root's")
    with open(n.run.path("run", "7/block"), encoding="ascii") as f:
        lines = f.read().splitlines()
    tap.ok(lines and len(lines) <= 12 and
           all(l.startswith("# assay ") for l in lines), "and the block",
           lines)
    return rec


def hostile(n):
    """The owner's directory entries are not his: but what if they were?"""
    target = n.run.path("target")
    with open(target, "w", encoding="ascii") as f:
        f.write("mine")
    for name in ("user.json", "record.json", "block"):
        path = n.run.path("run", "7", name)
        os.unlink(path)
        os.symlink(target, path)
    before = n.samples()
    wait(10, lambda: n.samples() >= before + 2)
    with open(target, encoding="ascii") as f:
        tap.ok(f.read() == "mine", "no link is written through")
    tap.ok(not os.path.islink(n.run.path("run", "7/user.json")),
           "what stood in the way is replaced")
    for name in ("host.json", "steps.jsonl"):
        path = n.run.path("run", "7", name)
        if os.path.lexists(path):
            os.unlink(path)
        os.mkfifo(path)
    os.symlink("/etc/passwd", n.run.path("run/watch/mlx5_9:1.track"))
    before = n.samples()
    wait(10, lambda: n.samples() >= before + 2)
    tap.ok(n.json("7/record.json")["job"]["id"] == 7,
           "a FIFO holds nobody up")
    os.unlink(n.run.path("run/7/steps.jsonl"))


def steps(n):
    with open(n.run.path("run/7/steps.jsonl"), "w", encoding="ascii") as f:
        for step, cpu, mem in (("batch", 3000000, 100 * MIB),
                               (0, 9000000, 700 * MIB),
                               (0, 12000000, 900 * MIB)):
            f.write(json.dumps({
                "event": "task", "step": step, "cpu_us": cpu, "cpus": 16,
                "cgroup": {"v2": "/x"}, "mem_peak_bytes": mem,
                "rusage": {"cpu_us": 99000000, "max_rss_bytes": MIB},
                "oom_kills": 0}) + "\n")
        for step in ("batch", 0):
            f.write(json.dumps({
                "event": "end", "step": step, "ended": 1,
                "rusage": {"cpu_us": 99000000, "max_rss_bytes": MIB}}) + "\n")
        f.write('{"torn')


def behind(n):
    start = time.monotonic()
    code, said = n.epilog(7, "0,1,2,3", SLURM_JOB_EXIT_CODE="256",
                          SLURM_JOB_EXIT_CODE2="1:0", **JOB)
    took = time.monotonic() - start
    rec = spooled(n, 7)
    tap.ok(code == 0 and rec, "the Epilog stores a record, in %.1f s" % took,
           said)
    tap.ok(rec["job"]["state"] == "failed" and rec["job"]["exit_code"] == 1,
           "of how it ended", rec["job"])
    elapsed = rec["job"]["elapsed_s"]
    tap.ok(near(gpu(rec, 0)["energy_j"], WATTS * elapsed, 0.35),
           "energy from snapshot to snapshot", gpu(rec, 0))
    tap.ok(near(gpu(rec, 2)["throttle_s"]["power"], 0.5 * elapsed, 0.35) and
           gpu(rec, 0)["throttle_s"]["power"] is None,
           "held down where it was, unknown where it is not counted",
           [g["throttle_s"] for g in rec["gpu"]])
    tap.ok(rec["cpu"]["seconds"] == 15 and
           rec["memory"]["peak_bytes"] == 900 * MIB,
           "CPU and memory by the steps' notes", [rec["cpu"], rec["memory"]])
    tap.ok(rec["node"][0]["cpu_of"] == "cgroup" and
           rec["memory"]["of"] == "cgroup", "which are those of cgroups",
           rec["node"])
    tap.ok(rec["job"]["array_job"] is None and
           rec["node"][0]["leaf"] is None and
           rec["fabric"]["why"]["leaf_switches"] == "not told",
           "what no step has told is not known", rec["fabric"])
    tap.ok(rec["watch"]["state"] == "whole", "seen whole", rec["watch"])
    tap.ok([c["name"] for c in rec["after"]["checks"]] is not None,
           "and what was found behind it", rec["after"])
    user = n.run.path("spool/users/1234/7.json")
    tap.ok(os.path.exists(user) and os.stat(user).st_uid == os.getuid(),
           "its owner's copy, too")
    code, said = n.epilog(7, "0,1,2,3", SLURM_JOB_EXIT_CODE="256", **JOB)
    tap.ok(code == 0 and spooled(n, 7)["job"]["id"] == 7,
           "twice is once", said)


def without_cgroups(n):
    """What its steps' processes came to stands in, and says so."""
    n.write("proc/meminfo", "MemTotal:       2147483648 kB\n")
    rec = stands_in(n, 22, {"mem_alloc_bytes": None})
    tap.ok(rec["memory"]["peak_bytes"] == 300 * MIB and
           rec["memory"]["limit_bytes"] == 2147483648 << 10,
           "where Slurm shares out no memory it is held against the node's",
           rec["memory"])
    rec = stands_in(n, 21, {"mem_alloc_bytes": 2048 * MIB})
    tap.ok(rec["cpu"]["seconds"] == 15 and
           rec["node"][0]["cpu_of"] == "processes",
           "without a cgroup CPU time is that of processes", rec["cpu"])
    tap.ok(rec["memory"]["peak_bytes"] == 300 * MIB and
           rec["memory"]["limit_bytes"] == 2048 * MIB and
           rec["memory"]["of"] == "largest process",
           "and the memory that of the largest", rec["memory"])
    tap.ok(rec["job"]["array_job"] == 5 and rec["job"]["array_task"] == 0,
           "a task of an array is told by its plugin", rec["job"])
    tap.ok(rec["node"][0]["leaf"] == "leaf3" and
           rec["fabric"]["leaf_switches"] == 1, "so is the leaf switch",
           rec["fabric"])


def stands_in(n, job, alloc):
    n.prolog(job, "0,1,2,3", **JOB)
    usage = [{"cpu_us": c * 1000000, "max_rss_bytes": m * MIB}
             for c, m in ((4, 200), (6, 300), (9, 100))]
    with open(n.run.path("run/%d/steps.jsonl" % job), "w", encoding="ascii") as f:
        for event, step, more in (
                ("begin", "batch", {"array_job": 5, "array_task": 0,
                                    "leaf": "leaf3"}),
                ("begin", "0", {"leaf": "leaf3"}),
                ("task", "0", {"rusage": usage[0]}),
                ("end", "0", {"rusage": usage[1]}),
                ("end", "batch", {"rusage": usage[2]})):
            if event == "begin":
                more = dict(more, cgroup=None, cpus=16, job=alloc)
            f.write(json.dumps(dict(more, event=event, step=step)) + "\n")
    code, said = n.epilog(job, "0,1,2,3", **JOB)
    rec = spooled(n, job)
    tap.ok(code == 0 and rec, "a job without a cgroup has a record", said)
    return rec


def no_room(n):
    """A record that finds no place: what is too old must make some."""
    old = n.run.path("spool/3.0.n9.json")
    with open(old, "w", encoding="ascii") as f:
        f.write("{}")
    os.utime(old, (1, 1))
    for name in os.listdir(n.run.path("spool")):
        if name == ".pruned":
            os.unlink(n.run.path("spool", name))
    n.prolog(13, "0,1,2,3", **JOB)
    taken = n.run.path("spool", "13.0.%s.json" % n.mark(13)["node"])
    os.mkdir(taken)
    code, said = n.epilog(13, "0,1,2,3", **JOB)
    tap.ok(code == 0 and "store 13.0." in said, "a record that is not stored",
           said)
    tap.ok(wait(10, lambda: not os.path.exists(old)),
           "keeps nobody from making room", os.listdir(n.run.path("spool")))
    os.rmdir(taken)


def very_many_steps(n):
    """What had no place in the file is not nothing."""
    n.prolog(14, "0,1,2,3", SLURM_JOB_END_TIME=str(int(time.time()) + 60),
             SLURM_JOB_START_TIME=str(int(time.time())), **JOB)
    with open(n.run.path("run/14/steps.jsonl"), "w", encoding="ascii") as f:
        f.write(json.dumps({"event": "task", "step": "0", "cgroup": {},
                            "cpu_us": 7000000, "mem_peak_bytes": MIB,
                            "mem_limit_bytes": 4 * MIB}) + "\n")
    with open(n.run.path("run/14/steps.dropped"), "w", encoding="ascii") as f:
        f.write("\n\n")
    n.epilog(14, "0,1,2,3", **JOB)
    rec = spooled(n, 14)
    tap.ok(rec["cpu"]["seconds"] is None and rec["job"]["steps"] is None and
           rec["memory"]["peak_bytes"] is None,
           "of some of the steps there is no sum", (rec["cpu"], rec["memory"]))
    tap.ok(rec["memory"]["limit_bytes"] == 4 * MIB, "but the limit is known",
           rec["memory"])


def requeued(n):
    """Slurm may tell the Epilog the number of the run to come."""
    n.prolog(11, "0,1,2,3", **JOB)
    n.epilog(11, "0,1,2,3", SLURM_JOB_RESTART_COUNT="1", **JOB)
    first = spooled(n, 11, 0)
    n.prolog(11, "0,1,2,3", SLURM_JOB_RESTART_COUNT="1", **JOB)
    n.epilog(11, "0,1,2,3", SLURM_JOB_RESTART_COUNT="1", **JOB)
    tap.ok(first and spooled(n, 11, 1) and
           first["job"]["restart"] == 0, "each run has its record")


def without(n):
    code, said = n.epilog(8, "0,1,2,3", SLURM_JOB_RESTART_COUNT="4", **JOB)
    rec = spooled(n, 8, 4)
    tap.ok(code == 0 and rec and rec["watch"]["state"] == "none",
           "a job without a Prolog has a record", said)
    n.prolog(9, None, **JOB)
    code, said = n.epilog(9, None, **JOB)
    rec = spooled(n, 9)
    tap.ok(code == 0 and rec and rec["gpu"] == [] and
           rec["job"]["state"] == "completed", "one without GPUs, too", said)


def rebooted(n):
    """The snapshots of another boot are void."""
    n.prolog(10, "0,1,2,3", **JOB)
    wait(10, lambda: n.samples() >= 2)
    n.write("proc/sys/kernel/random/boot_id",
            "99999999-8f0a-4a5e-9a53-2d3c7a9b1e10\n")
    code, said = n.epilog(10, "0,1,2,3", **JOB)
    rec = spooled(n, 10)
    tap.ok(code == 0 and gpu(rec, 0)["energy_j"] is None and
           gpu(rec, 0)["why"]["energy_j"] == "reset during the job",
           "behind a reboot nothing is subtracted", rec and gpu(rec, 0))


def main():
    metrics = os.path.join(run_dir(), "metrics")
    with node.Node(SCENARIO, "[report]\nmetrics_dir = %s\n" % metrics) as n:
        n.prolog(7, "0,1,2,3", **JOB)
        running(n)
        with open(metrics + "/assay-watch.prom", encoding="ascii") as f:
            text = f.read()
        tap.ok('assay_gpu_busy_ratio{gpu="0",uuid="%s"} 0.9\n' % uuid(0)
               in text and 'assay_gpu_job_info{gpu="2",jobid="7"} 1' in text,
               "metrics of the node", text)
        hostile(n)
        steps(n)
        behind(n)
        tap.ok(not os.path.exists(metrics + "/assay-watch.prom"),
               "the metrics go with the sampler")
        without(n)
        without_cgroups(n)
        no_room(n)
        very_many_steps(n)
        requeued(n)
        rebooted(n)
    node.run_case.shutil.rmtree(metrics)
    tap.done()


def run_dir():
    top = node.run_case.tempfile.mkdtemp(prefix="assay-metrics.")
    os.mkdir(os.path.join(top, "metrics"))
    return top


main()

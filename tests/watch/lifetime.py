#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One sampler on a node: it comes with the first job and goes with the last,
whatever happens in between."""
import json
import os
import signal
import time

import node
from node import tap, uuid, wait


def test_one_job():
    with node.Node() as n:
        code, said = n.prolog(7)
        pids = wait(5, n.samplers)
        tap.ok(code == 0 and len(pids) == 1, "the Prolog starts one", said)
        pid = pids[0]
        stat = open("/proc/%d/stat" % pid, encoding="ascii").read() \
            .rpartition(")")[2].split()
        tap.ok(stat[2] == str(pid) and stat[3] == str(pid),
               "in a session and a group of its own", stat[:6])
        tap.ok(all(os.readlink("/proc/%d/fd/%d" % (pid, fd)) == "/dev/null"
                   for fd in range(3)), "holding nobody's pipe")
        with open("/proc/%d/environ" % pid, "rb") as f:
            env = [e for e in f.read().split(b"\0") if e]
        tap.ok(len(env) == 1 and env[0].startswith(b"SLURMD_NODENAME="),
               "with no environment but the node's name", env)
        tap.ok(n.mark(7)["watch"] == "wanted" and
               len(n.mark(7)["gpus"]) == 8, "the job is marked", n.mark(7))
        wait(10, lambda: n.samples() >= 2)
        code, said = n.epilog(7)
        tap.ok(code == 0 and not n.samplers(), "the Epilog ends it", said)
        tap.ok(len(n.track(uuid(0))[1]) >= 1, "its samples stay")
        code, said = n.epilog(7)
        tap.ok(code == 0 and not n.samplers(), "and may run twice", said)


def test_two_jobs():
    with node.Node() as n:
        n.prolog(7, "0,1,2,3")
        first = wait(5, n.samplers)
        n.prolog(8, "4,5,6,7")
        time.sleep(0.3)
        tap.ok(n.samplers() == first, "a second job finds it running")
        wait(10, lambda: len(n.track(uuid(4))[1]) >= 2)
        tap.ok(len(n.track(uuid(4))[1]) >= 2, "its GPUs are sampled, too")
        n.epilog(7, "0,1,2,3")
        tap.ok(n.samplers() == first, "the end of one is not the end")
        before = len(n.track(uuid(4))[1])
        wait(10, lambda: len(n.track(uuid(4))[1]) > before)
        done = len(n.track(uuid(0))[1])
        before = len(n.track(uuid(4))[1])
        wait(10, lambda: len(n.track(uuid(4))[1]) > before + 1)
        tap.ok(len(n.track(uuid(4))[1]) > before + 1 and
               len(n.track(uuid(0))[1]) == done,
               "only what is used is asked")
        n.epilog(8, "4,5,6,7")
        tap.ok(not n.samplers(), "the last one ends it")


def test_who_gets_none():
    now = int(time.time())
    with node.Node() as n:
        n.prolog(7, None)
        tap.ok(n.mark(7)["watch"] == "no gpu" and not n.samplers(),
               "a job without GPUs gets none")
        n.prolog(8, SLURM_JOB_START_TIME=str(now),
                 SLURM_JOB_END_TIME=str(now + 300))
        tap.ok(n.mark(8)["watch"] == "short" and not n.samplers(),
               "a job known to be short gets none")
        n.prolog(9, SLURM_JOB_START_TIME=str(now),
                 SLURM_JOB_END_TIME=str(now + 3000))
        tap.ok(n.mark(9)["limit_end"] == now + 3000 and
               wait(5, n.samplers), "a long one gets one")
    with node.Node(config="enabled = no\n") as n:
        n.prolog(7)
        tap.ok(n.mark(7)["watch"] == "disabled" and not n.samplers(),
               "nobody does where it is switched off")
    with node.Node({"nvml": {"gpus": {"3": {"GetRemappedRows": {
            "corrRows": 1, "uncRows": 8, "isPending": 0,
            "failureOccurred": 1}}}}}) as n:
        code, said = n.prolog(7)
        tap.ok(code == 1 and not n.mark(7) and not n.samplers(),
               "nor a job that is refused", said)


def test_time_that_was_extended():
    now = int(time.time())
    scope = "sys/fs/cgroup/system.slice/slurmstepd.scope/job_%d/"
    with node.Node() as n:
        n.write("proc/sys/kernel/osrelease", "6.1.0\n")
        n.write(scope % 7 + "cpu.stat", "usage_usec 1\n")
        n.prolog(7, SLURM_JOB_START_TIME=str(now - 9000),
                 SLURM_JOB_END_TIME=str(now - 4000))
        wait(10, lambda: n.samples() >= 3)
        tap.ok(n.samples() >= 3 and n.samplers(),
               "a job that has its cgroup is alive, whatever its time")
        os.unlink(n.run.path("root", scope % 7 + "cpu.stat"))
        os.rmdir(n.run.path("root", scope % 7))
        tap.ok(wait(10, lambda: not n.samplers()) and
               os.path.exists(n.run.path("run", "7/over")),
               "one that has not, and no time, is over")
    with node.Node() as n:
        n.write("proc/4242/comm", "slurmstepd\n")
        n.write("proc/4242/cmdline", "slurmstepd: [7.batch]\0")
        n.prolog(7, SLURM_JOB_START_TIME=str(now - 9000),
                 SLURM_JOB_END_TIME=str(now - 4000))
        wait(10, lambda: n.samples() >= 3)
        tap.ok(n.samples() >= 3 and n.samplers(),
               "where there are no cgroups, one whose steps run is alive")
        n.write("proc/4242/cmdline", "slurmstepd: [70.batch]\0")
        tap.ok(wait(10, lambda: not n.samplers()) and
               os.path.exists(n.run.path("run", "7/over")),
               "and over when only others' do")


def test_driver_that_hangs():
    """The end waits for nobody who is in the driver, but leaves him alone."""
    late = {"hang_ms": -1}
    with node.Node({"deaf": True, "nvml": {"gpus": {"3": {
            "GetUtilizationRates": {"seq": [{"gpu": 7, "memory": 1},
                                            late]}}}}}) as n:
        n.prolog(7)
        pid = wait(5, n.samplers)[0]
        wait(10, lambda: n.samples() >= 1)
        time.sleep(1.5)         # the next round has begun
        code, said = n.epilog(7)
        tap.ok(code == 0 and wait(5, lambda: not node.alive(pid)),
               "the Epilog ends it, hung driver or not", said)
        noted = [s["pid"] for s in n.json("stuck.json") or []]
        tap.ok(len(noted) == 1 and node.alive(noted[0]),
               "the child that is in the driver is noted, not killed", noted)
        for child in noted:
            os.kill(child, signal.SIGKILL)


def test_ended_too_soon():
    """A job that was marked while the sampler already ends."""
    with node.Node() as n:
        n.prolog(7, "0,1,2,3")
        first = wait(5, n.samplers)
        wait(10, lambda: n.samples() >= 1)
        os.kill(first[0], signal.SIGSTOP)
        os.kill(first[0], signal.SIGTERM)
        # What a Prolog does that finds the lock held.
        doc = n.mark(7)
        doc["job"] = 8
        os.mkdir(n.run.path("run", "8"))
        with open(n.run.path("run", "8", "job.json"), "w",
                  encoding="ascii") as f:
            json.dump(doc, f)
        os.kill(first[0], signal.SIGCONT)
        tap.ok(wait(5, lambda: not node.alive(first[0])),
               "it ends as it was told")
        second = wait(5, n.samplers)
        tap.ok(len(second) == 1 and second != first,
               "and another one comes for the job", second)
        os.kill(second[0], signal.SIGTERM)
        tap.ok(wait(5, lambda: not n.samplers()),
               "where no job came it is the last")
        time.sleep(1)
        tap.ok(not n.samplers(), "and stays so", n.samplers())


def test_killed():
    with node.Node() as n:
        n.prolog(7, "0,1,2,3")
        first = wait(5, n.samplers)
        wait(10, lambda: len(n.track(uuid(0))[1]) >= 2)
        child = n.children(first[0])
        os.kill(first[0], signal.SIGKILL)
        wait(5, lambda: not n.samplers())
        tap.ok(child and wait(5, lambda: not any(map(node.alive, child))),
               "killed, it leaves no child behind", child)
        before = len(n.track(uuid(0))[1])
        started = n.state()["started"]
        n.prolog(8, "4,5,6,7")
        second = wait(5, n.samplers)
        tap.ok(len(second) == 1 and second != first,
               "the next Prolog starts another")
        wait(10, lambda: len(n.track(uuid(0))[1]) > before + 1)
        tap.ok(len(n.track(uuid(0))[1]) > before + 1,
               "which goes on with the samples of the first job's GPUs")
        tap.ok(n.state()["started"] >= started + 1,
               "and tells when it came", n.state())


def test_double_start():
    with node.Node() as n:
        n.prolog(7)
        first = wait(5, n.samplers)
        for _ in range(3):
            code, said = n.call("assay-watch", {})
            tap.ok(code == 0 and n.samplers() == first,
                   "a second one leaves", said)
        os.unlink(n.run.path("run", "7", "job.json"))
        tap.ok(wait(5, lambda: not n.samplers()),
               "where no mark is left it goes by itself")
        code, said = n.call("assay-watch", {})
        tap.ok(code == 0 and not n.samplers(),
               "started where there is no job, it leaves", said)
        os.rename(n.run.conf, n.run.conf + ".away")
        code, said = n.call("assay-watch", {})
        tap.ok(code == 1, "without its configuration it is nowhere at home",
               said)


def test_marks_that_are_none():
    with node.Node() as n:
        n.prolog(7)
        wait(5, n.samplers)
        run = n.run.path("run")
        os.mkdir(run + "/8")
        os.mkfifo(run + "/8/job.json")
        os.mkdir(run + "/9")
        os.symlink("../7/job.json", run + "/9/job.json")
        os.mkdir(run + "/10")
        with open(run + "/10/job.json", "w", encoding="ascii") as f:
            f.write("{" * 10000)
        os.mkdir(run + "/11")
        with open(run + "/11/job.json", "w", encoding="ascii") as f:
            f.write('{"schema": "assay.mark/1", "job": 7}')
        before = n.samples()
        tap.ok(wait(10, lambda: n.samples() > before + 1),
               "what is no mark disturbs nobody")
        n.epilog(7)
        tap.ok(not n.samplers(), "and keeps nobody awake")


def main():
    test_one_job()
    test_two_jobs()
    test_who_gets_none()
    test_time_that_was_extended()
    test_driver_that_hangs()
    test_ended_too_soon()
    test_killed()
    test_double_start()
    test_marks_that_are_none()
    tap.done()


main()

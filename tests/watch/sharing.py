#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a node tells the others of a job: while it runs, and behind it, also
if a process of an earlier Epilog still hangs in their file system."""
import fcntl
import json
import os
import pwd
import shutil
import tempfile
import time

import node
from node import tap, wait

NODES = {"SLURM_JOB_NUM_NODES": "2"}
ALONE = {"SLURM_JOB_NUM_NODES": "1"}


def started(ago_s):
    return {"SLURM_JOB_START_TIME": str(int(time.time()) - ago_s)}


class Shared:
    """A directory of the cluster's file system."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="assay-shared.")
        self.user = pwd.getpwuid(os.getuid() or 65534)
        os.chmod(self.top, 0o711)
        self.dir = os.path.join(self.top, "shared")
        os.mkdir(self.dir)
        os.chown(self.dir, self.user.pw_uid, -1)

    def config(self):
        return "[paths]\nshared_dir = %s\nshared_user = %s\n" % (
            self.dir, self.user.pw_name)

    def runs(self):
        try:
            return sorted(n for n in os.listdir(self.dir + "/jobs")
                          if n[0] != ".")
        except OSError:
            return []

    def files(self, run):
        where = os.path.join(self.dir, "jobs", run)
        try:
            return sorted(n for n in os.listdir(where) if n[0] != ".")
        except OSError:
            return []

    def record(self, run):
        names = [n for n in self.files(run) if n.endswith(".json")]
        if not names:
            return None
        with open(os.path.join(self.dir, "jobs", run, names[0]),
                  encoding="utf-8") as f:
            return json.load(f)


def state(shared, run):
    record = shared.record(run)
    return record and record["job"]["state"]


def running(n, shared):
    n.prolog(7, "0,1", **NODES, **started(700))
    n.prolog(8, "2,3", **NODES, **started(0))
    n.prolog(9, "4,5", **ALONE, **started(400))
    wait(20, shared.record, "7.0")
    tap.ok(state(shared, "7.0") == "running",
           "who has run for over five minutes is told of", shared.runs())
    told = shared.record("7.0")["job"]["end"]
    before = n.samples()
    wait(20, lambda: n.samples() >= before + 4)
    tap.ok(n.json("7/record.json")["job"]["end"] > told and
           shared.record("7.0")["job"]["end"] == told,
           "but not in each round", [told, n.json("7/record.json")["job"]])
    tap.ok(shared.runs() == ["7.0"],
           "nor who has just begun or runs on one node", shared.runs())


def publishers(n):
    """Processes that the Epilogs have left."""
    found = []
    for pid in node.run_case.processes_with(n.run.priv):
        try:
            with open("/proc/%d/comm" % pid, encoding="ascii") as f:
                if f.read().startswith("assay-epilog"):
                    found.append(pid)
        except OSError:
            pass
    return found


def pending(n, job):
    return [x for x in os.listdir(n.run.path("spool/pending"))
            if x.startswith("%d." % job)]


def behind(n, shared):
    # What a process that hangs holds (tests/unit/test_publisher.c).
    lock = os.open(n.run.path("spool/pending"), os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    code, said = n.epilog(7, "0,1", **NODES, **started(700))
    tap.ok(code == 0, "the Epilog waits for nobody", said)
    tap.ok(wait(20, lambda: not publishers(n)),
           "nor does what it leaves behind", publishers(n))
    tap.ok(len(pending(n, 7)) == 1 and state(shared, "7.0") == "running",
           "what it has to tell stays pending",
           os.listdir(n.run.path("spool/pending")))
    os.close(lock)
    code, said = n.epilog(9, "4,5", **ALONE, **started(700))
    tap.ok(code == 0 and
           wait(20, lambda: state(shared, "7.0") == "completed"),
           "until the next one brings it there", [said, state(shared, "7.0")])
    tap.ok(wait(20, lambda: not pending(n, 7)), "once")
    names = shared.files("7.0")
    tap.ok(len(names) == 2 and names[1] == names[0][:-4] + "series" and
           "series" not in shared.record("7.0"), "its series beside it", names)


def main():
    shared = Shared()
    with node.Node(config=shared.config()) as n:
        running(n, shared)
        behind(n, shared)
        n.epilog(8, "2,3", **NODES)
    shutil.rmtree(shared.top)
    tap.done()


main()

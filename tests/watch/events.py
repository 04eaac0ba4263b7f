#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events: seen, named, timed, folded; the site's programs are told of them."""
import json
import os
import time

import node
from node import tap, wait

PORT = "sys/class/infiniband/mlx5_3/ports/1/"
# What a test hears: each call as a line. No environment, no arguments but five.
HEAR = """#!/bin/sh
echo "$# $1 $2 $3 $4 $5 env=$(/usr/bin/env | /bin/grep -cv -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=)" >> %s
"""


def program(n, name, text, mode=0o755):
    path = os.path.join(os.path.dirname(n.run.conf), "event.d", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    os.chmod(path, mode)
    os.chmod(os.path.dirname(path), 0o755)


def events(n):
    try:
        with open(n.run.path("run/watch/events.jsonl"),
                  encoding="ascii") as f:
            return [json.loads(line) for line in f]
    except OSError:
        return []


def kmsg(n, text):
    """As the kernel writes it: behind the last record."""
    path = n.run.path("root/dev/kmsg")
    with open(path, encoding="utf-8") as f:
        last = [l for l in f.read().splitlines() if l[:1].isdigit()][-1]
    seq, usec = (int(x) for x in last.split(";")[0].split(",")[1:3])
    with open(path, "a", encoding="ascii") as f:
        f.write("4,%d,%d,-;%s\n" % (seq + 1, usec + 1000, text))


def heard(n):
    try:
        with open(n.run.path("heard"), encoding="ascii") as f:
            return f.read().splitlines()
    except OSError:
        return []


def of_kind(n, kind):
    return [e for e in events(n) if e["kind"] == kind]


def test_xid(n):
    start = time.time()
    kmsg(n, "NVRM: Xid (PCI:0000:4e:00): 79, pid='<unknown>', "
            "name=<unknown>, GPU has fallen off the bus.")
    got = wait(10, of_kind, n, "xid")
    tap.ok(len(got) == 1 and got[0]["number"] == 79 and
           got[0]["device"] == "GPU3", "an XID, on the GPU by its index", got)
    tap.ok(start - 1 <= got[0]["time"] <= time.time() + 1,
           "at its time", got)
    lines = wait(10, heard, n)
    tap.ok(len(lines) == 1 and lines[0].startswith("5 xid GPU3 79 7 20"),
           "the site's program is told: kind, device, number, job, time",
           lines)
    tap.ok(lines[0].endswith("Z env=0"), "with an empty environment", lines)
    tap.ok(not os.path.exists(n.run.path("world")),
           "a program that others may write is not run")


def test_storm(n):
    before = len(heard(n))
    for _ in range(200):
        kmsg(n, "NVRM: Xid (PCI:0000:1b:00): 13, pid=42, name=x, Graphics")
    seen = n.samples()
    wait(10, lambda: n.samples() >= seen + 3)
    got = [e for e in of_kind(n, "xid") if e["number"] == 13]
    tap.ok(len(got) == 1, "a storm is one event a minute", got)
    wait(10, lambda: len(heard(n)) > before)
    tap.ok(len(heard(n)) == before + 1, "and one call", heard(n))


def test_whose(n):
    """The process that an XID names may be the job's, or nobody's."""
    scope = "system.slice/slurmstepd.scope/job_7"
    n.write("sys/fs/cgroup/%s/step_0/cgroup.procs" % scope, "4711\n")
    n.write("proc/4711/cgroup", "0::/%s/step_0/user/task_0\n" % scope)
    kmsg(n, "NVRM: Xid (PCI:0000:2c:00): 31, pid=4711, name=x, MMU")
    kmsg(n, "NVRM: Xid (PCI:0000:2c:00): 43, pid=4712, name=x, Ch 1")
    wait(10, lambda: len([e for e in of_kind(n, "xid")
                          if e["device"] == "GPU1"]) == 2)
    got = {e["number"]: e["job"] for e in events(n) if e["device"] == "GPU1"}
    tap.ok(got == {31: 7, 43: 0}, "whose process it was", got)


def test_forged(n):
    before = len(events(n))
    path = n.run.path("root/dev/kmsg")
    with open(path, "a", encoding="ascii") as f:
        # of user space: facility 1
        f.write("12,100000,1,-;NVRM: Xid (PCI:0000:4e:00): 48, pid=1\n")
    seen = n.samples()
    wait(10, lambda: n.samples() >= seen + 2)
    tap.ok(len(events(n)) == before, "what a user writes is no event")


def test_link(n):
    n.write(PORT + "state", "1: DOWN\n")
    got = wait(10, of_kind, n, "link_down")
    tap.ok(got and got[0]["device"] == "mlx5_3", "a port goes down", got)
    n.write(PORT + "rate", "200 Gb/sec (4X HDR)\n")
    n.write(PORT + "state", "4: ACTIVE\n")
    got = wait(10, of_kind, n, "rate_drop")
    tap.ok(got and "400 to 200" in got[0]["text"],
           "it comes back slower than it was", got)
    tap.ok(len(of_kind(n, "link_up")) == 1, "and is up", events(n))
    n.write(PORT + "counters/link_downed", "3\n")
    time.sleep(2.5)
    tap.ok(len(of_kind(n, "link_down")) == 1,
           "the same within a minute is folded", events(n))


def test_ends(n):
    kmsg(n, "NVRM: Xid (PCI:0000:cd:00): 62, pid=42, name=x, Internal")
    n.epilog(7)
    tap.ok(wait(5, lambda: not n.samplers()), "the sampler ends")
    got = [e for e in of_kind(n, "xid") if e["number"] == 62]
    tap.ok(len(got) == 1, "having heard what came last", events(n))
    tap.ok(wait(10, lambda: any(" 62 " in l for l in heard(n))),
           "and told it", heard(n))


def main():
    with node.Node() as n:
        program(n, "hear", HEAR % n.run.path("heard"))
        program(n, "world", "#!/bin/sh\ntouch %s\n" % n.run.path("world"),
                0o777)
        program(n, "notes~", "#!/bin/sh\ntouch %s\n" % n.run.path("world"))
        program(n, "hangs", "#!/bin/sh\nsleep 60\n")
        n.prolog(7)
        wait(10, lambda: n.samples() >= 2)
        tap.ok(not events(n), "what was there before is no event", events(n))
        test_xid(n)
        test_whose(n)
        test_forged(n)
        before = n.samples()
        tap.ok(wait(10, lambda: n.samples() >= before + 3),
               "a program that hangs does not hold up the samples")
        os.unlink(n.run.path("event.d/hangs"))
        time.sleep(10)
        test_storm(n)
        test_link(n)
        test_ends(n)
    tap.done()


main()

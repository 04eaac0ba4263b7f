#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What files tell: ports, a job's cgroup, network file systems."""
import math
import time

import node
from node import tap, wait

PORT = "sys/class/infiniband/mlx5_0/ports/1/"
CGROUP = "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/"
LLITE = "proc/fs/lustre/llite/scratch-ffff8881f2a0e000/stats"
NFS = "device srv:/home mounted on /home with fstype nfs4 statvers=1.1\n" \
      "\topts:\trw\n\tbytes:\t1 2 3 4 %d %d 7 8\n" \
      "device tmpfs mounted on /run with fstype tmpfs\n" \
      "device fs01 mounted on /weka with fstype wekafs\n"
MB = 1000000


class Machine:
    """The counters, as so many steps have moved them."""

    def __init__(self, n):
        self.n, self.step = n, 0
        n.write("proc/sys/kernel/osrelease", "6.1.0\n")
        self.put()

    def put(self):
        n, i = self.n, self.step
        words = 25 * MB * i             # 100 MB a step
        n.write(PORT + "counters/port_xmit_data", "%d\n" % words)
        n.write(PORT + "counters/port_rcv_data", "%d\n" % (2 * words))
        n.write(PORT + "counters/symbol_error", "%d\n" % (3 * i))
        n.write(PORT + "hw_counters/out_of_sequence", "%d\n" % (2 * i))
        n.write(PORT + "hw_counters/rp_cnp_handled", "%d\n" % (7 * i))
        n.write(CGROUP + "cpu.stat", "usage_usec %d\n" % (4 * MB * i))
        n.write(CGROUP + "memory.peak", "%d\n" % (1048576 * (100 + i)))
        n.write(CGROUP + "memory.max", "max\n")
        n.write(CGROUP + "memory.events", "oom_kill 0\n")
        n.write(CGROUP + "io.stat", "259:0 rbytes=%d wbytes=%d rios=1\n" %
                (5 * MB * i, MB * i))
        n.write(CGROUP + "cpuset.cpus.effective", "0-15\n")
        n.write("proc/self/mountstats", NFS % (50 * MB * i, 20 * MB * i))
        n.write(LLITE, "snapshot_time 1.0 secs.usecs\n"
                "read_bytes %d samples [bytes] 1 4096 %d\n"
                "write_bytes 3 samples [bytes] 1 4096 12345\n" %
                (i, 30 * MB * i))

    def go(self):
        """One step, and two rounds that see it."""
        before = self.n.samples()
        self.step += 1
        self.put()
        wait(10, lambda: self.n.samples() >= before + 2)


def total(samples, name):
    return sum(s[name] for s in samples if not math.isnan(s[name]))


def is_about(name, got, want):
    tap.ok(abs(got - want) <= 0.001 * want + 1e-6, name,
           "%r, wanted %r" % (got, want))


def test_moving(n, machine):
    for _ in range(3):
        machine.go()
    _, port = n.port("mlx5_0:1")
    is_about("bytes sent, four a word", total(port, "tx_mb"), 300)
    is_about("bytes received", total(port, "rx_mb"), 600)
    is_about("errors", total(port, "errors"), 9)
    is_about("retries", total(port, "retries"), 6)
    is_about("congestion", total(port, "congestion"), 21)
    tap.ok(max(s["peak_gbps"] for s in port) > 0.05, "a peak rate", port)
    tap.ok(all(s["rate_gbit"] == 400 for s in port), "the link's rate", port)
    _, host = n.host(7)
    is_about("CPU seconds", total(host, "cpu_s"), 12)
    is_about("peak of memory", host[-1]["mem_mib"], 103)
    is_about("blocks read", total(host, "read_mb"), 15)
    is_about("blocks written", total(host, "write_mb"), 3)
    is_about("read from file systems", total(host, "net_read_mb"), 240)
    is_about("written to file systems", total(host, "net_write_mb"), 60)
    doc = n.json("7/host.json")
    tap.ok(doc["cpu_us"] == 12 * MB and doc["cpus"] == 16 and
           doc["why"].get("mem_limit_bytes") == "no limit",
           "the job's numbers", doc)
    tap.ok({(c["kind"], c["mount"], c["read_bytes"], c["write_bytes"])
            for c in doc["clients"]} ==
           {("nfs", "/home", 150 * MB, 60 * MB),
            ("lustre", "scratch", 90 * MB, 0),
            ("weka", "/weka", None, None)},
           "what each file system moved since the job began",
           doc["clients"])


def test_reset(n, machine):
    """Somebody clears the port's counters; an adapter has no answer."""
    errors = total(n.port("mlx5_0:1")[1], "errors")
    machine.step = -1
    n.write(PORT + "hw_counters/rp_cnp_handled", "N/A (no PMA)\n")
    before = len(n.port("mlx5_0:1")[1])
    n.write(PORT + "counters/symbol_error", "0\n")
    n.write(PORT + "counters/port_xmit_data", "0\n")
    n.write("proc/self/mountstats", NFS % (0, 0))
    wait(10, lambda: len(n.port("mlx5_0:1")[1]) >= before + 3)
    port = n.port("mlx5_0:1")[1][before:]
    tap.ok(any(math.isnan(s["tx_mb"]) for s in port) and
           not any(s["tx_mb"] < 0 for s in port),
           "a counter that was cleared is unknown for once", port)
    tap.ok(total(n.port("mlx5_0:1")[1], "errors") == errors,
           "and no error is made up")
    tap.ok(math.isnan(port[-1]["congestion"]),
           "what cannot be read is unknown", port[-1])
    nfs = [c for c in n.json("7/host.json")["clients"] if c["kind"] == "nfs"]
    tap.ok([c["read_bytes"] for c in nfs] == [None] and
           nfs[0]["why"]["read_bytes"] == "reset during the job",
           "what a mount that was made anew moved is unknown", nfs)


def test_ends(n, machine):
    """The job's cgroup goes before its Epilog comes."""
    cpu = n.json("7/host.json")["cpu_us"]
    for name in ("cpu.stat", "memory.peak", "memory.max", "memory.events",
                 "io.stat", "cpuset.cpus.effective"):
        node.os.unlink(n.run.path("root", CGROUP + name))
    node.os.rmdir(n.run.path("root", CGROUP))
    before = n.samples()
    wait(10, lambda: n.samples() >= before + 2)
    tap.ok(n.json("7/host.json")["cpu_us"] == cpu,
           "what it told last stays")


def main():
    with node.Node() as n:
        machine = Machine(n)
        n.prolog(7)
        wait(10, lambda: n.samples() >= 2)
        time.sleep(0.2)
        test_moving(n, machine)
        test_reset(n, machine)
        test_ends(n, machine)
        n.epilog(7)
        tap.ok(not n.samplers(), "and all ends")
    tap.done()


main()

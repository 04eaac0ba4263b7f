# SPDX-License-Identifier: Apache-2.0
"""tests/device/run --rdma: this machine's RDMA ports, measured twice.

The same questions as tests/vm/rdma.t asks of devices that are software: is
every active port measured, does its payload arrive, does a second measurement
say the same, and is nothing left behind?
"""
import os
import shutil
import subprocess

from rig import Stop, call, lay_config

CHECKS = "ib_ports,ib_errors,ib_pcie,ib_gdr,ib_loopback,ib_latency"
SAME = 0.10             # between two measurements of a port


def objects():
    """Queue pairs, memory regions ... that exist; None: cannot be told."""
    tool = shutil.which("rdma")
    if not tool:
        return None
    out = subprocess.run([tool, "resource", "show"], text=True, check=False,
                         stdin=subprocess.DEVNULL, capture_output=True,
                         timeout=20)
    return out.stdout if out.returncode == 0 else None


def ask(run, config, n):
    done = call([os.path.join(run.build, "assay"), "check", "--config", config,
                 "--tier", "deep", "--only", CHECKS, "--json"], 90)
    if not done.measured:
        raise Stop(2, "assay check: %s" % (done.why or "no JSON came"))
    return run.keep("rdma-%d" % n, done).doc


def of_check(doc, name):
    return next((c for c in doc["checks"] if c["name"] == name), {})


def ports(doc, name):
    """What was measured, by port."""
    return {m["subject"]: m for m in of_check(doc, name).get("measured", [])
            if m.get("subject")}


def port_rows(run, first, second):
    again = ports(second, "ib_loopback")
    latency = ports(first, "ib_latency")
    for name, m in ports(first, "ib_loopback").items():
        if "gbps" not in m:
            run.missing(name, m.get("why", "no figure"))
            continue
        late = latency.get(name, {})
        run.row(name, "%.2f GB/s, %.0f Gb/s" % (m["gbps"], m["gbit_s"]),
                "%d QPs of %d bytes, MTU %d, %s, %.0f ms of CPU; %s us, p99 %s"
                % (m["qps"], m["message_bytes"], m["mtu"],
                   m.get("gid_type", "by LID"), m["cpu_ms"],
                   late.get("median_us", "?"), late.get("p99_us", "?")))
        other = again.get(name, {}).get("gbps")
        if other is None:
            run.missing(name + ", again", "the second time had no figure")
        else:
            run.check(name + ", again", abs(other - m["gbps"]) > SAME *
                      m["gbps"] and not run.args.libs, "%.2f GB/s" % other)


def finding_rows(run, doc):
    for check in doc["checks"]:
        bad = [f for f in check["findings"] if f["status"] in
               ("FAIL", "ERROR", "TIMEOUT")]
        texts = ["%s %s" % (f["subject"], f["text"])
                 for f in check["findings"] if f["status"] != "PASS"]
        run.check(check["name"], bad, "; ".join(texts) or
                  check.get("note") or check["status"])


def measure(run):
    config = lay_config(run.scratch, run.libs, run.args.root)
    before = objects()
    first, second = ask(run, config, 1), ask(run, config, 2)
    after = objects()
    shown = ports(first, "ib_loopback").values()
    if not any("gbps" in m for m in shown):
        why = [m["why"] for m in shown if m.get("why")]
        raise Stop(77, "no RDMA port was measured: %s" % (
            why[0] if why else of_check(first, "ib_loopback").get("note")))
    port_rows(run, first, second)
    finding_rows(run, second)
    if before is None or run.args.libs:
        run.missing("what is left", "no rdma(8) to ask" if before is None
                    else "stand-ins")
    else:
        run.check("what is left", before != after,
                  " ".join((after or "").split()))

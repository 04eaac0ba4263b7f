#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AdminComment as its readers take it: unpacked by other code than ours, the
golden ones and those of all stories' records.

Readers divide, index and add up without looking; what they would trip over is
asked for here by name.
"""
import base64
import glob
import gzip
import json
import os
import re
import subprocess

import tap

NODE = {"total_memory", "used_memory", "total_time", "cpus"}
GPU = {"gpu_total_memory", "gpu_used_memory", "gpu_utilization"}


def run(program, *args, text=None):
    return subprocess.run([os.path.join(tap.BUILD, program), *args],
                          input=text, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def comments():
    """(name, record, comment)"""
    for path in sorted(glob.glob(os.path.join(tap.SRCDIR,
                                              "tests/golden/*.js1"))):
        with open(path, encoding="ascii") as f:
            comment = f.read().rstrip("\n")
        with open(path[:-4] + ".json", encoding="utf-8") as f:
            yield os.path.basename(path), json.load(f), comment
    for name in run("tests/report/stories").split():
        record = json.loads(run("tests/report/stories", name))["record"]
        yield name, record, run("tests/meta/js1_dump",
                                text=json.dumps(record)).rstrip("\n")


def unpack(comment):
    text = gzip.decompress(base64.b64decode(comment[4:], validate=True))
    js1 = json.loads(text.decode("ascii"))
    # What has no blank in it is as short as it can be.
    if len(json.dumps(js1, separators=(",", ":"))) < len(text):
        raise ValueError("not compact")
    return js1


def plain_numbers(node):
    for name, v in node.items():
        if name == "assay":
            continue
        for x in (v.values() if isinstance(v, dict) else [v]):
            if isinstance(x, bool) or not isinstance(x, (int, float)):
                yield "%s: %r" % (name, x)
            elif isinstance(x, float) and round(x, 1) != x:
                yield "%s: %r has more than one decimal" % (name, x)


def node_trouble(node, wall):
    """What a reader of this node would not get along with."""
    if not NODE <= set(node):
        yield "lacks %s" % (NODE - set(node))
        return
    yield from plain_numbers(node)
    if not 0 <= node["used_memory"] <= node["total_memory"]:
        yield "memory above 100%, or of 0"
    if not 0 <= node["total_time"] <= node["cpus"] * wall:
        yield "CPU above 100%, or of 0"
    have = GPU & set(node)
    if have and have != GPU:
        yield "only %s" % have
    keys = [set(node[g]) for g in have]
    if have and (len(set(map(frozenset, keys))) != 1 or not keys[0]):
        yield "GPUs differ: %s" % keys
    for key in node.get("gpu_total_memory", {}):
        if not 0 <= node["gpu_used_memory"][key] <= \
                node["gpu_total_memory"][key]:
            yield "GPU memory above 100%, or of 0"
        if not 0 <= node["gpu_utilization"][key] <= 100:
            yield "GPU %s used by %r" % (key, node["gpu_utilization"][key])
        if not re.match(r"\d+$", key):
            yield "GPU %s has no number" % key


def trouble(js1):
    if not js1.get("nodes"):
        yield "no nodes"
        return
    if not isinstance(js1["gpus"], int) or js1["gpus"] < 0:
        yield "gpus: %r" % js1["gpus"]
    if not isinstance(js1["total_time"], int) or js1["total_time"] < 60:
        yield "total_time: %r" % js1["total_time"]
    if set(js1) != {"nodes", "total_time", "gpus", "assay"}:
        yield "members: %s" % sorted(js1)
    for name, node in js1["nodes"].items():
        if not name or "." in name or " " in name:
            yield "node %r" % name
        for what in node_trouble(node, js1["total_time"]):
            yield "%s: %s" % (name, what)


def same(a, b):
    return a is not None and abs(a - b) <= 0.05 + 1e-9


def lost(js1, record):
    """What the record knows of a GPU, and the comment says otherwise."""
    for gpu in record["gpu"]:
        node = js1["nodes"].get(gpu["node"].split(".")[0])
        minor = gpu["minor"] if gpu["minor"] is not None else gpu["index"]
        known = None not in (gpu["busy_pct"], gpu["mem_peak_bytes"],
                             gpu["mem_total_bytes"])
        if node is None:
            continue
        told = node.get("gpu_utilization", {}).get(str(minor))
        if (told is not None) != known:
            yield "%s GPU%s: %r" % (gpu["node"], gpu["index"], told)
        elif known and not same(told, gpu["busy_pct"]):
            yield "%s GPU%s: %r, not %r" % (gpu["node"], gpu["index"], told,
                                            gpu["busy_pct"])
    for row in record["node"]:
        node = js1["nodes"].get(row["node"].split(".")[0])
        full = None not in (row["cpu_seconds"], row["cores_alloc"],
                            row["mem_peak_bytes"], row["mem_limit_bytes"]) \
            and row["cores_alloc"] and row["mem_limit_bytes"]
        if bool(full) != (node is not None):
            yield "%s is%s told of" % (row["node"],
                                       "" if node is not None else " not")


def test_comment(name, record, comment):
    form = re.match(r"JS1:(Short|None|H4sI[A-Za-z0-9+/]+={0,2})$", comment)
    good = form and len(comment) <= 65000
    bad = []
    data = good and form.group(1) not in ("Short", "None")
    if data:
        js1 = unpack(comment)
        bad = list(trouble(js1)) + list(lost(js1, record))
    tap.ok(good and not bad, "%s: %s" % (name, form.group(1)[:5] if form else
                                         comment[:40]), "\n".join(bad))
    return data


def main():
    told = [test_comment(*c) for c in comments()]
    tap.ok(sum(map(bool, told)) >= 10, "enough of them tell something")
    tap.done()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The metrics that the programs write, the pages about them and the dashboard
tell of the same names and labels.

tests/meta/metrics_dump prints what is written, of jobs by the records of
tests/report/stories.
"""
import json
import os
import re
import subprocess

import tap

DASHBOARD = "etc/grafana/assay.json"
# Units that a name may end with (before _total): OpenMetrics' base units, and
# what is counted.
UNITS = ("seconds", "bytes", "joules", "watts", "celsius", "ratio", "hertz",
         "info", "errors", "downs", "retries", "congestion", "faults",
         "drains", "runs", "kills", "cpus", "jobs", "status", "blind",
         "answers", "measured")
# What Prometheus itself puts on every series.
TARGET = {"instance", "job"}
# Each has a panel.
TOPICS = {
    "gate verdicts": "assay_gate_runs_total",
    "blind gates": "assay_gate_blind",
    "drains per check": "assay_drains_total",
    "measured figures": "assay_measured",
    "job energy": "assay_job_gpu_energy_joules_total",
    "GPU use": "assay_gpu_busy_ratio",
    "throttling": "assay_gpu_held_power_seconds_total",
    "throttling of jobs": "assay_job_gpu_throttle_seconds_total",
    "port errors": "assay_job_port_errors_total",
}


def run(program, *args, text=None):
    return subprocess.run([os.path.join(tap.BUILD, program), *args],
                          input=text, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def exposition():
    names = run("tests/report/stories").split()
    records = [json.loads(run("tests/report/stories", n))["record"]
               for n in names]
    records = [r for r in records if r["kind"] == "node"]
    for i, r in enumerate(records):
        r["job"]["id"] = i + 1      # they all tell of one job
    return run("tests/meta/metrics_dump", text=json.dumps(records))


def families(text):
    """{name: {"type", "labels"}}; what is wrong with the text."""
    found, bad, name, series = {}, [], None, set()
    for line in text.splitlines():
        head = re.match(r"# (HELP|TYPE) (\w+) (.+)$", line)
        sample = re.match(r'(\w+)(\{(.*)\})? (\S+)$', line)
        if head and head.group(1) == "HELP":
            name = head.group(2)
            if name in found:
                bad.append("%s: twice" % name)
            found[name] = {"type": None, "labels": set()}
        elif head:
            found[name]["type"] = head.group(3)
        elif sample and sample.group(1) == name:
            key = line.rsplit(" ", 1)[0]
            if key in series:
                bad.append("%s: twice" % key)
            series.add(key)
            float(sample.group(4))
            found[name]["labels"] |= set(re.findall(
                r'(\w+)="(?:[^"\\]|\\.)*"', sample.group(3) or ""))
        else:
            bad.append(line)
    return found, bad


def test_names(found):
    bad = [n for n, f in found.items()
           if (f["type"] == "counter") != n.endswith("_total")]
    tap.ok(not bad, "counters end with _total, nothing else does", bad)
    bad = [n for n in found
           if not re.sub(r"_total$", "", n).endswith(UNITS)]
    tap.ok(not bad, "names end with what is counted or its unit", bad)
    bad = ["%s{%s}" % (n, label) for n, f in found.items()
           for label in f["labels"] & TARGET]
    tap.ok(not bad, "no label that Prometheus would overwrite", bad)


def documented():
    text = "".join(tap.read("doc/" + page)
                   for page in ("assay-record.5", "assay-watch.8"))
    return set(re.findall(r"assay_\w+", text.replace("\\-", "-")))


def test_pages(found):
    said = documented()
    missing = sorted(set(found) - said)
    strays = sorted(n for n in said - set(found)
                    if not any(f.startswith(n) for f in found))
    tap.ok(not missing, "each metric has its words in a page", missing)
    tap.ok(not strays, "and no page tells of others", strays)


def panels(dashboard):
    return [p for p in dashboard["panels"] if p["type"] != "row"]


def queries(dashboard):
    """(where, expression, legend) of panels and variables."""
    for p in panels(dashboard):
        for t in p["targets"]:
            yield p["title"], t["expr"], t["legendFormat"]
    for v in dashboard["templating"]["list"]:
        if v["type"] == "query":
            yield "$" + v["name"], v["query"]["query"], ""


def labels_in(expr, legend):
    found = set(re.findall(r"\{\{(\w+)\}\}", legend))
    for inside in re.findall(r"\{([^{}]*)\}", expr):
        found |= set(re.findall(r"(\w+)\s*(?:=~|=|!=|!~)", inside))
    for inside in re.findall(r"by \(([^)]*)\)", expr):
        found |= set(re.findall(r"\w+", inside))
    found |= set(re.findall(r"label_values\(\w+, (\w+)\)", expr))
    return found


def test_queries(dashboard, found):
    unknown, labels = [], []
    for where, expr, legend in queries(dashboard):
        used = re.findall(r"\bassay_\w+", expr)
        unknown += ["%s: %s" % (where, n) for n in used or [expr]
                    if n not in found]
        have = set(TARGET)
        for n in used:
            have |= found.get(n, {"labels": set()})["labels"]
        labels += ["%s: %s" % (where, x)
                   for x in sorted(labels_in(expr, legend) - have)]
    tap.ok(not unknown, "the dashboard asks for metrics that there are",
           unknown)
    tap.ok(not labels, "and for labels that they have", labels)


def test_topics(dashboard):
    text = " ".join(e for _, e, _ in queries(dashboard))
    missing = [t for t, name in TOPICS.items()
               if not re.search(r"\b%s\b" % name, text)]
    tap.ok(not missing, "all of it has a panel", missing)


def overlap(a, b):
    return (a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"] and
            a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"])


def test_form(dashboard):
    ids = [p["id"] for p in dashboard["panels"]]
    tap.ok(len(ids) == len(set(ids)), "panels have ids of their own")
    places = [p["gridPos"] for p in dashboard["panels"]]
    bad = ["%s and %s" % (a, b) for i, a in enumerate(places)
           for b in places[:i] if overlap(a, b)]
    bad += [g for g in places if g["x"] + g["w"] > 24]
    tap.ok(not bad, "and places", bad)
    bad = [p["title"] for p in panels(dashboard)
           if not p.get("description") or
           p["datasource"]["uid"] != "${datasource}"]
    tap.ok(not bad, "say what they show, of any data source", bad)
    urls = re.findall(r"https?://", tap.read(DASHBOARD))
    tap.ok(not urls, "and nothing is fetched from elsewhere", urls)


def main():
    found, bad = families(exposition())
    tap.ok(found and not bad, "what is written can be scraped", bad)
    test_names(found)
    test_pages(found)
    dashboard = json.loads(tap.read(DASHBOARD))
    test_queries(dashboard, found)
    test_topics(dashboard)
    test_form(dashboard)
    tap.done()


if __name__ == "__main__":
    main()

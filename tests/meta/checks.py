#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A check is one file, one row, one word: nothing of it may be missing.

Each row of checks.def has its source, an entry in the man page, a unit test,
a section in the example configuration, a case in which it passes and one in
which it does not: a rule that can never fire is no rule.
"""
import glob
import json
import os
import re

import tap

FAMILIES = ("kmsg", "gpu", "nvlink", "nccl", "ib", "host", "storage")


def rows():
    text = re.sub(r"/\*.*?\*/", "", tap.read("checks/checks.def"), flags=re.S)
    return re.findall(r"^CHECK\((\w+)\)", text, flags=re.M)


def exists(path):
    return os.path.exists(os.path.join(tap.SRCDIR, path))


def text_if(path):
    return tap.read(path) if exists(path) else ""


def expectations():
    """(case name, expect) of every case and step."""
    for path in sorted(glob.glob(os.path.join(tap.SRCDIR, "tests/cases/*/",
                                              "case.json"))):
        with open(path, encoding="utf-8") as f:
            case = json.load(f)
        name = os.path.basename(os.path.dirname(path))
        for step in case.get("steps") or [{}]:
            yield name, step.get("expect", case.get("expect", {}))


def cases_by_check():
    fires, passes = {}, {}
    for name, expect in expectations():
        for check, status in expect.get("checks", {}).items():
            if set(status.split("|")) <= {"FAIL", "WARN", "TIMEOUT"}:
                fires.setdefault(check, []).append(name)
            elif status == "PASS":
                passes.setdefault(check, []).append(name)
    return fires, passes


def test_row(name, fires, passes):
    def ok(good, what):
        tap.ok(good, "%s: %s" % (name, what))
    source = text_if("checks/%s.c" % name)
    ok(re.search(r"^const struct check check_%s\b" % name, source, re.M),
       "checks/%s.c defines check_%s" % (name, name))
    ok(re.search(r"\schecks/%s\.c\b" % name, tap.read("checks/local.mk")),
       "a word in checks/local.mk")
    ok(re.search(r"^\.S[SH] \"?%s\b" % name,
                 text_if("doc/assay-checks.7"), re.M),
       "an entry in doc/assay-checks.7")
    ok(exists("tests/unit/test_%s.c" % name), "a unit test")
    ok("[check %s]" % name in text_if("etc/assay.conf.example"),
       "a section in etc/assay.conf.example")
    ok("`%s`" % name in tap.read("README.md"), "its name in README.md")
    ok(fires.get(name), "a case in which it fires")
    ok(passes.get(name), "a case in which it passes")


def test_no_strays(names):
    for path in sorted(glob.glob(os.path.join(tap.SRCDIR, "checks/*.c"))):
        stem = os.path.basename(path)[:-2]
        text = tap.read("checks/%s.c" % stem)
        defined = re.search(r"^const struct check check_(\w+)", text, re.M)
        if not defined:
            continue
        tap.ok(defined.group(1) == stem and stem in names,
               "checks/%s.c has a row" % stem)


def test_cases_know_their_checks(names):
    """A typo in a case would never be noticed where it expects SKIP."""
    for name, expect in expectations():
        unknown = [c for c in expect.get("checks", {})
                   if c not in names and not c.startswith("exec_")]
        tap.ok(not unknown, "%s: its checks exist" % name, unknown)


def main():
    names = rows()
    fires, passes = cases_by_check()
    tap.ok(names and len(set(names)) == len(names), "rows, and no row twice")
    tap.ok(all(n.split("_")[0] in FAMILIES for n in names),
           "names are FAMILY_NOUN", names)
    for name in names:
        test_row(name, fires, passes)
    test_no_strays(names)
    test_cases_know_their_checks(names)
    tap.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages about assay.conf say what the program does.

Each key of each section is in doc/assay.conf.5 and etc/assay.conf.example,
with its type, unit, bounds and default; no key is there that the program does
not know; the actions of the checks are in doc/assay-checks.7. What is missing
is printed as it should be written.
"""
import json
import os
import re
import subprocess

import tap

COMMON = ("enabled", "action.prolog", "action.epilog", "action.health")


def schema():
    out = subprocess.run([os.path.join(tap.BUILD, "tests/meta/schema_dump")],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    doc = json.loads(out)
    # Where it was configured to be installed is not what the pages say.
    for here, usual in doc["places"].items():
        for section in doc["sections"]:
            for key in section["keys"]:
                d = key["def"]
                if d and key["type"] == "path" and \
                   (d == here or d.startswith(here + "/")):
                    key["def"] = usual + d[len(here):]
    return doc


def about(key, action=None):
    """(what it takes; its default) as the man page has it."""
    unit = " of %s" % key["unit"] if key["unit"] else ""
    what = {"bool": lambda: "yes or no",
            "int": lambda: "number%s, %d to %d" % (unit, key["min"],
                                                   key["max"]),
            "enum": lambda: ", ".join(key["choices"].split("|")[:-1]) +
                    " or " + key["choices"].split("|")[-1],
            "text": lambda: "text", "path": lambda: "absolute path",
            "list": lambda: "list of words"}[key["type"]]()
    default = key["def"] if key["def"] else action
    return "(%s; %s)" % (what, "default %s" % default if default
                         else "unset by default")


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def plain(text):
    return re.sub(r"\\f.", "", text.replace("\\-", "-").replace("\\&", "")
                  .replace("\\e", "\\"))


def wanted(doc):
    """{section: [(key, about)]}: common keys of checks under [check *]."""
    out = {}
    for section in doc["sections"]:
        name = section["name"]
        for key in section["keys"]:
            if name.startswith("check ") and key["name"] in COMMON:
                where = "check *"
                action = "the check's own" if key["name"] != "enabled" \
                    else None
            else:
                where, action = name, None
            row = (key["name"], about(key, action), key["help"])
            if row not in out.setdefault(where, []):
                out[where].append(row)
    return out


def in_page(text):
    """{section: {key: about}} of assay.conf.5."""
    found, section, key = {}, None, None
    for line in text.splitlines():
        head = re.match(r'\.SS "?\[(.+?)\]"?$', line)
        if head:
            section, key = plain(head.group(1)), None
        elif line.startswith(".SH"):
            section = key = None
        elif section and line.startswith(".B "):
            key = plain(line[3:].strip())
        elif section and key and line.startswith("("):
            found.setdefault(section, {})[key] = plain(line)
            key = None
    return found


def test_page(want):
    have = in_page(tap.read("doc/assay.conf.5"))
    missing, wrong = [], []
    for section, rows in want.items():
        for key, what, text in rows:
            got = have.get(section, {}).pop(key, None)
            if got is None:
                missing.append('.SS "[%s]"\n.TP\n.B %s\n%s\n%s.' % (
                    section, key, roff(what), roff(text)))
            elif got != what:
                wrong.append("[%s] %s: %s\n  is: %s" % (section, key, got,
                                                        what))
    strays = ["[%s] %s" % (s, k) for s in have for k in have[s]]
    tap.ok(not missing, "assay.conf(5) has every key", "\n".join(missing))
    tap.ok(not wrong, "with its type, unit, bounds and default",
           "\n".join(wrong))
    tap.ok(not strays, "and no other key", strays)


def in_example(text):
    found, section = {}, None
    for line in text.splitlines():
        head = re.match(r"#?\[(.+)\]$", line)
        key = re.match(r"#?([a-z][\w.]*) =(.*)$", line)
        if head:
            section = head.group(1)
        elif section and key:
            found.setdefault(section, {})[key.group(1)] = \
                key.group(2).strip()
    return found


def test_example(doc):
    have = in_example(tap.read("etc/assay.conf.example"))
    missing, wrong = [], []
    for section in doc["sections"]:
        name = section["name"]
        action = doc["checks"].get(name[6:]) if name.startswith("check ") \
            else None
        where = "exec NAME" if name == "exec *" else name
        for key in section["keys"]:
            default = key["def"] or (action if key["name"] in COMMON[1:]
                                     else "") or ""
            got = have.get(where, {}).pop(key["name"], None)
            line = "#%s = %s" % (key["name"], default)
            if got is None:
                missing.append("[%s]\n%s" % (where, line.rstrip()))
            elif got != default:
                wrong.append("[%s] %s = %s, not %s" % (where, key["name"],
                                                       got, default))
    strays = ["[%s] %s" % (s, k) for s in have for k in have[s]
              if not s.startswith("host ")]
    tap.ok(not missing, "assay.conf.example has every key",
           "\n".join(missing))
    tap.ok(not wrong, "with its default", wrong)
    tap.ok(not strays, "and no other key", strays)


def test_checks(doc):
    """.SS NAME, and in its part: Action: WORD."""
    parts = re.split(r"^\.SS ", tap.read("doc/assay-checks.7"), flags=re.M)
    said = {p.split("\n")[0].strip(' "'): plain(p) for p in parts[1:]}
    bad = ["%s: %s" % (name, action) for name, action in
           doc["checks"].items()
           if not re.search(r"^Action: %s\b" % re.escape(action),
                            said.get(name, ""), re.M)]
    tap.ok(not bad, "assay-checks(7) tells the action of every check", bad)
    strays = [n for n in said if re.match(r"(kmsg|gpu|nvlink|ib|host|storage)_",
                                          n) and n not in doc["checks"]]
    tap.ok(not strays, "and of no other check", strays)


def main():
    doc = schema()
    test_page(wanted(doc))
    test_example(doc)
    test_checks(doc)
    tap.done()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of a job's story: its record, held against its schema and its
page, and its block, held against tests/golden/blocks.

tests/report/stories tells the stories. UPDATE=1 writes the blocks anew: read
the difference before it is committed.
"""
import copy
import json
import os
import re
import subprocess

import tap

STORIES = os.path.join(tap.BUILD, "tests/report/stories")
SCHEMA = "etc/schema/assay.job-1.json"
BLOCKS = "tests/golden/blocks"
# What may be null without a reason: it is there or it is not.
PLAIN = {"exit_code", "signal", "steps", "limit_end", "array_job",
         "array_task", "number", "index", "minor", "of"}


def run(*args):
    return subprocess.run([STORIES, *args], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def walk(value, path=""):
    """Each object of a record, with its path."""
    if isinstance(value, dict):
        yield path, value
        for key, v in value.items():
            yield from walk(v, path + "." + key)
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from walk(v, "%s.%d" % (path, i))


def numeric(schema, defs):
    if "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[1]]
    kinds = schema.get("type", [])
    return "number" in kinds or "integer" in kinds


def numbers(schema):
    """Names of members that are numbers and may be null."""
    found = set()
    defs = schema["$defs"]
    for _, o in walk(schema):
        for name, s in o.get("properties", {}).items():
            if isinstance(s, dict) and numeric(s, defs):
                found.add(name)
    return found - PLAIN


# ---- the block -------------------------------------------------------------

def test_block(name, block):
    path = os.path.join(BLOCKS, name + ".block")
    text = "".join(line + "\n" for line in block)
    if os.environ.get("UPDATE"):
        with open(os.path.join(tap.SRCDIR, path), "w", encoding="ascii") as f:
            f.write(text)
    golden = tap.read(path) if os.path.exists(
        os.path.join(tap.SRCDIR, path)) else ""
    tap.ok(text == golden, "%s: the block is as in %s" % (name, path), text)
    bad = [line for line in block
           if not re.match(r"# assay [ -~]{1,112}$", line) or
           re.search(r"\b(nan|inf|null)\b", line)]
    tap.ok(not bad and len(block) <= 12,
           "%s: twelve lines of 120 printable characters" % name,
           "\n".join(bad))


def test_shown():
    """What doc/block.md shows is what comes out."""
    shown = re.search(r"```\n(.*?)```", tap.read("doc/block.md"), re.S)
    golden = tap.read(os.path.join(BLOCKS, "four-nodes.block"))
    tap.ok(shown and shown.group(1) == golden,
           "doc/block.md shows the block of four-nodes", golden)


def test_no_other_blocks(names):
    there = {f for f in os.listdir(os.path.join(tap.SRCDIR, BLOCKS))}
    other = there - {n + ".block" for n in names}
    tap.ok(not other, "each block has its story", "\n".join(sorted(other)))


# ---- the record ------------------------------------------------------------

def nothing_to_tell(record, path, name):
    """Null since there is none: no GPU, no port, no stall."""
    if name in ("longest_at", "before_work_s", "after_work_s"):
        return record["stalls"]["count"] is not None
    none = not record["gpus"]["allocated"]
    if path.startswith(".fabric"):
        return not record["fabric"]["port"] or none
    return none and path.startswith((".gpus", ".power", ".where"))


def test_reasons(name, record, known):
    bad = []
    for path, o in walk(record):
        why = o.get("why", {})
        why = why if isinstance(why, dict) else {}
        for member, v in o.items():
            if v is None and member in known and member not in why and \
               not nothing_to_tell(record, path, member):
                bad.append(path + "." + member)
        bad += ["%s.why.%s is of no null" % (path, m) for m in why
                if o.get(m, 0) is not None]
    tap.ok(not bad, name + ": what is not known says why", "\n".join(bad))


def test_shares(name, record):
    where = record["where"]
    parts = [where[p] for p in ("compute", "memory", "communication",
                                "input_cpu", "storage", "throttled", "idle",
                                "unknown")]
    good = where["gpu_seconds"] == 0 if None in parts else \
        abs(sum(parts) - 1) < 1e-4
    tap.ok(good, name + ": shares of the time add up", parts)


def test_told(records, schema):
    """Each member is told by some story: what never is, is dead."""
    told, names = set(), set()
    for record in records.values():
        for _, o in walk(record):
            told |= {m for m, v in o.items() if v is not None}
    for _, o in walk(schema):
        names |= set(o.get("properties", {}))
    left = names - told - {"series", "events"}
    tap.ok(not left, "each member is told in some story",
           "\n".join(sorted(left)))


# ---- the schema ------------------------------------------------------------

def errors(validator, record):
    return ["%s: %s" % (".".join(map(str, e.path)), e.message[:200])
            for e in validator.iter_errors(record)]


def test_refuses(validator, record):
    """The schema is closed and complete: a member too much or too few, at
    any place of a record, is one too much or too few."""
    bad = []
    for path, _ in walk(record):
        if path.endswith((".errors", ".why", ".partial")):
            continue        # whatever members there are
        changed = copy.deepcopy(record)
        o = dict(walk(changed))[path]
        o["surplus"] = 1
        if validator.is_valid(changed):
            bad.append(path + ".surplus is accepted")
    for name in record:
        changed = copy.deepcopy(record)
        del changed[name]
        if validator.is_valid(changed):
            bad.append(name + " is not missed")
    tap.ok(not bad, "the schema refuses what is not in it", "\n".join(bad))


def test_schema(schema, records):
    name = "records are as their schema"
    try:
        import jsonschema
        kind = jsonschema.Draft202012Validator
    except (ImportError, AttributeError):
        tap.skip(name, "no python3-jsonschema of version 4")
        return
    kind.check_schema(schema)
    validator = kind(schema)
    for story, record in records.items():
        bad = errors(validator, record)
        tap.ok(not bad, "%s: %s" % (story, name), "\n".join(bad[:20]))
    test_refuses(validator, records["four-nodes"])
    test_refuses(validator, records["lost-counters"])


def test_page(schema):
    """assay-record(5) has a word for each member of the schema."""
    page = tap.read("doc/assay-record.5").split(".SH JOB RECORD", 1)
    text = re.sub(r"\\f.", "", page[-1].split(".SH ", 1)[0])
    words = set(re.findall(r"[a-z_]+", text)) if len(page) > 1 else set()
    names = set()
    for _, o in walk(schema):
        names |= set(o.get("properties", {}))
    missing = names - words
    tap.ok(not missing, "assay-record(5) names each member",
           "\n".join(sorted(missing)))
    reasons = schema["$defs"]["why"]["additionalProperties"]["enum"]
    flat = re.sub(r"\s+", " ", text)
    missing = [r for r in reasons if r not in flat]
    tap.ok(not missing, "assay-record(5) names each reason",
           "\n".join(missing))


def main():
    schema = json.loads(tap.read(SCHEMA))
    names = run().split()
    records, known = {}, numbers(schema)
    for name in names:
        told = json.loads(run(name))
        records[name] = told["record"]
        test_block(name, told["block"])
        test_reasons(name, told["record"], known)
        test_shares(name, told["record"])
    test_no_other_blocks(names)
    test_shown()
    test_told(records, schema)
    test_schema(schema, records)
    test_page(schema)
    tap.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run-case itself: a stub gate does what its case tells it to."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import tap

RUN_CASE = os.path.join(tap.SRCDIR, "tests/run-case")

STUB = r"""#!%s
import configparser, json, os, subprocess, sys, time
do = json.loads(os.environ.get("STUB", "{}"))
cfg = configparser.ConfigParser(strict=True)
cfg.read(sys.argv[sys.argv.index("--config") + 1])
for argv in do.get("calls", []):
    env = {"SLURM_CONF": "/x"}
    env.update(do.get("call_env", {}))
    subprocess.run([cfg["slurm"]["scontrol"]] + argv, env=env,
                   stdout=sys.stdout if do.get("show") else
                   subprocess.DEVNULL)
if "sleep_s" in do:
    time.sleep(do["sleep_s"])
if "leave" in do:
    subprocess.Popen(["sleep", "33", cfg["paths"]["run"]][:2],
                     start_new_session=True)
for place in do.get("write", []):
    os.makedirs(os.path.join(place.format(**cfg["paths"]), "7"))
what = do.get("verdict")
if what is not None:
    job = os.environ.get("SLURM_JOB_ID", "0")
    record = {"schema": "assay.check/1", "version": "0", "node": "n",
              "time": "t", "job": 1, "restart": 0, "mode": "enforce",
              "elapsed_us": 1, "verdict": what,
              "checks": do.get("checks", []),
              "env": sorted(os.environ), "cwd": os.getcwd(),
              "root": sorted(os.listdir(cfg["paths"]["root"])),
              "conf": {s: dict(cfg[s]) for s in cfg.sections()}}
    if "keys" in do:
        libraries = sorted(cfg[do["keys"]].items())
        record["keys"] = [k for k, _ in libraries]
        record["there"] = [os.path.exists(v) for _, v in libraries]
    for path in do.get("read", []):
        record[path] = open(os.path.join(cfg["paths"]["root"], path)).read()
    for key in ("ASSAY_SCENARIO",):
        try:
            record["scenario"] = json.load(open(os.environ[key]))
        except OSError:
            pass
    text = json.dumps(record)
    if "--json" in sys.argv:
        print(text)
    else:
        os.makedirs(os.path.join(cfg["paths"]["run"], job), exist_ok=True)
        open(os.path.join(cfg["paths"]["run"], job, "verdict.json"),
             "w").write(text)
print(do.get("say", ""), end="")
sys.exit(do.get("exit", 0))
""" % sys.executable

RUN = {"action": "run", "would": "run", "reason": ""}
DRAIN = {"action": "drain", "would": "drain",
         "reason": "assay:gpu_remap GPU5 failed [service] job 1"}


class Tree:
    """A build tree that holds the stub, and a place for cases."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="assay-meta.")
        self.build = os.path.join(self.top, "build")
        os.makedirs(os.path.join(self.build, "tests/fake/.libs"))
        for name in ("libnvidia-ml.so.1", "libcuda.so.1"):
            with open(os.path.join(self.build, "tests/fake/.libs", name),
                      "w"):
                pass    # is only looked for
        self.home = [os.path.join(self.top, d) for d in ("run", "state")]
        with open(os.path.join(self.build, "tests/places"), "w") as f:
            f.write("".join(d + "\n" for d in self.home))
        for name in ("assay-prolog", "assay"):
            path = os.path.join(self.build, name)
            with open(path, "w") as f:
                f.write(STUB)
            os.chmod(path, 0o755)
        shutil.copy(os.path.join(tap.BUILD, "tests/fake/scontrol"),
                    os.path.join(self.build, "tests/fake/scontrol"))

    def lay(self, name, case, files=None):
        case_dir = os.path.join(self.top, name)
        shutil.rmtree(case_dir, ignore_errors=True)
        os.makedirs(case_dir)
        for name, text in (files or {}).items():
            path = os.path.join(case_dir, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(text)
        if case is not None:
            with open(os.path.join(case_dir, "case.json"), "w") as f:
                json.dump(case, f)

    def run(self, case, files=None, args=()):
        self.lay("a-case", case, files)
        return self.run_laid(*args, "a-case")

    def run_laid(self, *args):
        env = dict(os.environ, BUILD=self.build)
        env.pop("KEEP", None)
        return subprocess.run([sys.executable, RUN_CASE, *args],
                              env=env, cwd=self.top, text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, check=False)


def case(do=None, expect=None, **more):
    job = {"SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n1",
           "STUB": json.dumps(do or {})}
    out = {"about": "x", "job": job, "config": "", "expect": expect or {},
           "command": ["assay-prolog"]}
    out.update(more)
    return out


def check(kind, num, status, **finding):
    return {"name": kind, "status": status,
            "findings": [finding] if finding else []}


# name, good, stub's doings, expectation, more of the case
TABLE = [
    ("exit as expected", True, {"exit": 1}, {"exit": 1}, {}),
    ("another exit", False, {"exit": 1}, {"exit": 0}, {}),
    ("verdict as expected", True, {"verdict": DRAIN}, {"verdict": "drain"}, {}),
    ("another verdict", False, {"verdict": DRAIN}, {"verdict": "run"}, {}),
    ("would as expected", True,
     {"verdict": {**RUN, "would": "drain"}}, {"would": "drain"}, {}),
    ("another would", False, {"verdict": RUN}, {"would": "drain"}, {}),
    ("no record where one is needed", False, {}, {"verdict": "run"}, {}),
    ("reason is searched", True, {"verdict": DRAIN}, {"reason": "GPU[5]"}, {}),
    ("reason is extended", True, {"verdict": DRAIN},
     {"reason": "^assay:(gpu_remap|x)+ GPU5"}, {}),
    ("reason is case-sensitive", False, {"verdict": DRAIN},
     {"reason": "gpu5"}, {}),
    ("reason is no Perl", False, {"verdict": DRAIN},
     {"reason": "(?:GPU5)"}, {}),
    ("reason is anchored", False, {"verdict": DRAIN}, {"reason": "^GPU5"}, {}),
    ("one of two states", True,
     {"verdict": RUN, "checks": [check("a", 0, "WARN")]},
     {"checks": {"a": "PASS|WARN"}}, {}),
    ("not one of the states", False,
     {"verdict": RUN, "checks": [check("a", 0, "FAIL")]},
     {"checks": {"a": "PASS|WARN"}}, {}),
    ("absent check", False, {"verdict": RUN}, {"checks": {"a": "PASS"}}, {}),
    ("unknown state", False,
     {"verdict": RUN, "checks": [check("a", 0, "FAIL")]},
     {"checks": {"a": "FAIL|BAD"}}, {}),
    ("quiet", True,
     {"verdict": RUN, "checks": [check("a", 0, "PASS"),
                                 check("b", 0, "SKIP")]},
     {"quiet": True}, {}),
    ("not quiet", False,
     {"verdict": RUN, "checks": [check("a", 0, "WARN")]},
     {"quiet": True}, {}),
    ("no calls", True, {}, {"slurm_calls": []}, {}),
    ("a call too many", False, {"calls": [["show", "node", "n1"]]},
     {"slurm_calls": []}, {}),
    ("calls in order", True,
     {"calls": [["-o", "show", "node", "n1"],
                ["update", "nodename=n1", "state=drain", "reason=a b"]]},
     {"slurm_calls": ["show.*node", "reason=a b$"]}, {}),
    ("calls out of order", False,
     {"calls": [["-o", "show", "node", "n1"], ["requeue", "7"]]},
     {"slurm_calls": ["requeue", "show"]}, {}),
    ("a call too few", False, {"calls": [["requeue", "7"]]},
     {"slurm_calls": ["requeue", "show"]}, {}),
    ("scontrol with a foreign environment", False,
     {"calls": [["requeue", "7"]], "call_env": {"LD_PRELOAD": "x"}}, {}, {}),
    ("in time", True, {}, {"max_ms": 20000}, {}),
    ("late", False, {"sleep_s": 0.3}, {"max_ms": 200}, {}),
    ("json path", True,
     {"verdict": RUN, "checks": [check("a", 0, "PASS", value=3)]},
     {"json": {"checks[0].findings[0].value": 3, "job": 1}}, {}),
    ("json path, another value", False, {"verdict": RUN},
     {"json": {"job": 2}}, {}),
    ("json path, absent", False, {"verdict": RUN}, {"json": {"x.y": 2}}, {}),
    ("output", True, {"say": "one two\n"}, {"output": "o.*t(w)o"}, {}),
    ("other output", False, {"say": "one two\n"}, {"output": "three"}, {}),
    ("record on stdout", True, {"verdict": RUN}, {"verdict": "run"},
     {"command": ["assay", "check", "--json"]}),
    ("record on stdout is not JSON", False, {"say": "hallo"},
     {"verdict": "run"}, {"command": ["assay", "check", "--json"]}),
    ("unknown key of a case", False, {}, {}, {"expects": {}}),
    ("unknown key of an expectation", False, {}, {"exits": 0}, {}),
    ("unknown key of a step", False, {}, {}, {"steps": [{"jobs": {}}]}),
    ("unknown program", False, {}, {}, {"command": ["assay-nothing"]}),
    ("reason too long", False,
     {"verdict": {**RUN, "reason": "x" * 121}}, {"exit": 0}, {}),
    ("reason with a newline", False,
     {"verdict": {**RUN, "reason": "x\ny"}}, {"exit": 0}, {}),
    ("unknown action in the record", False,
     {"verdict": {**RUN, "action": "stop"}}, {"exit": 0}, {}),
    ("value that is no number", False,
     {"verdict": RUN, "checks": [check("a", 0, "PASS", value="3")]},
     {"exit": 0}, {}),
    ("a child left with the caller's stdout", False, {"leave": 1}, {}, {}),
    ("the job is the whole environment", True, {"verdict": RUN},
     {"json": {"env[0]": "ASSAY_SCENARIO", "env[-1]": "STUB",
               "cwd": "/"}}, {}),
    ("a section of the case's own is completed", True, {"verdict": RUN},
     {"json": {"conf.slurm.gres_order": "nvml",
               "conf.paths.shared_dir": "/x"}},
     {"config": "[slurm]\ngres_order = nvml\n\n"
                "[paths]\nshared_dir = /x\n[policy]\nmode = observe\n"}),
    ("no library that the scenario does not speak of", True,
     {"verdict": RUN, "keys": "libraries"}, {"json": {"keys": ["nvml"]}},
     {"scenario": {"base": "base.json"}}),
    ("a library for each section", True,
     {"verdict": RUN, "keys": "libraries"},
     {"json": {"keys": ["cuda", "nvml"], "there": [True, True]}},
     {"scenario": {"base": "base.json", "cuda": {"gpus": []}}}),
    ("a library that is said to be missing", True,
     {"verdict": RUN, "keys": "libraries"},
     {"json": {"keys": ["cuda", "nvml"], "there": [False, True]}},
     {"scenario": {"base": "base.json", "cuda": {"no_library": True}}}),
    ("a section whose fake is not built", False, {"verdict": RUN}, {},
     {"scenario": {"base": "base.json", "nccl": {}}}),
    ("files over the root", True, {"verdict": RUN, "read": ["etc/new"]},
     {"json": {"root": ["dev", "etc"], "etc/new": "hallo"}},
     {"files": {"etc/new": "hallo", "proc": None}}),
    ("roots over one another", True, {"verdict": RUN, "read": ["etc/new"]},
     {"json": {"root": ["dev", "etc", "proc"], "etc/new": "upper"}},
     {"root": ["root", "upper"]}),
    ("a root that is not there", False, {"verdict": RUN}, {},
     {"root": ["root", "nowhere"]}),
    ("lines behind the kernel log", True,
     {"verdict": RUN, "read": ["dev/kmsg"]},
     {"json": {"dev/kmsg": "6,1,1,-;a\n6,2,2,-;b\n"}},
     {"kmsg": ["6,2,2,-;b"]}),
    ("scenario in the case", True, {"verdict": RUN},
     {"json": {"scenario.nvml.gpus[1].a": {"x": 1, "y": 9,
                                           "z": None},
               "scenario.nvml.gpus[0].a": {"x": 1, "y": 2}}},
     {"scenario": {"base": "base.json",
                   "nvml": {"gpus": {"1": {"a": {"y": 9, "z": None}}}}}}),
    ("control objects replace", True, {"verdict": RUN},
     {"json": {"scenario.nvml.gpus[0].a": {"rc": 3}}},
     {"scenario": {"base": "base.json",
                   "nvml": {"gpus": {"0": {"a": {"rc": 3}}}}}}),
]

FILES = {
    "root/dev/kmsg": "6,1,1,-;a\n",
    "root/proc/uptime": "1 1\n",
    "upper/etc/new": "upper",
    "base.json": json.dumps({"nvml": {"gpus": [
        {"a": {"x": 1, "y": 2}}, {"a": {"x": 1, "y": 2, "z": 3}}]}}),
}


def test_table(tree):
    dirs = ["case-%d" % i for i in range(len(TABLE))]
    for where, (_, _, do, expect, more) in zip(dirs, TABLE):
        tree.lay(where, case(do, expect, **more), FILES)
    out = tree.run_laid("-j", "2", *dirs)
    tap.ok(out.stdout.startswith("TAP version 13\n1..%d\n" % len(TABLE)) and
           out.returncode == 1, "plan and exit of many cases")
    lines = [l for l in out.stdout.splitlines() if not l.startswith("#")][2:]
    for i, (line, (name, good, *_)) in enumerate(zip(lines, TABLE)):
        want = "%sok %d - case-%d" % ("" if good else "not ", i + 1, i)
        tap.ok(line == want, name, out.stdout)


def test_needs(tree):
    """What the build does not have skips a case that needs it, no other."""
    needy = case({"exit": 1}, {"exit": 0}, needs=["kernels"])
    for macro, word in (("/* #undef HAVE_NVCC */", "ok 1 - a-case # SKIP"),
                        ("#define HAVE_NVCC 1", "not ok 1 - a-case")):
        with open(os.path.join(tree.build, "config.h"), "w") as f:
            f.write(macro + "\n")
        out = tree.run(needy)
        tap.ok("\n" + word in out.stdout, "needs kernels: " + macro,
               out.stdout)
    out = tree.run(case({}, {"exit": 0}, needs=["luck"]))
    tap.ok("no such thing: luck" in out.stdout, "unknown need", out.stdout)


def test_odd_directories(tree):
    out = tree.run(None, {"scenario.json": "{}"})
    tap.ok("not ok 1 - a-case\n# no case.json" in out.stdout and
           out.returncode == 1, "a directory without case.json", out.stdout)


def test_steps(tree):
    """The node's state and what was updated are kept from step to step."""
    drain = {"calls": [["update", "nodename=n1", "state=drain", "reason=r x"]]}
    show = {"calls": [["-o", "show", "node", "n1"]], "show": 1}

    def job(do):
        return {"SLURM_JOB_ID": "7", "STUB": json.dumps(do)}
    out = tree.run(case(steps=[
        {"job": job(show), "expect": {"output": " State=IDLE "}},
        {"job": job(drain), "expect": {"slurm_calls": ["^update"]}},
        {"job": job(show),
         "expect": {"output": "State=IDLE.DRAIN .*Reason=r x .root@20"}},
        {"job": job(show), "slurm": {"node": {"state": "IDLE+DRAIN",
                                              "reason": "RMA 1"}},
         "expect": {"output":
                    r"Reason=RMA 1 \[root@2026-01-01T00:00:00\]"}},
        {"job": job(drain), "slurm": {"rc": 1},
         "expect": {"output": "Unable to contact slurm controller"}},
    ]))
    tap.ok(out.returncode == 0, "steps with their state kept", out.stdout)
    out = tree.run(case({"verdict": RUN}, {"verdict": "run"}, steps=[
        {}, {"job": job({}), "expect": {"verdict": "run"}}]))
    tap.ok("step 2: no record" in out.stdout,
           "an old record is not this run's", out.stdout)


def test_case_is_left_alone(tree):
    out = tree.run(case({"verdict": RUN}, {"exit": 0}), FILES)
    have = sorted(os.listdir(os.path.join(tree.top, "a-case")))
    tap.ok(out.returncode == 0 and
           have == ["base.json", "case.json", "root", "upper"],
           "nothing is written into the case", have)


def test_strays(tree):
    """As root, who has lost the configuration writes where a real one is."""
    home = tree.home[1]
    out = tree.run(case({"write": [home]}))
    tap.ok(out.returncode == 1 and "wrote into" in out.stdout,
           "a case that is at home in the default places", out.stdout)
    out = tree.run(case({"write": ["{state}"]}))
    tap.ok(out.returncode == 0, "one that is not", out.stdout)
    shutil.rmtree(home)
    out = tree.run(case({"write": [home, "{state}"]}))
    tap.ok(out.returncode == 0, "one beside a real one at work", out.stdout)


def test_time(tree):
    out = tree.run(case({"exit": 0}), args=["--time", "3"])
    last = out.stdout.splitlines()[-1]
    tap.ok(last.startswith("median_ms=") and last.endswith(" runs=3"),
           "--time", out.stdout)


def main():
    if not os.path.exists(os.path.join(tap.BUILD, "tests/fake/scontrol")):
        tap.skip("run-case", "tests/fake/scontrol is not built")
        tap.done()
    tree = Tree()
    try:
        test_table(tree)
        test_needs(tree)
        test_odd_directories(tree)
        test_steps(tree)
        test_case_is_left_alone(tree)
        test_strays(tree)
        test_time(tree)
    finally:
        shutil.rmtree(tree.top)
    tap.done()


main()

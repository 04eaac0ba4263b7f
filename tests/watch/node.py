# SPDX-License-Identifier: Apache-2.0
"""A simulated node on which jobs begin and end, for tests of the sampler:
the programs of the build tree on a case's root with the fake libraries."""
import copy
import importlib.machinery
import importlib.util
import json
import os
import signal
import struct
import subprocess
import sys
import time

SRCDIR = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(SRCDIR, "tests/meta"))
import tap                                              # noqa: E402


def _run_case():
    path = os.path.join(SRCDIR, "tests/run-case")
    loader = importlib.machinery.SourceFileLoader("run_case", path)
    spec = importlib.util.spec_from_loader("run_case", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


run_case = _run_case()
CASES = os.path.join(SRCDIR, "tests/cases")
HEAD = struct.Struct("=8s8Iq40s64s40s")
GPU = struct.Struct("=i14fHHhHf2f")
PORT = struct.Struct("=i11f")
PORT_NAMES = ("from_s length_s tx_mb rx_mb peak_gbps errors retries "
              "congestion downs rate_gbit").split()
HOST = struct.Struct("=i11f")
HOST_NAMES = ("from_s length_s cpu_s mem_mib read_mb write_mb net_read_mb "
              "net_write_mb").split()
GPU_NAMES = ("from_s length_s busy sm tensor dram power_w power_max_w energy_j "
             "held_power_s held_thermal_s held_hw_s nvlink_mb pcie_mb "
             "mem_used_mib sm_mhz mem_mhz temp_c reasons idle_s").split()


def wait(seconds, what, *args):
    """Until what(*args) is true; its answer."""
    end = time.monotonic() + seconds
    while True:
        got = what(*args)
        if got or time.monotonic() > end:
            return got
        time.sleep(0.05)


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Node:
    """with Node(scenario={...patches}, config="...") as node: ..."""

    def __init__(self, scenario=None, config="", case="healthy-h100",
                 interval_s=1, files=None):
        _, steps = run_case.load_case(os.path.join(CASES, case))
        self.step = copy.deepcopy(steps[0])
        self.step["config"] = self.step.get("config", "") + \
            "\n[watch]\ninterval_s = %d\n" % interval_s + config
        if scenario:
            self.step["scenario"] = dict(
                base=self.step.get("scenario", "scenario.json"), **scenario)
        if files:
            self.step["files"] = {**self.step.get("files", {}), **files}
        self.run = run_case.Run(os.path.join(CASES, case), steps)
        self.run.prepare(self.step, True)
        self.left = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.left:
            p.kill()
            p.wait()
        self.run.close()

    # -- jobs

    def env(self, job, gpus="0,1,2,3,4,5,6,7", **more):
        env = dict(self.step["job"], SLURM_JOB_ID=str(job),
                   ASSAY_SCENARIO=self.run.path("scenario.json"), **more)
        if gpus is None:
            env.pop("SLURM_JOB_GPUS", None)
            env.pop("CUDA_VISIBLE_DEVICES", None)
        else:
            env["SLURM_JOB_GPUS"] = env["CUDA_VISIBLE_DEVICES"] = gpus
        return env

    def popen(self, program, env):
        return subprocess.Popen(
            self.run.argv([program]), env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True)

    def call(self, program, env):
        """(exit code, what it said); its group is ended behind it, as slurmd
        does."""
        p = self.popen(program, env)
        said = p.communicate(timeout=60)[0]
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return p.returncode, said

    def prolog(self, job, gpus="0,1,2,3,4,5,6,7", **more):
        return self.call("assay-prolog", self.env(job, gpus, **more))

    def epilog(self, job, gpus="0,1,2,3,4,5,6,7", **more):
        more = {"SLURM_SCRIPT_CONTEXT": "epilog_slurmd",
                "SLURM_JOB_EXIT_CODE": "0", "SLURM_JOB_EXIT_CODE2": "0:0",
                **more}
        return self.call("assay-epilog", self.env(job, gpus, **more))

    # -- the sampler

    def samplers(self):
        """Pids of those that hold, or would hold, the lock: not children."""
        found = []
        for pid in run_case.processes_with(self.run.priv):
            try:
                with open("/proc/%d/cmdline" % pid, "rb") as f:
                    argv = f.read().split(b"\0")
                with open("/proc/%d/stat" % pid, encoding="ascii") as f:
                    stat = f.read().rpartition(")")[2].split()
            except OSError:
                continue
            if argv[0].endswith(b"/assay-watch") and stat[0] != "Z":
                found.append((pid, int(stat[1])))
        pids = {p for p, _ in found}
        return [p for p, parent in found if parent not in pids]

    def children(self, pid):
        try:
            with open("/proc/%d/task/%d/children" % (pid, pid),
                      encoding="ascii") as f:
                return [int(p) for p in f.read().split()]
        except OSError:
            return []

    def state(self):
        return self.json("watch/state.json")

    def mark(self, job):
        return self.json("%d/job.json" % job)

    def json(self, name):
        try:
            with open(self.run.path("run", name), encoding="utf-8") as f:
                return json.load(f)
        except (OSError, ValueError):
            return None

    def samples(self):
        s = self.state()
        return s["samples"] if s else 0

    def write(self, name, text):
        """A file of the node's root, whole at each moment."""
        path = self.run.path("root", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w", encoding="ascii") as f:
            f.write(text)
        os.rename(path + ".new", path)

    def track(self, uuid):
        return self.read_track("watch/" + uuid + ".track", GPU, GPU_NAMES)

    def port(self, name):
        return self.read_track("watch/" + name + ".track", PORT, PORT_NAMES)

    def host(self, job):
        return self.read_track("%d/host.track" % job, HOST, HOST_NAMES)

    def read_track(self, name, shape, names):
        """(head, [sample])"""
        path = self.run.path("run", name)
        try:
            with open(path, "rb") as f:
                raw = f.read()
        except OSError:
            return None, []
        head = HEAD.unpack_from(raw)
        got = []
        for at in range(HEAD.size, HEAD.size + head[5] * shape.size,
                        shape.size):
            got.append(dict(zip(names, shape.unpack_from(raw, at))))
        return head, got


def uuid(i):
    return "GPU-a000000%d-0000-4000-8000-00000000000%d" % (i, i)


def ramp(per_s, start=0):
    return {"ramp": {"start": start, "per_s": per_s}}

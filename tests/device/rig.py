# SPDX-License-Identifier: Apache-2.0
"""What tests/device/run stands on: programs with a time limit, a build, and a
private configuration for assay."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SRCDIR = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
WHOLE_S = 225           # all of it; a step gets at most what is left
PATIENCE_S = 5          # between asking a program to end and leaving it
LIBRARIES = (("nvml", "libnvidia-ml.so.1"), ("cuda", "libcuda.so.1"),
             ("nccl", "libnccl.so.2"))
STARTED = time.monotonic()


class Stop(Exception):
    """The end: exit code and one line."""

    def __init__(self, code, line):
        super().__init__(line)
        self.code = code


def left_s():
    return WHOLE_S - (time.monotonic() - STARTED)


# ---- running one thing -----------------------------------------------------

class Outcome:
    """rc None: no answer; doc: the JSON that it printed; why: if not well."""

    def __init__(self, rc=None, out="", errors="", why=""):
        self.rc, self.out, self.errors, self.why = rc, out, errors, why
        try:
            self.doc = json.loads(out)
        except ValueError:
            self.doc = None

    @property
    def measured(self):
        return self.doc is not None and self.rc in (0, 1)


def end(process):
    """SIGTERM, and no more: what hangs in a driver must not be killed."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(PATIENCE_S)
        return ""
    except subprocess.TimeoutExpired:
        return "; process %d does not end and was left" % process.pid


def last_line(text):
    lines = [l.strip() for l in text.splitlines() if l.strip()]
    return lines[-1] if lines else ""


def wait(process, limit_s):
    """Exit code and why it is none. Whatever ends us ends the process."""
    try:
        return process.wait(limit_s), ""
    except subprocess.TimeoutExpired:
        return None, "no answer in %d s%s" % (limit_s, end(process))
    except BaseException:
        end(process)
        raise


def call(argv, limit_s, cpus=None, cwd=None):
    limit_s = min(limit_s, left_s())
    if limit_s < 2:
        return Outcome(why="no time left of %d s" % WHOLE_S)
    with tempfile.TemporaryFile("w+") as out, \
         tempfile.TemporaryFile("w+") as err:
        try:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                cwd=cwd, preexec_fn=cpus and
                (lambda: os.sched_setaffinity(0, cpus)))
        except OSError as e:
            return Outcome(why=str(e))
        rc, why = wait(process, limit_s)
        out.seek(0)
        err.seek(0)
        text, errors = out.read(), err.read()
    if rc and not why:
        why = last_line(errors) or last_line(text) or "exit %d" % rc
    return Outcome(rc, text, errors, why)


# ---- the programs ----------------------------------------------------------

def tool(name):
    return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")


def programs_in(build):
    paths = [os.path.join(build, p) for p in ("assay", "tests/device/device")]
    return paths if all(os.access(p, os.X_OK) for p in paths) else None


def build_anew(scratch, out_dir):
    """Configure and make in the scratch directory."""
    build = os.path.join(scratch, "build")
    configure = os.path.join(SRCDIR, "configure")
    if not os.access(configure, os.X_OK):
        raise Stop(2, "no programs in $BUILD, and no ./configure to build "
                   "them: run ./autogen.sh")
    os.mkdir(build)
    for argv in ([configure, "-q", "--without-slurm", "--without-cmocka"],
                 ["make", "-s", "-j%d" % (os.cpu_count() or 1), "assay",
                  "tests/device/device"]):
        done = call(argv, 150, cwd=build)
        if done.rc != 0:
            with open(os.path.join(out_dir, "build.log"), "w",
                      encoding="utf-8") as f:
                f.write(done.out + done.errors)
            found = re.findall(r"error: (.*)", done.errors)
            raise Stop(2, "cannot be built here: %s (see build.log)" %
                       (found[-1] if found else done.why))
    return build


def find_build(scratch, out_dir):
    tops = [os.environ["BUILD"]] if os.environ.get("BUILD") else \
        [os.path.join(SRCDIR, "build"), SRCDIR]
    for top in tops:
        if programs_in(os.path.abspath(top)):
            return os.path.abspath(top)
    return build_anew(scratch, out_dir)


def find_beside_python():
    """Libraries that come with a framework, far from the system's places."""
    found = {key: sorted(p for top in sys.path for p in glob.glob(
        os.path.join(top, "nvidia", pattern)))
             for key, pattern in (("nccl", "nccl/lib/libnccl.so.2"),
                                  ("cublaslt", "*/lib/libcublasLt.so.1[23]"))}
    return {key: paths[-1] for key, paths in found.items() if paths}


# ---- the configuration -----------------------------------------------------

def config_text(places, libraries):
    sections = {"paths": places, "libraries": libraries,
                "policy": {"mode": "observe"},
                "budget": {"quick": "always", "deep_ms": "40000",
                           "total_ms": "20000"}}
    return "".join("[%s]\n%s" % (name, "".join("%s = %s\n" % kv
                                               for kv in keys.items()))
                   for name, keys in sections.items())


def make_trusted(top):
    """assay takes nothing that others may write."""
    for base, _, files in os.walk(top):
        for path in [base] + [os.path.join(base, f) for f in files]:
            if not os.path.islink(path):
                os.chmod(path, os.stat(path).st_mode & ~0o022 | 0o200)


def lay_config(scratch, libraries, root):
    """A configuration whose places are all in the scratch directory."""
    places = {name: os.path.join(scratch, name)
              for name in ("run", "state", "spool", "profiles")}
    for name in ("run", "state", "spool"):
        os.mkdir(places[name], 0o700)
    shutil.copytree(os.path.join(SRCDIR, "etc/profiles"), places["profiles"])
    if root:
        places["root"] = os.path.join(scratch, "root")
        shutil.copytree(root, places["root"], symlinks=True)
    path = os.path.join(scratch, "assay.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write(config_text(places, libraries))
    for name in places:
        make_trusted(places[name])
    return path

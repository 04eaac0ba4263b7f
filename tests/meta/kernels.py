#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nvcc made of the kernels: for every architecture, all in registers, and
on the tensor cores."""
import os
import re
import shutil
import subprocess

import tap

PTXAS = os.path.join(tap.BUILD, "probes/kernels.ptxas")
FATBIN = os.path.join(tap.BUILD, "probes/kernels.fatbin")
# In the loop of a warp: 64x32x64 in instructions of 16x8x16, and as many more
# as older ones are smaller.
TILE_MMA = {70: 512, 75: 128}
TILE_MMA_DEFAULT = 64


def of_build(path, pattern):
    """What the build knows: the one group of a pattern in a file of it."""
    try:
        with open(os.path.join(tap.BUILD, path), encoding="utf-8") as f:
            found = re.search(pattern, f.read(), re.M)
    except FileNotFoundError:
        return ""
    return found.group(1) if found else ""


def kernels():
    table = re.search(r"#define KERNELS\(X\) \\\n(.*)",
                      tap.read("probes/kernels.h")).group(1)
    return ["assay_" + k for k in re.findall(r"X\((\w+)\)", table)]


def compiled(log):
    """(kernel, architecture) as ptxas names them."""
    return re.findall(r"Compiling entry function '(\w+)' for 'sm_(\d+)'", log)


def test_complete(log, archs):
    want = {(k, a) for k in kernels() for a in archs}
    have = set(compiled(log))
    tap.ok(archs and want == have, "every kernel for every architecture",
           "missing: %s" % sorted(want - have),
           "unknown: %s" % sorted(have - want))


def test_registers(log):
    """nvcc runs several ptxas at once: a line says how much, not of what."""
    sizes = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                       r"(\d+) bytes spill loads", log)
    bad = [s for s in sizes if s != ("0", "0", "0")]
    tap.ok(len(sizes) == len(compiled(log)) and not bad,
           "no stack frame, no spill",
           "%d of %d with stack, stores, loads %s" %
           (len(bad), len(sizes), bad))


def cuobjdump(nvcc):
    """The toolkit's own, or one in PATH."""
    path = os.path.dirname(nvcc) + os.pathsep + os.environ.get("PATH", "")
    return shutil.which("cuobjdump", path=path)


def test_tensor_cores(nvcc, archs):
    name = "the tile is multiplied by tensor cores"
    tool = cuobjdump(nvcc)
    if not tool:
        tap.skip(name, "no cuobjdump", not_here=True)
        return
    for arch in archs:
        out = subprocess.run(
            [tool, "-arch", "sm_" + arch, "-fun", "assay_gemm", "-sass",
             FATBIN], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False)
        if "assay_gemm" not in out.stdout:
            tap.skip(name + ", sm_" + arch, "cuobjdump is too old",
                     not_here=True)
            continue
        have = len(re.findall(r"\bHMMA\.", out.stdout))
        want = TILE_MMA.get(int(arch), TILE_MMA_DEFAULT)
        tap.ok(have == want, name + ", sm_" + arch,
               "%d HMMA, not %d" % (have, want))


def main():
    if not of_build("config.h", r"^#define HAVE_NVCC (1)"):
        tap.skip("kernels for GPUs", "built without nvcc", not_here=True)
        tap.done()
    archs = of_build("Makefile", r"^NVCC_ARCHS = (.*)").split()
    with open(PTXAS, encoding="utf-8", errors="replace") as f:
        log = f.read()
    tap.ok(os.path.getsize(FATBIN) > 0, "there is a fat binary")
    test_complete(log, archs)
    test_registers(log)
    test_tensor_cores(of_build("Makefile", r"^NVCC = (.*)"), archs)
    tap.done()


main()

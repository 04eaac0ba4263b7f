# SPDX-License-Identifier: Apache-2.0
"""The little of TAP that the tests of the tree itself need."""
import os
import shutil
import subprocess
import sys

SRCDIR = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", SRCDIR))

_count = 0
_failed = 0


def ok(good, name, *diag):
    global _count, _failed
    _count += 1
    _failed += not good
    print("%sok %d - %s" % ("" if good else "not ", _count, name))
    if not good:
        for d in diag:
            for line in str(d).splitlines():
                print("# " + line)
    sys.stdout.flush()
    return good


def skip(name, why, not_here=False):
    """A skip with a reason for a user, a failure for CI; not_here: the test
    does not apply, and CI can do nothing about it."""
    global _count
    if os.environ.get("CI") == "true" and not not_here:
        ok(False, name, why + " (CI=true)")
        return
    _count += 1
    print("ok %d - %s # SKIP %s" % (_count, name, why))


def need(tool, name):
    """Is the tool there? If not, the test is skipped here."""
    if shutil.which(tool):
        return True
    skip(name, "no " + tool)
    return False


def done():
    print("1..%d" % _count)
    sys.exit(1 if _failed else 0)


def files():
    """Every file of the tree: git's, or all of a distribution."""
    if os.path.exists(os.path.join(SRCDIR, ".git")):
        out = subprocess.run(["git", "-C", SRCDIR, "ls-files", "-z"],
                             stdout=subprocess.PIPE, check=False).stdout
        if out:
            return sorted(f for f in out.decode().split("\0")
                          if f and os.path.isfile(os.path.join(SRCDIR, f)))
    found = []
    for base, below, names in os.walk(SRCDIR):
        below[:] = [d for d in below     # what distcheck makes in there
                    if d not in ("_build", "_inst", "build-aux",
                                 "autom4te.cache")]
        found += [os.path.relpath(os.path.join(base, n), SRCDIR)
                  for n in names
                  if n not in ("aclocal.m4", "configure", "Makefile.in",
                               "config.h.in") and
                  not n.startswith(("lt", "libtool.m4"))]
    return sorted(found)


def from_git():
    return os.path.exists(os.path.join(SRCDIR, ".git"))


def read(path):
    with open(os.path.join(SRCDIR, path), encoding="utf-8",
              errors="replace") as f:
        return f.read()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tree polices itself: licences, distribution, sizes, form, symbols."""
import collections
import glob
import os
import re
import subprocess

import tap

FUNCTION_MAX = 80
FILE_MAX = 700
CHECK_FILE_MAX = 300
COLUMNS = 90            # aim at 80
FOREIGN = 0.30          # of a file's lines may be set by hand

# What has no place for a licence line, or is taken whole by dist-hook.
NO_SPDX = re.compile(
    r"(\.json|\.gitignore|^LICENSE|\.png|\.svg)$"
    r"|^tests/(cases|fixtures|fuzz/corpus|golden)/"
    r"|^doc/report-example\.html$"          # as the command writes it
    r"|^(NEWS|README|CONTRIBUTING)(\.md)?$")
BY_HOOK = re.compile(r"^tests/(cases|fixtures)/")
NOT_IN_DIST = {".gitignore"}


def sources(suffixes):
    return [f for f in tap.files() if f.endswith(suffixes)]


def test_spdx():
    if not tap.from_git():
        tap.skip("SPDX lines", "not a git tree", not_here=True)
        return
    bad = [f for f in tap.files() if not NO_SPDX.search(f) and
           "SPDX-License-Identifier: Apache-2.0" not in
           "\n".join(tap.read(f).splitlines()[:3])]
    tap.ok(not bad, "each file has an SPDX line", "\n".join(bad))


def test_dist():
    """Everything in git is in the tarball: named in a list of automake's."""
    if not tap.from_git():
        tap.skip("files for dist", "not a git tree", not_here=True)
        return
    lists = "\n".join(tap.read(f) for f in tap.files()
                      if f.endswith("local.mk") or f == "Makefile.am")
    # what a remark or a rule's commands name is not in it for that
    lists = re.sub(r"^(#|\t@?\$\().*", "", lists, flags=re.M)
    words = set(re.findall(r"[\w./+-]+", lists))
    auto = {"configure.ac", "Makefile.am", "README.md", "autogen.sh"}
    bad = []
    for f in tap.files():
        if f in NOT_IN_DIST or f in auto or BY_HOOK.search(f) or \
           f.startswith("m4/") or f.endswith("local.mk"):
            continue
        parents = {"/".join(f.split("/")[:i])
                   for i in range(1, f.count("/") + 1)}
        default = f[:-2] if f.endswith(".c") else f    # of a program
        if not {f, default} & words and not parents & words:
            bad.append(f)
    tap.ok(not bad, "each file is listed for dist", "\n".join(bad))


def test_ignored():
    """What a build leaves is ignored, and no file of the tree."""
    if not tap.from_git():
        tap.skip("ignored files", "not a git tree", not_here=True)
        return
    bad = subprocess.run(["git", "-C", tap.SRCDIR, "ls-files", "-ic",
                          "--exclude-per-directory=.gitignore"],
                         stdout=subprocess.PIPE, text=True, check=False).stdout
    tap.ok(not bad, "no file of the tree is ignored", bad)


def test_own_paths():
    """Nothing tells where this tree was built."""
    own = [p + "/" for p in {tap.SRCDIR, tap.BUILD,
                             os.path.dirname(tap.SRCDIR)}
           if p.count("/") >= 2 or os.environ.get("CI") == "true"]
    bad = [f for f in tap.files() if not BY_HOOK.search(f)
           for p in own if p != "/" and p in tap.read(f)]
    tap.ok(not bad or not tap.from_git(), "no path of the build machine",
           "\n".join(bad))


def functions():
    files = sources((".c", ".cu"))
    out = subprocess.run(
        ["ctags", "-x", "--_xformat=%{end} %n %N %F", "--kinds-C=f",
         "--kinds-CUDA=f"] + files, cwd=tap.SRCDIR, check=False,
        stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        end, start, name, path = line.split(" ", 3)
        if end.isdigit():
            yield int(end) - int(start) + 1, name, path


def test_sizes():
    bad = []
    for f in sources((".c", ".h", ".cu")):
        text = tap.read(f)
        lines = text.count("\n")
        is_check = re.search(r"^const struct check check_\w+ = ", text, re.M)
        if lines > (CHECK_FILE_MAX if is_check else FILE_MAX):
            bad.append("%s: %d lines" % (f, lines))
    tap.ok(not bad, "no file over %d lines, no check over %d" %
           (FILE_MAX, CHECK_FILE_MAX), "\n".join(bad))
    name = "no function over %d lines" % FUNCTION_MAX
    if not tap.need("ctags", name):
        return
    version = subprocess.run(["ctags", "--version"], stdout=subprocess.PIPE,
                             text=True, check=False).stdout
    if "Universal" not in version:
        tap.skip(name, "ctags is not universal-ctags")
        return
    bad = ["%s: %s has %d lines" % (p, n, size)
           for size, n, p in functions() if size > FUNCTION_MAX]
    tap.ok(not bad, name, "\n".join(bad))


def far_from(text, formatted):
    """The share of lines that clang-format would lay out otherwise."""
    ours = collections.Counter(text.splitlines())
    other = ours - collections.Counter(formatted.splitlines())
    return sum(other.values()) / max(sum(ours.values()), 1)


def test_format():
    """Tables are set by hand here and there: so a file may differ a little
    from what .clang-format makes of it, but not be foreign to it."""
    name = "formatted in the manner of .clang-format"
    if not tap.need("clang-format", name):
        return
    bad = []
    for f in sources((".c",)):
        out = subprocess.run(["clang-format", f], cwd=tap.SRCDIR,
                             stdout=subprocess.PIPE, text=True, check=False)
        share = far_from(tap.read(f), out.stdout)
        if share > FOREIGN:
            bad.append("%s: %d%% of its lines" % (f, 100 * share))
    tap.ok(not bad, name, "\n".join(bad))


def columns(line):
    return len(line.expandtabs(8))


def test_lines():
    """Tabs, no long lines (strings exempt), a blank behind if and for."""
    bad = []
    for f in sources((".c", ".h", ".cu")):
        for i, line in enumerate(tap.read(f).splitlines()):
            if (re.match(r" {4,}\S", line) or
                    (columns(line) > COLUMNS and '"' not in line) or
                    re.match(r"\s*(if|for|while|switch)\(", line)):
                bad.append("%s:%d: %s" % (f, i + 1, line.strip()))
    tap.ok(not bad, "tabs, lines of %d columns, a blank behind if" % COLUMNS, "\n".join(bad))


def test_plain_text():
    bad = []
    for f in sources((".c", ".h", ".mk", ".ac", ".m4", ".py", ".sh", ".md")):
        for i, line in enumerate(tap.read(f).splitlines()):
            if line != line.rstrip():
                bad.append("%s:%d" % (f, i + 1))
    tap.ok(not bad, "no blanks at the end of a line", "\n".join(bad))
    bad = ["%s:%d" % (f, i + 1) for f in ("README.md", "CONTRIBUTING.md")
           for i, line in enumerate(tap.read(f).splitlines())
           if columns(line) > 80]
    tap.ok(not bad, "what is read in a terminal fits 80 columns",
           "\n".join(bad))


def test_exports():
    """slurmctld, slurmd and srun export thousands of generic names."""
    name = "the plugin exports its Slurm symbols and nothing else"
    found = glob.glob(os.path.join(tap.BUILD, "spank/.libs/*assay*.so"))
    if not found:
        tap.skip(name, "the plugin is not built", not_here=True)
        return
    if not tap.need("nm", name):
        return
    out = subprocess.run(["nm", "-D", "--defined-only", found[0]],
                         stdout=subprocess.PIPE, text=True,
                         check=False).stdout
    have = [line.split()[-1].split("@")[0] for line in out.splitlines()]
    bad = [s for s in have
           if not re.match(r"(slurm_spank_\w+|plugin_\w+|spank_plugin_\w+"
                           r"|ASSAY_\w*|_init|_fini)$", s)]
    tap.ok(have and not bad, name, "\n".join(bad))


def hardening(path):
    """What readelf misses in a program that is to be hardened."""
    out = subprocess.run(["readelf", "-ldW", path], stdout=subprocess.PIPE,
                         text=True, check=False).stdout
    stack = re.search(r"^ *GNU_STACK .* (\S+) +\S+$", out, re.M)
    return [what for what, good in (
        ("read-only relocations", re.search(r"^ *GNU_RELRO ", out, re.M)),
        ("binding at start", re.search(r"FLAGS.*\bNOW\b", out)),
        ("a stack that is not executed", stack and "E" not in stack.group(1)),
    ) if not good]


def test_hardening():
    name = "programs are hardened as configured"
    if "enable_hardening = yes\n" not in tap.read(
            os.path.join(tap.BUILD, "Makefile")):
        tap.skip(name, "configured with --disable-hardening", not_here=True)
        return
    if not tap.need("readelf", name):
        return
    bad = ["%s lacks %s" % (p, what)
           for p in ("assay", "assay-prolog", "assay-epilog",
                                  "assay-watch")
           for what in hardening(os.path.join(tap.BUILD, p))]
    tap.ok(not bad, name, "\n".join(bad))


def main():
    test_spdx()
    test_dist()
    test_ignored()
    test_own_paths()
    test_sizes()
    test_format()
    test_lines()
    test_plain_text()
    test_exports()
    test_hardening()
    tap.done()


main()

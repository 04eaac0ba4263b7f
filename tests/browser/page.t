#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay report --html in a real browser: it is drawn, complains of nothing,
and asks nobody for anything.

The browser runs headless, with a profile of its own in a private directory,
and may resolve no name at all.
"""
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

BUILD = os.environ["BUILD"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
JOB = 1234

tests = 0
failed = 0


def ok(good, name, detail=""):
    global tests, failed
    tests += 1
    print(f"{'ok' if good else 'not ok'} {tests} - {name}")
    if not good:
        failed += 1
        for line in str(detail).splitlines():
            print(f"# {line}")


# ---- the page ---------------------------------------------------------------

def make_page(work):
    spool = os.path.join(work, "spool")
    os.makedirs(spool)
    subprocess.run([os.path.join(BUILD, "tests/browser/stories"), spool],
                   check=True)
    config = os.path.join(work, "assay.conf")
    with open(config, "w", encoding="ascii") as f:
        f.write(f"[paths]\nspool = {spool}\nstate = {work}/state\n"
                f"run = {work}/run\n")
    page = os.path.join(work, "page.html")
    out = subprocess.run([os.path.join(BUILD, "assay"), "--config", config,
                          "report", str(JOB), "--html", page],
                         capture_output=True, text=True, check=False)
    ok(out.returncode == 0, "the page is written", out.stderr)
    return page


# ---- what it says ----------------------------------------------------------

class Reader(html.parser.HTMLParser):
    """All text, and everything that could make a browser fetch something."""

    def __init__(self):
        super().__init__()
        self.text = []
        self.fetches = []
        self.tags = {}

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            if name in ("src", "href", "srcset", "action", "data", "xlink:href"):
                self.fetches.append(f"{tag} {name}={value}")
            if name.startswith("on"):
                self.fetches.append(f"{tag} {name}")

    def handle_data(self, data):
        self.text.append(data)


def read_page(page):
    with open(page, encoding="utf-8") as f:
        raw = f.read()
    r = Reader()
    r.feed(raw)
    text = " ".join(r.text)
    ok(not r.fetches and "url(" not in raw and "@import" not in raw,
       "nothing in it is to be fetched", r.fetches)
    ok(r.tags.get("b", 0) == 0 and "<script>alert" not in raw,
       "what comes from outside is text, not markup")
    ok("<b>eve</b>" in text, "and is shown as it is")
    for name in ("n0 GPU6", "n1 GPU3", "n2 GPU5", "XID 94"):
        ok(name in text.replace("\n", " "), f"it tells of {name}")
    data = re.search(r'<script type="application/json" id="record">(.*?)'
                     r'</script>', raw, re.S)
    record = json.loads(data.group(1))
    ok(record["job"]["id"] == JOB, "and carries the record")
    shares = [v for v in record["where"].values()
              if isinstance(v, float) and 0 < v <= 1]
    unnamed = [v for v in shares if not re.search(rf"[a-zA-Z] {100 * v:.0f}%",
                                                  text)]
    ok(len(shares) > 1 and not unnamed, "each part of the time has a name",
       unnamed or shares)


# ---- what it looks like -----------------------------------------------------

def unfilter(kind, line, above, bpp):
    """One row of a PNG (its specification, section 9)."""
    for i, x in enumerate(line):
        a = line[i - bpp] if i >= bpp else 0
        b = above[i]
        c = above[i - bpp] if i >= bpp else 0
        if kind == 1:
            x += a
        elif kind == 2:
            x += b
        elif kind == 3:
            x += (a + b) // 2
        elif kind == 4:
            pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            x += a if pa <= pb and pa <= pc else b if pb <= pc else c
        line[i] = x & 255


def pixels(path):
    """Width, and the rows of a picture of 8 bits a channel."""
    with open(path, "rb") as f:
        data = f.read()
    pos, packed, width, bpp = 8, b"", 0, 0
    while pos < len(data):
        size, kind = struct.unpack(">I4s", data[pos:pos + 8])
        body = data[pos + 8:pos + 8 + size]
        if kind == b"IHDR":
            width, bpp = struct.unpack(">I", body[:4])[0], \
                {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            packed += body
        pos += 12 + size
    raw = zlib.decompress(packed)
    stride = width * bpp + 1
    above, rows = bytearray(stride - 1), []
    for at in range(0, len(raw), stride):
        line = bytearray(raw[at + 1:at + stride])
        unfilter(raw[at], line, above, bpp)
        rows.append(bytes(line))
        above = line
    return bpp, rows


def colours(path):
    bpp, rows = pixels(path)
    seen = {}
    for row in rows[::3]:
        for i in range(0, len(row), 3 * bpp):
            rgb = row[i:i + 3]
            seen[rgb] = seen.get(rgb, 0) + 1
    return seen


class Visit:
    """What a browser did with a page."""

    def __init__(self, browser, page, work, name):
        self.shot = os.path.join(work, f"{name}.png")
        self.net = os.path.join(work, f"{name}.json")
        out = subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-extensions",
             "--host-resolver-rules=MAP * ~NOTFOUND",
             f"--user-data-dir={work}/profile", f"--log-net-log={self.net}",
             "--enable-logging=stderr", "--window-size=1100,3000",
             f"--screenshot={self.shot}", f"file://{page}"],
            capture_output=True, text=True, timeout=180, check=False,
            env={"HOME": work, "PATH": os.environ["PATH"],
                 "LC_ALL": "C.UTF-8"})
        self.code, self.err = out.returncode, out.stderr

    def complaints(self):
        return [x for x in self.err.splitlines() if "CONSOLE" in x]

    def requests(self):
        """URLs that the page, not the browser for itself, asked for."""
        with open(self.net, encoding="utf-8") as f:
            events = [json.loads(line.strip().rstrip(",")) for line in f
                      if '"initiator"' in line]
        return [e["params"]["url"] for e in events
                if e["params"]["initiator"] != "not an origin"]


def judge_visit(browser, page, work):
    v = Visit(browser, page, work, "page")
    ok(v.code == 0 and os.path.exists(v.shot), "a browser draws it",
       v.err[-2000:])
    ok(not v.complaints(), "and has nothing to complain of",
       "\n".join(v.complaints()))
    ok(not v.requests(), "it asks nobody for anything",
       "\n".join(v.requests()))
    return v.shot


def judge_test(browser, work):
    """A page that does ask, and complains, is seen to."""
    page = os.path.join(work, "bad.html")
    with open(page, "w", encoding="ascii") as f:
        f.write('<!DOCTYPE html><img src="http://assay.invalid/x.png">'
                '<script>console.error("told")</script>')
    v = Visit(browser, page, work, "bad")
    ok(v.requests() == ["http://assay.invalid/x.png"] and v.complaints(),
       "(a page that asks and complains would be found out)",
       v.requests() + v.complaints())


def judge_picture(shot):
    seen = colours(shot)
    total = sum(seen.values())
    paper = max(seen.values())
    ok(len(seen) > 20 and paper < 0.97 * total, "the picture is not blank",
       f"{len(seen)} colours, {100 * paper / total:.1f}% of one")
    for name, rgb in (("busy", b"\x9e\xcb\xff"), ("held", b"\xcf\x22\x2e"),
                      ("idle", b"\x6e\x77\x81"), ("full", b"\x0f\x6b\x35")):
        ok(seen.get(rgb, 0) > 10, f"'{name}' can be seen", seen.get(rgb, 0))


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        print("1..0 # SKIP no browser (chromium) is installed")
        return 0
    work = tempfile.mkdtemp(prefix="assay-page.")
    try:
        page = make_page(work)
        read_page(page)
        shot = judge_visit(browser, page, work)
        judge_picture(shot)
        judge_test(browser, work)
        if os.environ.get("KEEP"):
            shutil.copy(shot, os.environ["KEEP"])
            shutil.copy(page, os.environ["KEEP"])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"1..{tests}")
    return failed > 0


sys.exit(main())

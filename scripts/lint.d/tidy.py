#!/usr/bin/python3
"""Runs clang-tidy over the sources: tidy.py CACHE [--until EPOCH] [--changed | FILE…]

--changed: only those that have changed since the newest whole run of the tests, and one user of each header that has. --until: none is begun
after that second; how many are left is said, and no failure.
A unit that was clean before with the same text, headers, flags and checks is not looked at again: CACHE holds an
empty file per clean unit, named by the hash of all of those. Paths count from the root of the clone, so that clones
share the cache.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import time

import units

TIDY = "clang-tidy-14"
ROOT = units.ROOT


def fingerprint_of_tool():
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    return version + (ROOT / ".clang-tidy").read_bytes()


def own_checks(name):
    """What the top folder of the unit says beside the root."""
    own = ROOT / pathlib.Path(name).parts[0] / ".clang-tidy"
    return own.read_bytes() if own.exists() else b""


def key_of(unit, known, tool):
    name = units.source_of(unit)
    digest = hashlib.sha256(tool + own_checks(name) + unit["command"].replace(str(ROOT), ".").encode())
    for path in sorted(units.included(name, known)):
        if (ROOT / path).exists():
            digest.update(path.encode() + b"\0" + (ROOT / path).read_bytes() + b"\0")
    return digest.hexdigest()


def check(unit, mark, until):
    """What clang-tidy says about the unit, nothing when it is clean, and None when its time was over."""
    if mark.exists():
        return ""
    if until and time.time() > until:
        return None
    run = subprocess.run([TIDY, "--quiet", "-p", str(units.FOLDER), unit["file"]], capture_output=True, text=True, check=False)
    if run.returncode == 0:
        mark.touch()
        return ""
    return run.stdout or run.stderr


def main(words):
    cache, words, until = pathlib.Path(words[0]), words[1:], None
    if words[:1] == ["--until"]:
        until, words = int(words[1]), words[2:]
    cache.mkdir(parents=True, exist_ok=True)
    tool, known = fingerprint_of_tool(), {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, unit, cache / key_of(unit, known, tool), until) for unit in units.chosen(words)]
        for job in jobs:
            print(job.result() or "", end="", flush=True)
    left = sum(job.result() is None for job in jobs)
    if left:
        print(f"tidy: the time is over: {left} of {len(jobs)} files are not checked", file=sys.stderr)
    sys.exit(1 if any(job.result() for job in jobs) else 0)


main(sys.argv[1:])

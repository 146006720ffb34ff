#!/usr/bin/python3
"""Runs clang-tidy over the sources: tidy.py CACHE [--until EPOCH] [--table FILE] [--changed | FILE…]

--changed: only those that have changed since the newest whole run of the tests, and one user of each header that has. --until: none is begun
after that second; how many are left is said, also in the FILE of --table, and is no failure. What was clean is in CACHE (checked.py).
"""
import functools
import pathlib
import subprocess

import checked
import units

TIDY = "clang-tidy-14"
ROOT = units.ROOT


@functools.cache
def tool():
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    return version + (ROOT / ".clang-tidy").read_bytes()


def about(unit):
    """Also what the top folder of the unit says beside the root."""
    own = ROOT / pathlib.Path(units.source_of(unit)).parts[0] / ".clang-tidy"
    return tool() + (own.read_bytes() if own.exists() else b"")


def check(unit):
    run = subprocess.run([TIDY, "--quiet", "-p", str(units.FOLDER), unit["file"]], capture_output=True, text=True, check=False)
    return (run.stdout or run.stderr or f"{unit['file']}: exit code {run.returncode}\n") if run.returncode else ""


checked.main(__doc__, about, check, all_users=False)

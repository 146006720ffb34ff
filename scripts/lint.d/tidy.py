#!/usr/bin/python3
"""Runs clang-tidy over the sources: tidy.py CACHE [--until EPOCH] [--table FILE] [--changed | FILE…]

--changed: checks only files that have changed since the newest whole run of the tests, and one user of each changed header. --until: begins
no file after that second; the number of files that are left is printed, also to the FILE of --table, and is no failure. Clean results are
in CACHE (checked.py).
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
    """Returns what the result depends on: the tool, and the .clang-tidy files of the root and of the unit's top folder."""
    own = ROOT / pathlib.Path(units.source_of(unit)).parts[0] / ".clang-tidy"
    return tool() + (own.read_bytes() if own.exists() else b"")


def check(unit):
    run = subprocess.run([TIDY, "--quiet", "-p", str(units.FOLDER), unit["file"]], capture_output=True, text=True, check=False)
    return (run.stdout or run.stderr or f"{unit['file']}: exit code {run.returncode}\n") if run.returncode else ""


checked.main(__doc__, about, check, all_users=False)

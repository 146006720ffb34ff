#!/usr/bin/python3
"""Checks the syntax of each source alone: alone.py CACHE [--until EPOCH] [--table FILE] [--changed | FILE…]

In a unity build a file that includes too little finds what it needs in the file before it. --changed: checks only files that have changed
since the newest whole run of the tests, and all that include a changed header. --until: begins no file after that second; the number of
files that are left is printed, also to the FILE of --table, and is no failure. Clean results are in CACHE (checked.py).
"""
import functools
import os
import shlex
import subprocess

import checked


@functools.cache
def version_of(compiler):
    return subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout


def words_of(unit):
    words = shlex.split(unit["command"])
    return words[1:] if os.path.basename(words[0]) == "ccache" else words


def check(unit):
    words = words_of(unit)
    at = words.index("-o")
    del words[at:at + 2]
    run = subprocess.run([*words, "-fsyntax-only"], cwd=unit["directory"], capture_output=True, text=True, check=False)
    return (run.stderr or f"{unit['file']}: exit code {run.returncode}\n") if run.returncode else ""


checked.main(__doc__, lambda unit: version_of(words_of(unit)[0]), check, all_users=True)

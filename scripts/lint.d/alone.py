#!/usr/bin/python3
"""Compiles each source alone, as far as syntax goes: alone.py [--changed | FILE…]

In a unity build a file that includes too little finds what it needs in the file before it. --changed: only what has changed since the newest
whole run of the tests. A header is compiled as the first include of its own source, and alone where it has none.
"""
import concurrent.futures
import os
import shlex
import subprocess
import sys

import units


def check(unit):
    words = shlex.split(unit["command"])
    at = words.index("-o")
    del words[at:at + 2]
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    run = subprocess.run([*words, "-fsyntax-only"], cwd=unit["directory"], capture_output=True, text=True, check=False)
    return run.stderr if run.returncode else ""


def main(words):
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(check, units.chosen(words)):
            print(said, end="", flush=True)
            failed = failed or bool(said)
    sys.exit(1 if failed else 0)


main(sys.argv[1:])

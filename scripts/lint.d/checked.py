"""Runs a check over translation units, once for each text: a unit that was clean before is not checked again.

A folder holds an empty file per clean unit, named by a hash of its text and those of the headers it includes, its flags, and what the check
adds. Paths in the hash are relative to the root of the clone, so that clones share the folder.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import os
import pathlib
import sys
import time

import units

ROOT = units.ROOT


def options(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("--until", type=float, default=float("inf"))
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("files", nargs="*")
    return parser.parse_intermixed_args()


@functools.cache
def text_of(path):
    return (ROOT / path).read_bytes() if (ROOT / path).exists() else None


def key_of(unit, known, about):
    digest = hashlib.sha256(about + unit["command"].replace(str(ROOT), ".").encode())
    for path in sorted(units.included(units.source_of(unit), known)):
        text = text_of(path)
        if text is not None:
            digest.update(path.encode() + b"\0" + text + b"\0")
    return digest.hexdigest()


def one(unit, check, mark, until):
    """Returns the findings of the check about the unit: an empty string if it is clean, None if it was too late to begin."""
    if mark.exists():
        return ""
    if time.time() > until:
        return None
    said = check(unit)
    if not said:
        mark.touch()
    return said


def main(doc, about, check, all_users):
    """`about` returns, for a unit, bytes that its result depends on beside its text. `check` returns its findings about a unit, or an empty
    string."""
    chosen, known, name = options(doc), {}, pathlib.Path(sys.argv[0]).stem
    chosen.cache.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(one, unit, check, chosen.cache / key_of(unit, known, about(unit)), chosen.until)
                for unit in units.chosen(["--changed"] if chosen.changed else chosen.files, all_users)]
        for job in jobs:
            print(job.result() or "", end="", flush=True)
    left = sum(job.result() is None for job in jobs)
    if left:
        said = f"the time is over: {left} of {len(jobs)} files are not checked"
        print(f"{name}: {said}", file=sys.stderr)
        if chosen.table:
            with open(chosen.table, "a", encoding="utf-8") as table:
                table.write(f"   {name}: {said}\n")
    sys.exit(1 if any(job.result() for job in jobs) else 0)

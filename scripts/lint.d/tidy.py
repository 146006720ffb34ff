#!/usr/bin/python3
"""Runs clang-tidy over the translation units of a build: tidy.py BUILD CACHE

A unit that was clean before with the same text, headers, flags and checks is not looked at again: CACHE holds an
empty file per clean unit, named by the hash of all of those. Paths count from the root of the clone, so that clones
share the cache.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

TIDY = "clang-tidy-14"
ROOT = str(pathlib.Path(__file__).resolve().parent.parent.parent)


def dependencies(build):
    """Object file -> the project's own files that ninja saw it include."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        if line and not line.startswith(" "):
            current = found.setdefault(line.split(":")[0], [])
            continue
        path = os.path.realpath(os.path.join(build, line.strip()))
        if line.strip() and path.startswith(ROOT + "/"):
            current.append(path)
    return found


def output_of(unit):
    words = shlex.split(unit["command"])
    return words[words.index("-o") + 1]


def fingerprint_of_tool():
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    return version + pathlib.Path(ROOT, ".clang-tidy").read_bytes()


def own_checks(unit):
    """What the top folder of the unit says beside the root."""
    own = pathlib.Path(ROOT, pathlib.Path(os.path.relpath(os.path.realpath(unit["file"]), ROOT)).parts[0], ".clang-tidy")
    return own.read_bytes() if own.exists() else b""


def key_of(unit, headers, tool):
    digest = hashlib.sha256(tool + own_checks(unit) + unit["command"].replace(ROOT, ".").encode())
    for path in sorted({os.path.realpath(unit["file"]), *headers}):
        digest.update(os.path.relpath(path, ROOT).encode() + b"\0" + pathlib.Path(path).read_bytes() + b"\0")
    return digest.hexdigest()


def check(unit, build, mark):
    """What clang-tidy says about the unit; nothing when it is clean."""
    if mark.exists():
        return ""
    run = subprocess.run([TIDY, "--quiet", "-p", build, unit["file"]], capture_output=True, text=True, check=False)
    if run.returncode == 0:
        mark.touch()
        return ""
    return run.stdout or run.stderr


def main():
    build, cache = sys.argv[1], pathlib.Path(sys.argv[2])
    cache.mkdir(parents=True, exist_ok=True)
    units = json.loads(pathlib.Path(build, "compile_commands.json").read_text(encoding="utf-8"))
    headers, tool = dependencies(build), fingerprint_of_tool()
    unbuilt = [unit["file"] for unit in units if output_of(unit) not in headers]
    if unbuilt:
        sys.exit(f"tidy: not built, so its headers are not known: {unbuilt[0]}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, unit, build, cache / key_of(unit, headers[output_of(unit)], tool)) for unit in units]
        clean = True
        for job in jobs:
            clean = clean and not job.result()
            print(job.result(), end="", flush=True)
    sys.exit(0 if clean else 1)



main()

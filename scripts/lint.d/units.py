"""The translation units of the project, one per file, as a build without unity files would compile them.

The folder build/alone is configured for that and compiles nothing, so what a file includes is read from its text: our own headers are named by
their path from the root, which scripts/lint demands.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build/alone"
sys.path.insert(0, str(ROOT / "scripts/lanes.d"))
import whole_run  # noqa: E402


def configure():
    run = subprocess.run(["cmake", "--preset", "dev", "-S", str(ROOT), "-B", str(FOLDER), "-DCMAKE_UNITY_BUILD=OFF"],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stdout + run.stderr)


def source_of(unit):
    return os.path.relpath(os.path.realpath(unit["file"]), ROOT)


def units():
    """One per source of ours, sorted."""
    configure()
    found = {source_of(unit): unit for unit in json.loads((FOLDER / "compile_commands.json").read_text(encoding="utf-8"))}
    return [found[name] for name in sorted(found) if not name.startswith("..")]


def included(path, known):
    """The headers of ours that a file includes, also through others, and the file itself. `known` remembers them."""
    if path not in known:
        known[path] = {path}
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace") if (ROOT / path).exists() else ""
        for name in re.findall(r'^#include "([^"]+)"', text, re.M):
            known[path] = known[path] | included(name, known)
    return known[path]


def chosen(words):
    """Those that the words name, or `--changed`: since the newest whole run; without a word all. Of a header that has changed, the first unit
    that includes it: its own source, if it has one."""
    everything = units()
    if words == ["--changed"]:
        changed = whole_run.changed_files()
        if changed is None:
            return everything
        words = [name for name in changed if name.endswith((".cpp", ".h"))]
        if {"CMakeLists.txt", "CMakePresets.json", ".clang-tidy", "runtime/.clang-tidy"} & set(changed):
            return everything
    elif not words:
        return everything
    by_name, known = {source_of(unit): unit for unit in everything}, {}
    names = set()
    for word in words:
        if word in by_name:
            names.add(word)
        elif word.endswith(".h"):
            own = word.removesuffix(".h") + ".cpp"
            users = [own] if own in by_name else []
            names.update((users or [name for name in by_name if word in included(name, known)])[:1])
    return [by_name[name] for name in sorted(names)]

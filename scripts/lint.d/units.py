"""The translation units of the project, one per file, as a build without unity files would compile them.

The folder build/alone is configured for this and compiles nothing, so the includes of a file are read from its text: it names our own
headers by their path from the root, as scripts/lint requires.
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


def unbuilt(found):
    """Returns the sources of the project that are not among the units: a test that no CMakeLists.txt names would never run."""
    tracked = subprocess.run(["git", "-C", str(ROOT), "ls-files", "*.cpp"], capture_output=True, text=True, check=True).stdout.split()
    return [name for name in tracked if name not in found and (ROOT / name).exists()]


def units():
    """Returns one unit per source of this project, sorted."""
    configure()
    found = {source_of(unit): unit for unit in json.loads((FOLDER / "compile_commands.json").read_text(encoding="utf-8"))}
    if left := unbuilt(found):
        sys.exit(f"no CMakeLists.txt names {', '.join(left)}")
    return [found[name] for name in sorted(found) if not name.startswith("..")]


def included(path, known):
    """Returns the project's headers that a file includes, directly or not, and the file itself. `known` caches the results."""
    if path not in known:
        known[path] = {path}
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace") if (ROOT / path).exists() else ""
        for name in re.findall(r'^#include "([^"]+)"', text, re.M):
            known[path] = known[path] | included(name, known)
    return known[path]


def chosen(words, all_users):
    """Returns the units that the words name, those that have changed since the newest whole run (`--changed`), or all if there are none. For a
    changed header these are all units that include it, or only one: its own source, if there is one."""
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
    by_name = {source_of(unit): unit for unit in everything}
    return [by_name[name] for name in sorted(names_of(words, list(by_name), all_users))]


def names_of(words, sources, all_users):
    names, known = set(), {}
    for word in words:
        if word in sources:
            names.add(word)
        elif word.endswith(".h"):
            own = word.removesuffix(".h") + ".cpp"
            users = [own] if own in sources and not all_users else [name for name in sources if word in included(name, known)]
            names.update(users if all_users else users[:1])
    return names

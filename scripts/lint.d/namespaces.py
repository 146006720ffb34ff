#!/usr/bin/python3
"""Finds files that are not in the namespace of their library: namespaces.py FILE…

The library is the second folder of a path: renderer/plan/… is renderer::plan. Everybody uses what is in an inline namespace (renderer::core,
runtime::base), so its names need no prefix. A file may also be in a namespace below that of its library, and may declare names of others.
"""
import pathlib
import re
import sys

WITHOUT = {"renderer/tools", "runtime/testing"}  # programs and fakes, which are no libraries of the product


def namespaces(path):
    found = re.findall(r"^namespace ([\w: ]+) \{$", path.read_text(encoding="utf-8"), re.M)
    return [name.replace("inline ", "") for name in found]


def is_right(name):
    parts = pathlib.PurePath(name).parts
    if len(parts) < 3 or "/".join(parts[:2]) in WITHOUT:
        return True
    found, wanted = namespaces(pathlib.Path(name)), "::".join(parts[:2])
    ours = [one for one in found if one.startswith(parts[0])]
    return not ours or any(one == wanted or one.startswith(wanted + "::") for one in ours)


def main():
    wrong = [name for name in sys.argv[1:] if name.endswith((".cpp", ".h")) and not is_right(name)]
    for name in wrong:
        print(f"{name}: nothing here is in the namespace {'::'.join(pathlib.PurePath(name).parts[:2])}")
    sys.exit(1 if wrong else 0)


main()

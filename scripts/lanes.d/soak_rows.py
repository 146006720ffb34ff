#!/usr/bin/env python3
"""Prints the rows of testdata/fuzz/SOAK.md that are older than the code that their part covers: soak_rows.py PART…

The exit code is 1 if there is such a row, or if a PART has no row. A part covers what the test of that name covers, or what
scripts/lanes.d/entries.py lists; a fuzz target covers the folder of its source.
"""
import re
import sys

import entries
import whole_run

PAGE = "testdata/fuzz/SOAK.md"
SHOWN = 3


def rows(text):
    """Maps each part to its commit."""
    return dict(re.findall(r"^\| ([a-z0-9_]+) \| ([0-9a-f]{12}) \|", text, re.M))


def covers(part, root=whole_run.ROOT):
    """Returns the files and folders that a part covers."""
    if part in entries.SOAK:
        found = entries.Entry(tuple(entries.SOAK[part]), ())
    elif (root / entries.module_of(part)).is_file():
        found = entries.entry(part, root)
    else:
        sources = [path.relative_to(root) for top in ("renderer", "runtime") for path in (root / top).rglob(f"fuzz_{part}.cpp")]
        if len(sources) != 1:
            raise AssertionError(f'nothing says what the part "{part}" of the soak covers: scripts/lanes.d/entries.py')
        found = entries.Entry((str(sources[0]), str(sources[0].parent)), ())
    return entries.covered(found)


def stale(parts, root=whole_run.ROOT):
    """Yields a line for each part that should run again."""
    known, changed = rows((root / PAGE).read_text(encoding="utf-8")), {}
    for part in parts:
        commit, places = known.get(part), covers(part, root)
        if not commit:
            yield f"{part}: has no row"
            continue
        if commit not in changed:
            changed[commit] = whole_run.changed_since(commit, root)
        if changed[commit] is None:
            yield f"{part}: ran on {commit}, which is not in this clone"
            continue
        found = [path for path in changed[commit] if entries.is_changed(places, [path])]
        if found:
            yield f"{part}: ran on {commit}; {len(found)} files have changed since: {', '.join(found[:SHOWN])}{', …' if len(found) > SHOWN else ''}"


if __name__ == "__main__":
    lines = list(stale(sys.argv[1:]))
    print(*lines, f"{len(lines)} of {len(sys.argv) - 1} parts are to run again", sep="\n")
    sys.exit(1 if lines else 0)

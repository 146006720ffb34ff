#!/usr/bin/env python3
"""Finds files that include each other in a circle, with a header and its source as one file: include_circles.py FILE…

A circle of more than five cannot be understood piece by piece, and a circle that crosses folders joins them into one. Tests do not count.
"""
import pathlib
import re
import sys

MOST = 5
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def circles(edges):
    """Returns the strongly connected components of more than one file (Tarjan's algorithm)."""
    number, low, stack, found = {}, {}, [], []

    def visit(one):
        number[one] = low[one] = len(number)
        stack.append(one)
        for other in sorted(edges.get(one, ())):
            if other not in number:
                visit(other)
            if other in stack:
                low[one] = min(low[one], low[other])
        if low[one] == number[one]:
            part = stack[stack.index(one):]
            del stack[stack.index(one):]
            if len(part) > 1:
                found.append(sorted(part))

    for one in sorted(edges):
        if one not in number:
            visit(one)
    return found


def included(paths):
    """Maps each file to the files that it includes, all without their extensions."""
    edges = {}
    for path in paths:
        names = re.findall(r'^#include "([^"]+)"', (ROOT / path).read_text(encoding="utf-8"), re.M)
        one = path.rpartition(".")[0]
        edges.setdefault(one, set()).update({name.rpartition(".")[0] for name in names} - {one})
    return edges


def complaints(edges):
    for circle in sorted(circles(edges), key=len, reverse=True):
        folders = {one.rpartition("/")[0] for one in circle}
        if len(circle) > MOST:
            yield f"{len(circle)} files include each other in a circle, expected at most {MOST}: {' '.join(circle)}"
        elif len(folders) > 1:
            yield f"files of {len(folders)} folders include each other in a circle: {' '.join(circle)}"


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    lines = list(complaints(included(sys.argv[1:])))
    sys.exit("\n".join(lines) or 0)

"""The releases of the operator for which cases are recorded, and how they differ: files of a case, rows of renderer/PARITY.md.

`expected.yaml` has the objects of the oldest release. `expected@1.98.yaml` has those of 1.98 for the same input, and of every later release
without a file of its own; the same holds for each file of a case. An empty file means that there is nothing.
"""
import functools
import os
import re

RELEASES = {"1.96": "1.96.5", "1.98": "1.98.10", "1.100": "1.100.0", "1.102": "1.102.5", "1.104": "1.104.5"}  # oldest first
OLDEST, NEWEST = list(RELEASES)[0], list(RELEASES)[-1]  # the newest is rendered by default
DEFAULT = OLDEST  # the release of a recorded case that names none
TABLE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "renderer", "PARITY.md")
ROW = re.compile(r"(?m)^\| (\d+)(?: \((since |until |)([0-9.]+)\))? \|")


def age(release: str) -> int:
    """Returns a number that is higher for later releases."""
    return list(RELEASES).index(release)


def before(release: str) -> str:
    """Returns the release before it, or an empty string."""
    return ["", *RELEASES][age(release)]


def is_within(release: str, since: str = OLDEST, until: str = "") -> bool:
    """Returns whether the release is one of those from `since` to `until`, both included."""
    return age(since) <= age(release) <= age(until or release)


def file_of(folder: str, name: str, release: str) -> str:
    """Returns the path of the file that applies to a release, or an empty string."""
    stem, ending = os.path.splitext(name)
    names = [f"{stem}@{other}{ending}" for other in RELEASES if age(other) <= age(release)]
    paths = [os.path.join(folder, name), *(os.path.join(folder, other) for other in names)]
    return next((path for path in reversed(paths) if os.path.exists(path)), "")


@functools.cache
def row_ranges() -> dict[int, tuple[str, str]]:
    """Returns {number of a row: its first and its last release}, as the table has them."""
    with open(TABLE, encoding="utf-8") as handle:
        found = ROW.findall(handle.read())
    return {int(number): ("" if word == "until " else named, "" if word == "since " else named) for number, word, named in found}


def row_holds(number: int, release: str) -> bool:
    since, until = row_ranges()[number]
    return is_within(release, since or OLDEST, until)

"""Runs the renderer on a case, reads its diagnostics and gives the verdict."""
import collections.abc
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import parity_compare
import parity_group_rows  # noqa: F401  (registers its rows)
import parity_ingress_group  # noqa: F401, its rows
import parity_peer_relay  # noqa: F401, its rows
import parity_refusals
import parity_resources  # noqa: F401, its rows
from parity_case import Case, Problem
from parity_rows import Model, RowError

TIMEOUT = 120
HEAD = re.compile(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): (?P<level>error|warning|note): (?P<rest>.*)$")
BARE = re.compile(r"(?:(?P<path>\S.*?): )?(?P<level>error|warning|note): (?P<rest>.*)$")
BODY = re.compile(r"(?:(?P<object>[A-Z][A-Za-z0-9]*/[^\s:]+): )?(?P<message>.*?)(?: \[(?P<rule>[a-z0-9-]+)\])?$", re.S)


# A word, the rows that explain the differences or the objects that are not built yet, and problems.
Verdict = tuple[str, collections.abc.Sequence[int | str], list[Problem]]


class Error:
    def __init__(self, headline: str, place: tuple[str, int, int], body: re.Match[str]) -> None:
        self.headline, self.path, self.line, self.column = headline, *place
        self.object, self.message, self.rule = body["object"] or "", body["message"], body["rule"] or ""
        self.text = headline
        self.notes: list[str] = []

    def named(self) -> set[str]:
        return {self.object, *self.notes} - {""}


class Result:
    def __init__(self, code: int, stdout: str, stderr: str) -> None:
        self.code, self.stdout, self.errors = code, stdout, read_errors(stderr)


def read_errors(stderr: str) -> list[Error]:
    """Returns the errors of a run, each with its block and the objects of its notes."""
    errors, current = [], None
    for line in stderr.split("\n"):
        found = HEAD.match(line) or (BARE.match(line) if line[:1].strip() else None)
        if not found:
            if current:
                current.text += "\n" + line
            continue
        parts, body = found.groupdict(), BODY.match(found["rest"])
        assert body, "BODY matches every text"
        if parts["level"] == "note":
            if current and body["object"]:
                current.notes.append(body["object"])
            continue
        place = parts["path"] or "", int(parts.get("line") or 0), int(parts.get("column") or 0)
        current = Error(line, place, body)
        if parts["level"] == "error":
            errors.append(current)
    return errors


def render(binary: str | pathlib.Path, case: Case, extra: collections.abc.Iterable[str] = ()) -> Result:
    with tempfile.TemporaryDirectory(prefix="parity-") as work:
        tree, values = os.path.join(work, "tree"), os.path.join(work, "values.yaml")
        os.mkdir(tree)
        shutil.copyfile(os.path.join(case.path, "input.yaml"), os.path.join(tree, "input.yaml"))
        with open(values, "w", encoding="utf-8") as handle:
            json.dump(case.values(), handle, indent=2)  # JSON is valid YAML
        done = subprocess.run([binary, "render", "tree", "--values", "values.yaml", *extra], cwd=work, timeout=TIMEOUT,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


# ---- verdicts: (word, rows or objects, problems)

def judge(case: Case, result: Result) -> Verdict:
    if result.code not in (0, 1):
        return "different", [], [("run", "exit code", "0 or 1", str(result.code))]
    if result.code == 1:
        return _judge_refusal(case, result)
    if result.errors:
        return "different", [], [("run", "stderr", "(no error with exit code 0)", result.errors[0].headline)]
    problems, _ = parity_refusals.compare(case, [])
    if problems:
        return "different", [], problems
    try:
        model = Model(case).apply()
    except (RowError, KeyError, IndexError, StopIteration) as error:
        return "different", [], [("reference", "", "objects as the rows know them", repr(error))]
    problems = parity_compare.compare(case, model, result.stdout)
    if problems:
        return "different", [], problems
    return ("explained" if model.hit else "equal"), sorted(model.hit), []


def _judge_refusal(case: Case, result: Result) -> Verdict:
    if result.stdout.strip():
        return "different", [], [("run", "stdout", "empty with exit code 1", result.stdout[:80])]
    if not result.errors:
        return "different", [], [("run", "stderr", "an error with exit code 1", "(none)")]
    unbuilt = {name for error in result.errors if error.rule == "not-supported" for name in error.named() or {"a setting"}}
    if unbuilt:
        return "out of scope", sorted(unbuilt), []
    problems, rows = parity_refusals.compare(case, result.errors)
    if problems:
        return "different", [], problems
    return ("refused" if rows else "equal"), sorted(rows), []

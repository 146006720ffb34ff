#!/usr/bin/env python3
"""The newest whole run of the e2e tests, which testdata/e2e/WHOLE.md records, and what has changed since.

  whole_run.py commit         print its commit; exit 1 when none is recorded, or it is not in this clone
  whole_run.py changed        print the files that differ from it, one a line; exit 1 when that cannot be known
  whole_run.py tested         print the commit that the work tree is, nothing if it has changes
  whole_run.py record REPORT COMMIT
                              write the page from the JUnit report of a ctest run that was whole and green; COMMIT: what `tested` printed
                              before the build

A shallow clone may lack the commit, and so does every clone after a rebase: then whoever asks treats everything as changed.
"""
import datetime
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = "testdata/e2e/WHOLE.md"
# Records of runs: their changes are no reason to run a test again.
RECORDS = (PAGE, "testdata/fuzz/SOAK.md")
KERNEL = "runtime.nft."  # the tests in the kernel, which count as one
HEAD = """# The newest whole run

`scripts/test --e2e` writes this page when it has run everything and all of it has passed. `.ci/run` runs again what
covers files that have changed since this commit, and takes from here how long each test runs: three ran at once, on two
cores.

| commit | date | result |
|---|---|---|
"""
TABLE = "\n| test | seconds |\n|---|---|\n"


def git(*words, root=ROOT):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)


def page(root=ROOT):
    path = root / PAGE
    return path.read_text(encoding="utf-8") if path.exists() else ""


def recorded_commit(root=ROOT):
    found = re.search(r"^\| ([0-9a-f]{40}) \|", page(root), re.M)
    return found and found[1]


def known_commit(root=ROOT):
    """Returns None if there is no whole run, or if its commit is not in this clone."""
    commit = recorded_commit(root)
    return commit if commit and git("cat-file", "-e", commit + "^{commit}", root=root).returncode == 0 else None


def seconds(root=ROOT):
    """Returns the seconds that each test took in the newest whole run."""
    return {name: int(number) for name, number in re.findall(r"^\| ([a-z0-9_.]+) \| (\d+) \|$", page(root), re.M)}


def changed_since(commit, root=ROOT):
    """Returns the files that differ from the commit, in later commits or only in the work tree; None if git cannot say."""
    tracked, others = git("diff", "--name-only", "--no-renames", commit, root=root), git("ls-files", "-o", "--exclude-standard", root=root)
    if tracked.returncode or others.returncode:
        return None
    return sorted({*tracked.stdout.splitlines(), *others.stdout.splitlines()} - set(RECORDS))


def changed_files(root=ROOT):
    """Returns the files that have changed since the newest whole run. None: everything counts as changed."""
    commit = known_commit(root)
    return changed_since(commit, root) if commit else None


def entry_of(name):
    """Returns the name by which a ctest test of the label e2e is chosen and recorded."""
    name = name.removeprefix("e2e.")
    return "kernel" if name.startswith(KERNEL) else name


def is_dirty(root=ROOT):
    lines = git("status", "--porcelain", root=root).stdout.splitlines()
    return any(line[3:] not in RECORDS for line in lines)


def times(report):
    """Returns the seconds by entry, and the number of tests; raises AssertionError unless all have passed."""
    suite = xml.etree.ElementTree.parse(report).getroot()
    total, bad = int(suite.get("tests")), sum(int(suite.get(key, "0")) for key in ("failures", "disabled", "skipped"))
    assert total and not bad, f"{bad} of {total} tests have not passed"
    found = {}
    for case in suite.iter("testcase"):
        if case.get("name").startswith("e2e."):
            name = entry_of(case.get("name"))
            found[name] = found.get(name, 0) + float(case.get("time"))
    return found, total


def tested(root=ROOT):
    """Returns the commit that is checked out, or "" if the work tree has changes or there is no commit."""
    return "" if is_dirty(root) else git("rev-parse", "--verify", "HEAD", root=root).stdout.strip()


def record(report, commit, root=ROOT, today=None):
    found, total = times(report)
    assert found, "no e2e test has run"
    assert len(commit) == 40, "the work tree was not a commit when the run began"
    assert not is_dirty(root), "the work tree is not the commit"
    assert tested(root) == commit, f"{commit} was tested, and HEAD is another one now"
    today = today or datetime.date.today().isoformat()
    rows = "".join(f"| {name} | {max(1, round(taken))} |\n" for name, taken in sorted(found.items()))
    text = f"{HEAD}| {commit} | {today} | 100% tests passed, 0 tests failed out of {total} |\n{TABLE}{rows}"
    (root / PAGE).write_text(text, encoding="utf-8")


def main(words):
    if words in (["commit"], ["changed"]):
        commit = known_commit()
        changed = changed_since(commit) if commit else None
        if changed is None:
            sys.exit("whole_run: the commit of the newest whole run is not known here")
        print(*([commit] if words == ["commit"] else changed), sep="\n", end="\n" if words == ["commit"] or changed else "")
        return
    if words == ["tested"]:
        print(tested())
        return
    if len(words) == 3 and words[0] == "record":
        try:
            record(*words[1:])
        except AssertionError as reason:
            sys.exit(f"whole_run: not recorded in {PAGE}: {reason}")
        return
    sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Which e2e tests CI runs beside those that it always runs, as a function from values to a value."""
import dataclasses
import hashlib

UNKNOWN_SECONDS = 120  # of a test that no whole run has measured


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    is_changed: bool  # what it covers, since the newest whole run
    seconds: int
    build: frozenset = frozenset()  # modules of its programs that are not built yet


@dataclasses.dataclass
class Choice:
    run: list  # in the order in which they begin, the longest first
    over_budget: list  # changed, and next time the first
    drawn_over_budget: list  # the next commit draws anew
    not_drawn: list  # unchanged, and not in this commit's quarter


def drawn(names, commit):
    """A quarter of them, by the commit's hash: over many commits each has its turn."""
    ordered = sorted(names, key=lambda name: hashlib.sha256(f"{commit} {name}".encode()).digest())
    return set(ordered[:(len(ordered) + 3) // 4])


def rotated(items, commit):
    start = int(commit, 16) % len(items) if items else 0
    return items[start:] + items[:start]


def choose(tests, owed, commit, budget, jobs, build_seconds):
    """`owed`: changed ones that were left out last time, None if that is not known: then the commit's hash says where to begin.

    `budget` is in seconds, in which `jobs` tests run at a time. A build keeps all cores busy, and is paid for by the first who needs it.
    """
    quarter = drawn([test.name for test in tests if not test.is_changed], commit)
    longest = sorted((test for test in tests if test.is_changed or test.name in quarter), key=lambda test: (not test.is_changed, -test.seconds, test.name))
    changed = [test for test in longest if test.is_changed]
    first = rotated(changed, commit) if owed is None else sorted(changed, key=lambda test: test.name not in owed)
    left, built, run, over = budget, set(), [], []
    for test in first + longest[len(changed):]:
        build = sum(build_seconds(module) for module in test.build - built)
        if test.seconds / jobs + build <= left and test.seconds + build <= budget:
            left -= test.seconds / jobs + build
            built |= test.build
            run.append(test)
        else:
            over.append(test)
    run.sort(key=lambda test: (-test.seconds, test.name))
    wanted = {test.name for test in longest}
    return Choice([test.name for test in run], [test.name for test in over if test.is_changed], [test.name for test in over if not test.is_changed],
                  sorted(test.name for test in tests if test.name not in wanted))

"""Chooses the e2e tests that CI runs beside those that it always runs, as a function from values to a value."""
import dataclasses
import hashlib


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    is_changed: bool  # a file that it covers has changed since the newest whole run
    seconds: int
    build: frozenset = frozenset()  # modules of its programs that are not built yet


@dataclasses.dataclass
class Choice:
    run: list  # in the order in which they begin, the longest first
    over_budget: list  # owed or changed; they come first next time
    drawn_over_budget: list  # the next commit draws again
    not_drawn: list  # unchanged, and not in this commit's quarter


def drawn(names, commit):
    """Draws a quarter of the names by the commit's hash: over many commits each name has its turn."""
    ordered = sorted(names, key=lambda name: hashlib.sha256(f"{commit} {name}".encode()).digest())
    return set(ordered[:(len(ordered) + 3) // 4])


def rotated(items, commit):
    start = int(commit, 16) % len(items) if items else 0
    return items[start:] + items[:start]


def choose(tests, owed, commit, budget, jobs, build_seconds, longest=None):
    """`owed`: tests that failed last time, and changed ones that were left out; None if that is not known: then the commit's hash decides
    where to begin. Owed tests come first, in that order, whether they have changed or not.

    `budget` is in seconds, in which `jobs` tests run at a time; only the first owed test may take more, up to `longest`. A build keeps all
    cores busy, and counts for the first test that needs it.
    """
    places = {name: place for place, name in enumerate(owed or ())}
    first = sorted((test for test in tests if test.name in places), key=lambda test: places[test.name])
    others = sorted((test for test in tests if test.name not in places), key=lambda test: (-test.seconds, test.name))
    changed = [test for test in others if test.is_changed]
    quarter = drawn([test.name for test in others if not test.is_changed], commit)
    in_turn = [*first, *(rotated(changed, commit) if owed is None else changed), *(test for test in others if test.name in quarter)]
    left, built, run, over = budget, set(), [], []
    for test in in_turn:
        build = sum(build_seconds(module) for module in test.build - built)
        fits = test.seconds / jobs + build <= left and test.seconds + build <= budget
        if fits or longest is not None and test in first[:1] and test.seconds + build <= longest:
            left -= test.seconds / jobs + build
            built |= test.build
            run.append(test)
        else:
            over.append(test)
    run.sort(key=lambda test: (-test.seconds, test.name))
    return Choice([test.name for test in run], [test.name for test in over if test.name not in quarter],
                  [test.name for test in over if test.name in quarter], sorted({test.name for test in tests} - {test.name for test in in_turn}))

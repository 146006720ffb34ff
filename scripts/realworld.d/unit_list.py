"""The output of `tailrender roots` as units; without an engine in the tree, the units are directories for `kustomize build` and plain
files."""
import dataclasses
import re

# States of units that are not live: nothing applies the dead ones, and something else applies the others.
DEAD = ("missing", "left over")
OTHER = ("other cluster", "elsewhere", "unresolved")
KEPT = ("kept",)  # rendered like live units
LINE = re.compile(rf"^( +)(?P<kind>\S+) (?P<name>\S+)  (?P<dir>.*?)(?:  namespace (?P<ns>\S+))?(?:  \d+ inputs?)?(?:  (?P<state>{'|'.join(DEAD + OTHER + KEPT)}): .*)?$")
KINDS = ("Kustomization", "FluxInstance", "Application", "ApplicationSet", "chart")


@dataclasses.dataclass
class Unit:
    kind: str  # one of KINDS, or plain: a directory whose files are applied unchanged
    name: str  # namespace/name of a Kustomization
    dir: str
    namespace: str = ""
    state: str = ""
    cluster: str = ""

    def __str__(self):
        return f"{self.kind} {self.name}"


def parse(text):
    """Returns units, parents before their children, and the directories with inputs that nothing applies, or that are applied by hand."""
    units, unreached, by_hand, cluster, into = [], [], [], "", None
    for line in text.splitlines():
        if not line.startswith(" "):
            into = unreached if line == "not applied" else by_hand if line.startswith(("no ", "nothing here")) else None
            cluster = line.removeprefix("cluster ")
        elif into is not None:
            into.append(line.strip().partition(": ")[0])
        elif match := LINE.match(line):
            kind = match["kind"] if match["kind"] in KINDS else "plain"
            units.append(Unit(kind, match["name"], match["dir"], match["ns"] or "", (match["state"] or "").replace("kept", ""), cluster))
        else:
            raise ValueError(f"not understood: {line}")
    return units, unreached, by_hand


def counts(units, unreached, by_hand):
    live = sum(not unit.state for unit in units) + len(by_hand)
    dead = sum(unit.state in DEAD for unit in units) + len(unreached)
    return live, dead, sum(unit.state in OTHER for unit in units)

"""What a release of the operator makes of the recorded cases, kept beside what older ones make of them (scripts/parity.d/parity_release.py)."""
import os
import pathlib
import re

import batch
import parity_chance
import parity_compare
from parity_case import Case, ident
from parity_refusals import told
from parity_release import before

FILES = ("expected.yaml", "changed.yaml", "messages.txt")  # devices and addresses, which the others hold, are new in each run


def placeholders(text):
    return re.sub(r"<SFX[^<>]*>|\{SFX[^{}]*\}", "<SFX>", text)


def objects(case):
    """Those of the operator by name, without what it leaves to chance."""
    found = [obj for obj in map(batch.loaded, placeholders(batch.local(case.text("expected.yaml"))).split("\n---\n")) if obj]
    parity_chance.endpoints_in_order(case, found)
    return {ident(obj): parity_compare.normal(obj) for obj in found if not parity_chance.is_of_several(case, obj)}


def meaning(name, case):
    """What two recordings of a file are compared by."""
    if name == "messages.txt":
        return set(told(case))
    return objects(case) if name == "expected.yaml" else batch.loaded(placeholders(batch.local(case.text(name))))


def differences(recorded, written):
    """Between the objects of two cases."""
    return parity_compare.diff(objects(recorded), objects(written))


def keep(folder, older, newer, release):
    """Writes the files of the release into a case's folder. `older`, `newer`: what the release before it and it made just now.

    Where several things may happen, both runs of the older one count: this one and the recorded one.
    """
    recorded = Case(folder, release=before(release))
    for name in FILES:
        stem, ending = os.path.splitext(name)
        place = pathlib.Path(folder, f"{stem}@{release}{ending}")
        place.unlink(missing_ok=True)
        if meaning(name, newer) not in (meaning(name, older), meaning(name, recorded)):
            place.write_text(batch.as_recorded(newer.text(name), recorded.text("input.yaml")), encoding="utf-8")

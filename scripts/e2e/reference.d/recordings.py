"""The output of a release of the operator for the recorded cases, stored beside that of older releases
(scripts/parity.d/parity_release.py)."""
import os
import pathlib
import re

import batch
import parity_chance
import parity_compare
from parity_case import Case, ident
from parity_refusals import told
from parity_release import before

FILES = ("expected.yaml", "changed.yaml", "messages.txt")  # the other files hold devices and addresses, which are new in each run


def placeholders(text):
    return re.sub(r"<SFX[^<>]*>|\{SFX[^{}]*\}", "<SFX>", text)


def objects(case):
    """Returns the operator's objects by name, without its random choices."""
    found = [obj for obj in map(batch.loaded, placeholders(batch.local(case.text("expected.yaml"))).split("\n---\n")) if obj]
    parity_chance.endpoints_in_order(case, found)
    return {ident(obj): parity_compare.normal(obj) for obj in found if not parity_chance.is_of_several(case, obj)}


def meaning(name, case):
    """Returns the values by which two recordings of a file are compared."""
    if name == "messages.txt":
        return set(told(case))
    return objects(case) if name == "expected.yaml" else batch.loaded(placeholders(batch.local(case.text(name))))


def differences(recorded, written):
    """Returns the differences between the objects of two cases."""
    return parity_compare.diff(objects(recorded), objects(written))


def keep(folder, older, newer, release):
    """Writes the files of the release into a case's folder. `older` and `newer` are the recordings that the release before it and it made
    just now.

    If the operator's result varies, both runs of the older release count: this one and the recorded one.
    """
    recorded = Case(folder, release=before(release))
    for name in FILES:
        stem, ending = os.path.splitext(name)
        place = pathlib.Path(folder, f"{stem}@{release}{ending}")
        place.unlink(missing_ok=True)
        if meaning(name, newer) not in (meaning(name, older), meaning(name, recorded)):
            place.write_text(batch.as_recorded(newer.text(name), recorded.text("input.yaml")), encoding="utf-8")

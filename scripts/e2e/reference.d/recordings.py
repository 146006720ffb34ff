"""What a release of the operator makes of the recorded cases, kept beside what older ones make of them (scripts/parity.d/parity_release.py)."""
import os
import pathlib
import re

import batch
import parity_compare
from parity_case import Case, ident
from parity_refusals import refuses
from parity_release import before

FILES = ("expected.yaml", "changed.yaml", "messages.txt")  # devices and addresses, which the others hold, are new in each run


def placeholders(text):
    return re.sub(r"<SFX[^<>]*>|\{SFX[^{}]*\}", "<SFX>", text)


def objects(text):
    return {ident(obj): parity_compare.normal(obj) for obj in map(batch.loaded, placeholders(text).split("\n---\n")) if obj}


def meaning(name, text):
    """What two recordings of a file are compared by."""
    if name == "messages.txt":
        return sorted(line for line in text.split("\n") if refuses(line))
    return objects(text) if name == "expected.yaml" else batch.loaded(placeholders(text))


def differences(recorded, written):
    """Between the objects of two cases."""
    return parity_compare.diff(objects(batch.local(recorded.text("expected.yaml"))), objects(written.text("expected.yaml")))


def keep(folder, older, newer, release):
    """Writes the files of the release into a case's folder. `older`, `newer`: what the release before it and it made just now.

    Where several things may happen, both runs of the older one count: this one and the recorded one.
    """
    recorded = Case(folder, release=before(release))
    for name in FILES:
        stem, ending = os.path.splitext(name)
        place, text = pathlib.Path(folder, f"{stem}@{release}{ending}"), newer.text(name)
        place.unlink(missing_ok=True)
        if meaning(name, text) not in (meaning(name, older.text(name)), meaning(name, batch.local(recorded.text(name)))):
            place.write_text(batch.as_recorded(text, recorded.text("input.yaml")), encoding="utf-8")

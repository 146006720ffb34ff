"""Compares our verdicts about objects with those of a real API server.

The objects are in testdata/schema/corpus: good.yaml, odd.yaml (written by hand) and mutants.txt (edits of the good ones, one a line).
Each has a verdict: "good" (both accept), "bad" (both refuse) or "server" (only the server refuses: what its own code checks). A dry-run
creation with strict validation of fields gives the server's. --accept rewrites mutants.txt: the same edits on every machine, with the
verdicts that came out; look at the lines that say "server".
"""
import concurrent.futures
import copy
import hashlib
import json
import os
import pathlib
import random
import re
import tempfile

import pytest
import yaml

from shared.applied import create_definitions
from shared.checks import attempt, run
from shared.fleet import ROOT
from shared.kube_api import KubeApi

COVERS = ["renderer/schema", "renderer/validate", "scripts/schemas", "testdata/chart-streams/with-crds.yaml", "testdata/e2e/crds.yaml", "testdata/schema"]
PROGRAMS = ["apiserver"]
CORPUS = ROOT / "testdata" / "schema" / "corpus"
CRDS = ROOT / "testdata" / "chart-streams" / "with-crds.yaml"
MUTANTS_OF_EACH = 5
EXPECTED = 200
# Messages of the server when an object does not fit its type, as opposed to errors that its code finds later.
OF_SCHEMA = re.compile(r"strict decoding error|unmarshal|quantities must match|unable to parse quantity|illegal base64|parsing time|"
                       r"in body (must|should)|could not find the requested resource")


class Subject:
    """An object as text, the expected verdict, and the good object from which it was made."""

    def __init__(self, verdict, name, text, base=None):
        self.verdict, self.name, self.text, self.base = verdict, name, text, base


def documents(name):
    return [text.strip("\n") + "\n" for text in re.split(r"^---\n", (CORPUS / name).read_text(encoding="utf-8"), flags=re.M)]


# ---- mutants: (object, path, edit)

def places(value, path=()):
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def edits_of(path, value):
    """Yields all edits of a field. `apiVersion` and `kind` stay, since they choose the type."""
    if not path or path[0] in ("apiVersion", "kind") or path == ("metadata", "name"):
        return
    if isinstance(path[-1], str):
        yield "delete", None
        yield "rename", path[-1][:-1] if len(path[-1]) > 3 else path[-1] + "s"
        yield "rename", path[-1].upper()
    if isinstance(value, (dict, list)):
        yield from (("set", other) for other in ("text", 7, {} if isinstance(value, list) else [], None))
    elif isinstance(value, bool):
        yield from (("set", other) for other in ("true", 1, not value, None))
    elif isinstance(value, int):
        yield from (("set", other) for other in ("text", str(value), value + 0.5, True, 3000000000, -1, None, [value]))
    else:
        yield from (("set", other) for other in (7, True, ["text"], {"a": "b"}, None, "Other-Text", ""))


def mutate(base, path, edit, value):
    """Returns the object with one edit. `path` holds keys and indices."""
    mutant = copy.deepcopy(base)
    inner = mutant
    for step in path[:-1]:
        inner = inner[step]
    if edit == "set":
        inner[path[-1]] = value
    else:
        held = inner.pop(path[-1])
        if edit == "rename":
            inner[value] = held
    return mutant


def choose(base):
    """Returns a fixed choice of edits, the same on every machine."""
    dice = random.Random(hashlib.sha256(base["kind"].encode()).digest())
    found = [(path, *edit) for path, value in places(base) for edit in edits_of(path, value)]
    return dice.sample(found, min(MUTANTS_OF_EACH, len(found)))


def mutant(verdict, bases, kind, path, edit, value):
    steps = [int(step) if step.isdigit() else step.replace("~1", "/") for step in path.split("/")[1:]]
    text = json.dumps(mutate(bases[kind], steps, edit, value), indent=1) + "\n"
    return Subject(verdict, f"{kind} {path} {edit} {json.dumps(value)}", text, kind)


def load_bases():
    return {value["kind"]: value for value in map(yaml.safe_load, documents("good.yaml"))}


def chosen(bases):
    for kind, base in bases.items():
        for path, edit, value in choose(base):
            pointer = "".join("/" + str(step).replace("/", "~1") for step in path)
            yield mutant("", bases, kind, pointer, edit, value)


def recorded(bases):
    for line in (CORPUS / "mutants.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            verdict, kind, path, edit, value = line.split(" ", 4)
            yield mutant(verdict, bases, kind, path, edit, json.loads(value))


def written_by_hand():
    for text in documents("good.yaml"):
        kind = yaml.safe_load(text)["kind"]
        yield Subject("good", kind, text, kind)
    for text in documents("odd.yaml"):
        verdict, what = re.match(r"# (good|bad|server): (.*)\n", text).groups()
        yield Subject(verdict, what, text)


# ---- our verdict

def errors_of(binary, subject):
    """Returns the headlines of errors without their places."""
    with tempfile.TemporaryDirectory(prefix="verdict-") as work:
        pathlib.Path(work, "object.yaml").write_text(subject.text, encoding="utf-8")
        done = attempt(binary, "render", "object.yaml", "--namespace", "default", "--validate", "--allow-empty", "--quiet", "--kubernetes-version", "1.37",
                       cwd=work)
    assert done.returncode in (0, 1), subject.name
    return {re.sub(r"^\S+ error: ", "", line) for line in done.stderr.splitlines() if " error: " in line}


def judge(binary, subjects):
    """Returns what we refuse. Errors that a mutant shares with the good object (such as a missing Secret) do not count, and for an object
    that the server accepts only schema errors do."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda subject: errors_of(binary, subject), subjects))
    of_base = {subject.base: errors for subject, errors in zip(subjects, found) if subject.name == subject.base}
    ours = []
    for subject, errors in zip(subjects, found):
        errors = errors if subject.name == subject.base else errors - of_base.get(subject.base, set())
        of_schema = {line for line in errors if "[schema-" in line or "[yaml-" in line}
        ours.append(sorted(errors if subject.verdict == "bad" else of_schema))
    return ours


# ---- the server's verdict

def resources(server, version):
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    status, listing = server.send("GET", root)
    return root, {item["kind"]: item for item in listing["resources"] if "/" not in item["name"]} if status == 200 else {}


def refusal(server, subject, known):
    """Returns the server's error about the object; "" if it accepts it."""
    value = yaml.safe_load(subject.text)
    version = value["apiVersion"]
    if version not in known:
        known[version] = resources(server, version)
    root, kinds = known[version]
    resource = kinds.get(value["kind"])
    if resource is None:
        return "could not find the requested resource"
    scope = "/namespaces/default" if resource["namespaced"] else ""
    status, answer = server.send("POST", f"{root}{scope}/{resource['name']}?dryRun=All&fieldValidation=Strict", subject.text)
    return "" if status == 201 else answer["message"]


def ask_server(subjects):
    create_definitions(CRDS)
    with KubeApi() as server:
        known = {}
        return [refusal(server, subject, known) for subject in subjects]


# ---- comparing

def complaint(subject, ours, theirs):
    """Returns what is wrong with the verdicts on one object; "" if they are as expected."""
    if subject.verdict == "bad" and not ours:
        return "we accept it"
    if subject.verdict != "bad" and ours:
        return f"we refuse it: {'; '.join(ours)}"
    if theirs is None:
        return ""
    if bool(theirs) != (subject.verdict != "good"):
        return f"the server refuses it: {theirs}" if theirs else "the server accepts it"
    if subject.verdict == "server" and OF_SCHEMA.search(theirs):
        return f"the server refuses it for its schema: {theirs}"
    return ""


def record(tailrender):
    subjects = [*written_by_hand(), *chosen(load_bases())]
    answers = ask_server(subjects)
    for subject, answer in zip(subjects, answers):
        subject.verdict = subject.verdict or ("bad" if answer else "good")
    lines = ["# Edits of the objects of good.yaml: verdict, object, place, edit, value. Made by scripts/e2e/pytest test_schema_verdicts.py --accept."]
    for subject, ours, answer in zip(subjects, judge(tailrender, subjects), answers):
        if subject.base and subject.name != subject.base:
            verdict = "server" if answer and not ours else subject.verdict
            lines.append(f"{verdict} {subject.name}")
            if verdict == "server":
                print(f"server: {subject.name}: {answer[:230]}")
    (CORPUS / "mutants.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def complaints(tailrender, ask=lambda subjects: [None] * len(subjects)):
    subjects = [*written_by_hand(), *recorded(load_bases())]
    assert len(subjects) >= EXPECTED
    found = [(subject.name, complaint(subject, ours, theirs)) for subject, ours, theirs in zip(subjects, judge(tailrender, subjects), ask(subjects))]
    return [(name, text) for name, text in found if text]


def test_recorded(tailrender):
    assert complaints(tailrender) == []


def test_server(cluster, tailrender, accept):
    if accept:
        record(tailrender)
    assert complaints(tailrender, ask_server) == []


@pytest.mark.whole
def test_table_is_what_the_generator_writes():
    run(ROOT / "scripts/schemas", "--check")

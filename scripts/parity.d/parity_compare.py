"""Compares what we rendered with the reference's objects after the rows were applied, field by field."""
import base64
import json
import re
import typing

import parity_yaml
from parity_case import Case, Input, Problem, group, ident, meta
from parity_rows import Model, user_object
from parity_yaml import Object

UNORDERED = {"finalizers", "ownerReferences"}
RBAC_SETS = {"verbs", "resourceNames"}
ABSENT = object()
Key = tuple[str, str]  # of an object: its API group, and how messages name it
Document = tuple[parity_yaml.Chunk, Object]
Difference = tuple[str, typing.Any, typing.Any]  # a path, the reference's value, and ours


class Output:
    """The documents of our stdout, by object."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self.chunks: dict[Key, list[Document]] = {}
        try:
            chunks = parity_yaml.split(text)
            loaded = [(chunk, parity_yaml.loaded(chunk.text)) for chunk in chunks]
        except parity_yaml.ParseError as error:
            self.problems.append(("stdout", "", "YAML that can be read", str(error)))
            return
        for chunk, obj in loaded:
            self._add(chunk, obj)

    def _add(self, chunk: parity_yaml.Chunk, obj: typing.Any) -> None:
        if not isinstance(obj, dict) or not isinstance(obj.get("metadata"), dict) or not obj.get("kind"):
            self.problems.append(("stdout", f"line {chunk.first_line}", "an object", chunk.bare()[:80]))
            return
        self.chunks.setdefault(key_of(obj), []).append((chunk, obj))


def key_of(obj: Object) -> Key:
    return group(obj), ident(obj)


# ---- differences between two trees

def _show(value: object) -> str:
    if value is ABSENT:
        return "(absent)"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else text[:400] + "…"


def _join(path: str, key: str | int) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    shown = key if re.fullmatch(r"[\w-]+", key) else f'["{key}"]'
    return f"{path}.{shown}" if path and not shown.startswith("[") else path + shown


def _ordered(path_end: str, items: list[typing.Any]) -> list[typing.Any]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) if path_end in UNORDERED else items


def diff(want: typing.Any, have: typing.Any, path: str = "", end: str = "") -> list[Difference]:
    """Returns (path, reference, ours) for every leaf on which the two trees differ; 1, "1", 1.0 and true are all different."""
    if type(want) is not type(have):
        return [(path, want, have)]
    if isinstance(want, dict):
        keys = sorted(set(want) | set(have))
        return [d for k in keys for d in diff(want.get(k, ABSENT), have.get(k, ABSENT), _join(path, k), k)]
    if isinstance(want, list):
        return _diff_lists(_ordered(end, want), _ordered(end, have), path)
    return [] if want == have else [(path, want, have)]


def _diff_lists(want: list[typing.Any], have: list[typing.Any], path: str) -> list[Difference]:
    longest = range(max(len(want), len(have)))
    pairs = [(want[i] if i < len(want) else ABSENT, have[i] if i < len(have) else ABSENT) for i in longest]
    return [d for i, (w, h) in enumerate(pairs) for d in diff(w, h, _join(path, i))]


# ---- normal forms, for values that mean the same to an API server

def normal(obj: Object) -> Object:
    obj = dict(obj)
    if obj["kind"] == "StatefulSet" and (obj.get("spec") or {}).get("serviceName") == "":
        obj["spec"] = {k: v for k, v in obj["spec"].items() if k != "serviceName"}
    if obj["kind"] in ("RoleBinding", "ClusterRoleBinding") and isinstance(obj.get("roleRef"), dict):
        obj["roleRef"] = {**obj["roleRef"], "apiGroup": obj["roleRef"].get("apiGroup") or "rbac.authorization.k8s.io"}
    if obj["kind"] in ("Role", "ClusterRole") and isinstance(obj.get("rules"), list):
        obj["rules"] = sorted(map(_normal_rule, obj["rules"]), key=lambda rule: json.dumps(rule, sort_keys=True))
    return obj


def _normal_rule(rule: typing.Any) -> typing.Any:
    if not isinstance(rule, dict):
        return rule
    return {k: sorted(v) if k in RBAC_SETS and isinstance(v, list) else v for k, v in rule.items()}


def _decoded(obj: Object) -> tuple[Object, list[Problem]]:
    """Returns (our object with its base64 decoded, to compare it with the reference's text; problems)."""
    field = {"Secret": "data", "ConfigMap": "binaryData"}.get(obj["kind"])
    if field is None or group(obj) or not isinstance(obj.get(field), dict):
        return obj, []
    data: dict[str, str] = {}
    problems: list[Problem] = []
    for key, value in obj[field].items():
        try:
            data[key] = base64.b64decode(value, validate=True).decode("utf-8")
            canonical = base64.b64encode(data[key].encode()).decode() == value
        except (ValueError, TypeError):
            canonical = False
        if not canonical:
            problems.append((ident(obj), f'{field}["{key}"]', "canonical base64 of UTF-8 text", _show(value)))
    return {**obj, field: data if not problems else obj[field]}, problems


# ---- the two halves of a comparison

def _generated(model: Model, output: Output, input_keys: set[Key]) -> list[Problem]:
    problems = []
    want = {key_of(obj): obj for obj in model.objects}
    have = {key: docs for key, docs in output.chunks.items() if key not in input_keys}
    for key in sorted(set(want) - set(have)):
        problems.append((key[1], "", "this object", "(missing)"))
    for key in sorted(set(have) - set(want)):
        problems.append((key[1], "", "(no such object)", "this object"))
    for key in sorted(set(want) & set(have)):
        problems += _one_generated(key[1], want[key], have[key])
    return problems


def _one_generated(name: str, want: Object, documents: list[Document]) -> list[Problem]:
    if len(documents) > 1:
        return [(name, "", "once", f"{len(documents)} times")]
    chunk, have = documents[0]
    problems = []
    if parity_yaml.loaded(chunk.text, "1.2") != have:
        problems.append((name, "", "the same to YAML 1.1 and 1.2 readers", "an unquoted word that they read differently"))
    have, undecoded = _decoded(have)
    leaves = [leaf for path, w, h in diff(normal(want), normal(have)) for leaf in _json_leaves(path, w, h)]
    return problems + undecoded + [(name, path, _show(w), _show(h)) for path, w, h in leaves]


def _json_leaves(path: str, want: typing.Any, have: typing.Any) -> list[Difference]:
    """Returns the differences inside JSON text, with their places in the JSON; the whole text if only its bytes differ."""
    try:
        inner = diff(json.loads(want), json.loads(have)) if isinstance(want, str) and want[:1] == "{" else []
    except (ValueError, TypeError):
        inner = []
    return [(f"{path} {at}", w, h) for at, w, h in inner] or [(path, want, have)]


def _consumed(case: Case, obj: Object) -> bool:
    crds = {meta(i.object).get("name", "") for i in case.inputs if i.object.get("kind") == "CustomResourceDefinition"}
    return group(obj) == "tailscale.com" and not any(name.endswith(".tailscale.com") for name in crds)


def _user_objects(case: Case, model: Model, output: Output) -> list[Problem]:
    problems: list[Problem] = []
    by_key: dict[Key, list[Input]] = {}
    for item in case.inputs:
        by_key.setdefault(key_of(item.object), []).append(item)
    for key, items in by_key.items():
        have = output.chunks.get(key, [])
        wanted = 0 if _consumed(case, items[0].object) else len(items)
        if len(have) != wanted:
            problems.append((key[1], "", f"{wanted} times (input document)", f"{len(have)} times"))
            continue
        for item, (chunk, obj) in zip(items, have):
            problems += _one_user_object(model, item, chunk, obj)
    return problems


def _one_user_object(model: Model, item: Input, chunk: parity_yaml.Chunk, have: Object) -> list[Problem]:
    want = user_object(model, item.object)
    leaves = [(item.ident, path, _show(w), _show(h)) for path, w, h in diff(want, have)]
    if leaves:
        return leaves
    changes = diff(item.object, want)
    if not _bytes_kept(item.chunk.bare(), chunk.bare(), changes):
        return [(item.ident, "", "the document's bytes as they came", "other bytes (comments, quotes or layout)")]
    return []


def _bytes_kept(before: str, after: str, changes: list[Difference]) -> bool:
    """Returns whether the text is the same except for the spelling of one changed scalar. With several changes only the comments are
    compared."""
    if not changes:
        return before == after
    if len(changes) > 1 or ABSENT in changes[0][1:]:
        return re.findall(r"#.*", before) == re.findall(r"#.*", after)
    _, old, new = changes[0]
    spellings = [(a, b) for a in _spelled(old) for b in _spelled(new)]
    return any(before[:at] + b + before[at + len(a):] == after
               for a, b in spellings for at in _positions(before, a))


def _spelled(value: object) -> list[str]:
    text = json.dumps(value) if isinstance(value, str) else str(value)
    return [str(value), text, f"'{value}'"]


def _positions(text: str, part: str) -> list[int]:
    return [m.start() for m in re.finditer(re.escape(part), text)] if part else []


def compare(case: Case, model: Model, stdout: str) -> list[Problem]:
    """Returns problems as (object, path, reference, ours); empty if there are none."""
    output = Output(stdout)
    if output.problems:
        return output.problems
    input_keys = {key_of(item.object) for item in case.inputs}
    return _generated(model, output, input_keys) + _user_objects(case, model, output)

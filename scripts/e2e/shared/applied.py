"""Applies rendered objects to a real API server as Argo CD does it: it reports all errors of the server, and then applies again.

No conflict is forced, and a kind that the server does not have is an error.
"""
import collections.abc
import functools
import json
import pathlib

from shared.checks import Object, documents, run, wait_for_definitions
from shared.fleet import ROOT

FOREIGN_CRDS = ROOT / "testdata" / "e2e" / "crds.yaml"  # CRDs that rendered objects need but do not contain
MANAGER = "argocd-controller"
APPLY = ("kubectl", "apply", "--server-side", "--validate=strict", f"--field-manager={MANAGER}", "-f")


Key = tuple[str, str, str]  # of an object: kind, namespace, name


def key(value: Object) -> Key:
    return value["kind"], value["metadata"].get("namespace", ""), value["metadata"]["name"]


def listed(values: collections.abc.Iterable[Object]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values)})


def manifests(*paths: pathlib.Path) -> list[Object]:
    """Returns the objects as an applier reads them, with the server's namespaces and types. Fails for kinds that the server does not
    have."""
    text = run("kubectl", "create", "--dry-run=client", "--validate=false", "-o", "json", *(word for path in paths for word in ("-f", path)))
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text.rstrip()):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return [item for value in found for item in value.get("items", [value])]


def live(path: pathlib.Path) -> dict[Key, Object]:
    """Returns the objects of a file by key, as they are on the server."""
    found = json.loads(run("kubectl", "get", "--show-managed-fields", "-o", "json", "-f", path))
    return {key(value): value for value in found.get("items", [found])}


def versions(path: pathlib.Path) -> dict[Key, str]:
    return {name: value["metadata"]["resourceVersion"] for name, value in live(path).items()}


def create_namespaces(values: list[Object]) -> None:
    names = {value["metadata"]["name"] if value["kind"] == "Namespace" else value["metadata"].get("namespace") for value in values}
    there = set(run("kubectl", "get", "namespaces", "-o", "jsonpath={.items[*].metadata.name}").split())
    for name in names - there - {None}:
        run("kubectl", "create", "namespace", name)


def create_definitions(*paths: pathlib.Path) -> None:
    definitions = [value for path in paths for value in documents(path.read_text(encoding="utf-8")) if value["kind"] == "CustomResourceDefinition"]
    run(*APPLY, "-", stdin=listed(definitions))
    wait_for_definitions(functools.partial(run, "kubectl"), [value["metadata"]["name"] for value in definitions])


def apply_again(path: pathlib.Path) -> None:
    """Applies again, which must change nothing."""
    before = versions(path)
    run(*APPLY, path)
    assert versions(path) == before


def is_accepted(path: pathlib.Path) -> None:
    """Applies all of a file, and a second time, which must change nothing."""
    create_definitions(path, FOREIGN_CRDS)
    create_namespaces(manifests(path))
    run(*APPLY, path, "--dry-run=server")
    run(*APPLY, path)
    apply_again(path)
    run("kubectl", "diff", "--server-side", f"--field-manager={MANAGER}", "-f", path)

"""Flux and Argo CD, as far as a migration needs them: what is pushed is applied, and what was removed is pruned as the engine would.

    engine = Flux(lab, chart, clone)    or Argo; `chart` is the operator's
    engine.sync()                       after each push
    engine.install_again()              does what its command line does on request

The real Flux CLI builds each Kustomization, Argo CD's own repo server code makes the manifests of each Application, and helm installs and
renders the chart. This module then does what their controllers would do: an object of the engine's own kinds is not applied to the API
server; Flux does not prune an object with `prune: disabled` or of another Kustomization, and uninstalls the release of a deleted
HelmRelease unless that was suspended; Argo CD applies what is automated, and deletes the objects of a deleted Application only if it had
the finalizer.
"""
import collections.abc
import json
import pathlib
import tempfile
import typing

import yaml

from harness import Lab
from shared.applied import Key, key, listed
from shared.checks import Object, documents, run

CASCADES = "resources-finalizer.argocd.argoproj.io"


class Engine:
    GROUP: str
    first: collections.abc.Callable[[], Object]
    build: collections.abc.Callable[[Object], list[Object]]
    apply: collections.abc.Callable[[Object, list[Object]], None]
    prunes: collections.abc.Callable[[str, Object, Object | None], object]

    def __init__(self, lab: Lab, chart: str, clone: pathlib.Path) -> None:
        self.lab, self.chart, self.clone = lab, chart, clone
        # What applies, and what that has applied, by name.
        self.units: dict[str, Object] = {}
        self.applied: dict[str, list[Object]] = {}

    def sync(self) -> None:
        run("git", "pull", "--quiet", cwd=self.clone)
        before, applied = self.units, self.applied
        self.units, self.applied = {}, {}
        self.visit(self.first())
        kept = {key(item) for objects in self.applied.values() for item in objects}
        for name, objects in applied.items():
            for item in reversed(objects):
                if key(item) not in kept and not self.is_own(item) and self.prunes(name, before[name], self.live(item)):
                    self.lab.kubectl("delete", "-f", "-", text=json.dumps(item))

    def visit(self, unit: Object) -> None:
        name = unit["metadata"]["name"]
        self.units[name], self.applied[name] = unit, self.build(unit)
        self.apply(unit, [item for item in self.applied[name] if not self.is_own(item)])
        for item in self.applied[name]:
            if item["kind"] == unit["kind"] and item["metadata"]["name"] not in self.units:
                self.visit(item)

    def is_own(self, item: Object) -> bool:
        return self.GROUP in item["apiVersion"]

    def live(self, item: Object) -> Object | None:
        namespace = item["metadata"].get("namespace")
        return self.lab.get(item["kind"], item["metadata"]["name"], *(["-n", namespace] if namespace else []))

    def file(self, text: object) -> typing.IO[str]:
        found = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        yaml.safe_dump(text, found)
        found.flush()
        return found

    def force(self, objects: list[Object], manager: str) -> None:
        """First namespaces and kinds."""
        if objects:
            first = [item for item in objects if item["kind"] in ("Namespace", "CustomResourceDefinition")]
            for some in (first, [item for item in objects if item not in first]):
                if some:
                    self.lab.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager", manager, "-f", "-", text=listed(some))


class Flux(Engine):
    GROUP = ".toolkit.fluxcd.io/"

    def __init__(self, *parts: typing.Any) -> None:
        super().__init__(*parts)
        self.releases: dict[Key, Object] = {}

    def first(self) -> Object:
        text = (self.clone / "clusters/home/flux-system/sync.yaml").read_text(encoding="utf-8")
        return next(item for item in documents(text) if item["kind"] == "Kustomization")

    def build(self, unit: Object) -> list[Object]:
        with self.file(unit) as file:
            return documents(run("flux", "build", "kustomization", unit["metadata"]["name"], "--path", self.clone / unit["spec"]["path"],
                                 "--kustomization-file", file.name, "--dry-run", "--strict-substitute"))

    def apply(self, unit: Object, objects: list[Object]) -> None:
        self.force(objects, "kustomize-controller")

    def sync(self) -> None:
        super().sync()
        every = {key(item): item for objects in self.applied.values() for item in objects if item["kind"] == "HelmRelease"}
        before, self.releases = self.releases, every
        for name, release in every.items():
            if not release["spec"].get("suspend") and name not in before:
                self.install(release)
        for name in before.keys() - every.keys():
            if not before[name]["spec"].get("suspend"):
                self.lab.run("helm", "uninstall", name[2], "--namespace", name[1])

    def install(self, release: Object) -> None:
        meta = release["metadata"]
        with self.file(release["spec"]["values"]) as values:
            self.lab.run("helm", "upgrade", "--install", meta["name"], self.chart, "--namespace", meta["namespace"], "--values", values.name)

    def install_again(self) -> None:
        """Which is nothing while it is suspended."""
        for release in self.releases.values():
            assert not release["spec"].get("suspend")
            self.install(release)

    def prunes(self, name: str, unit: Object, live: Object | None) -> object:
        meta = (live or {}).get("metadata", {})
        return unit["spec"]["prune"] and meta.get("labels", {}).get("kustomize.toolkit.fluxcd.io/name") == name and \
            meta.get("annotations", {}).get("kustomize.toolkit.fluxcd.io/prune") != "disabled"


class Argo(Engine):
    GROUP = "argoproj.io/"

    def first(self) -> Object:
        return yaml.safe_load((self.clone / "root.yaml").read_text(encoding="utf-8"))

    def build(self, unit: Object) -> list[Object]:
        source, namespace = unit["spec"]["source"], unit["spec"]["destination"]["namespace"]
        with self.file(source.get("helm", {}).get("valuesObject", {})) as values, self.file(unit) as file:
            if "chart" in source:
                return documents(run("helm", "template", unit["metadata"]["name"], self.chart, "--namespace", namespace, "--values", values.name))
            objects = json.loads(run("argocd-manifests", self.clone, file.name))
        for item in objects:
            if item["kind"] in ("Deployment", "Service"):
                item["metadata"].setdefault("namespace", namespace)
        return objects

    def apply(self, unit: Object, objects: list[Object]) -> None:
        policy = unit["spec"].get("syncPolicy", {})
        if "automated" in policy:
            made = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": unit["spec"]["destination"]["namespace"]}}]
            self.force((made if "CreateNamespace=true" in policy.get("syncOptions", []) else []) + objects, "argocd-controller")

    def install_again(self) -> None:
        [unit] = [unit for unit in self.units.values() if "chart" in unit["spec"]["source"]]
        self.apply(unit, self.applied[unit["metadata"]["name"]])

    def prunes(self, name: str, unit: Object, live: Object | None) -> object:
        options = (live or {}).get("metadata", {}).get("annotations", {}).get("argocd.argoproj.io/sync-options", "")
        if name not in self.units:
            return live and CASCADES in unit["metadata"].get("finalizers", []) and "Delete=false" not in options
        return live and unit["spec"].get("syncPolicy", {}).get("automated", {}).get("prune") and "Prune=false" not in options

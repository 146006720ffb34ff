"""The sources of examples/fleet as one stream, for modules that use documents instead of a repository."""
import collections.abc
import pathlib
import re
import typing

import yaml

from shared.checks import Object

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FLEET = ROOT / "examples" / "fleet"
OPERATOR = "tailscale-operator"
CLUSTER_SCOPED = ("Namespace", "Connector", "DNSConfig", "PeerRelay", "ProxyClass", "ProxyGroup", "Recorder", "Tailnet")


def read(path: pathlib.Path) -> typing.Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def split(text: str) -> list[str]:
    """Returns the bytes of each document. Line ends around a separator belong to no document."""
    chunks = (re.sub(r"\A(# Source: .*\n)", "", chunk.lstrip("\n")) for chunk in re.split(r"(?m)^---[ \t]*$", text))
    return [chunk.strip("\n") for chunk in chunks if chunk.strip()]


class Cluster:
    """An entry of .tailrender.yaml."""

    def __init__(self, entry: Object) -> None:
        self.name, self.bundles, self.tailnet = entry["name"], entry["bundles"], entry["tailnetDomain"]
        customizations = read(FLEET / OPERATOR / "fleet.yaml")["targetCustomizations"]
        self.operator = next(one for one in customizations if one["clusterName"] == self.name)
        self.values = FLEET / OPERATOR / self.operator["helm"]["valuesFiles"][0]

    def settings(self) -> list[str | pathlib.Path]:
        """Returns the settings in the repository for the cluster: nothing else may be needed to render its documents."""
        return ["--values", self.values, "--set", f"tailrender.tailnetDomain={self.tailnet}", "--quiet"]

    def files(self, bundle: str) -> list[pathlib.Path]:
        """Returns the files that Fleet deploys, without fleet.yaml and the files that only kustomize reads."""
        if bundle != OPERATOR:
            return sorted(path for path in (FLEET / bundle).glob("*.yaml") if path.name != "fleet.yaml")
        directory = FLEET / OPERATOR / self.operator.get("kustomize", {}).get("dir", "absent")
        return [directory / name for name in read(directory / "kustomization.yaml")["resources"]] if directory.exists() else []

    def sources(self) -> collections.abc.Iterator[tuple[pathlib.Path, str]]:
        """Yields each document as it is in its file; a document without a namespace gets its bundle's, since a stream has no bundles."""
        for bundle in self.bundles:
            namespace = read(FLEET / bundle / "fleet.yaml")["defaultNamespace"]
            for path in self.files(bundle):
                for chunk in split(path.read_text(encoding="utf-8")):
                    yield path, with_namespace(chunk, namespace)


def with_namespace(chunk: str, namespace: str) -> str:
    value = yaml.safe_load(chunk)
    if value["kind"] in CLUSTER_SCOPED or "namespace" in value["metadata"]:
        return chunk
    return re.sub(r"(?m)^metadata:$", f"metadata:\n  namespace: {namespace}", chunk, count=1)


def clusters() -> list[Cluster]:
    return [Cluster(entry) for entry in read(FLEET / ".tailrender.yaml")["clusters"]]

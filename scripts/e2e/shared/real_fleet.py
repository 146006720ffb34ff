"""Runs the real Fleet: what its programs make of a directory, for which cluster, and what they deploy.

This needs an API server (scripts/e2e/apiserver) with Fleet's CRDs: a workspace there is a namespace with Cluster objects, as the Fleet
manager makes it. `apply` reads a directory as GitRepos are read, `target` merges options for each cluster as the controller does, `deploy`
does what the agent does on a cluster.
"""
import functools
import json
import pathlib
import re
import tempfile

import yaml

from shared.checks import Object, attempt, run, wait_for_definitions

MARKS = ("labels", "objectset.rio.cattle.io/"), ("annotations", "objectset.rio.cattle.io/")
# For a release without a chart of its own, Fleet makes the chart: CRDs are kept when the release is deleted.
KEPT = "helm.sh/resource-policy"


class Refused(Exception):
    """An error with Fleet's own message."""


def fleet(*words: object, cwd: pathlib.Path | None = None) -> str:
    done = attempt("fleet", *words, cwd=cwd)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "\tDEBUG\t" not in line and line.strip()]
        raise Refused(lines[-1] if lines else f"exit code {done.returncode}")
    return done.stdout


def install_crds() -> None:
    """Installs Fleet's CRDs, which scripts/e2e/tools puts beside the programs."""
    program = pathlib.Path(run("sh", "-c", "command -v fleet").strip())
    run("kubectl", "apply", "--server-side", "-f", program.parent / "fleet-crds.yaml")
    wait_for_definitions(functools.partial(run, "kubectl"), ["clusters.fleet.cattle.io"])


def create(*values: Object) -> None:
    run("kubectl", "apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values)}))


def add_cluster(workspace: str, name: str, labels: dict[str, str]) -> None:
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one}} for one in (workspace, f"{workspace}-{name}")]
    create(*spaces, {"apiVersion": "fleet.cattle.io/v1alpha1", "kind": "Cluster",
                     "metadata": {"name": name, "namespace": workspace, "labels": labels}})
    run("kubectl", "patch", "clusters.fleet.cattle.io", name, "-n", workspace, "--subresource=status", "--type=merge",
        "-p", json.dumps({"status": {"namespace": f"{workspace}-{name}"}}))


class Workspace:
    """The place of the bundles of a GitRepo, and the clusters that they may go to."""

    def __init__(self, name: str, scratch: pathlib.Path, targets: list[Object]) -> None:
        """`targets` are those of the GitRepo."""
        self.name = name
        self.scratch = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        self.targets = self.scratch / "targets.yaml"
        self.targets.write_text(json.dumps({"targets": targets, "targetRestrictions": targets}), encoding="utf-8")

    def bundles(self, folder: pathlib.Path, repository: str = "repo") -> dict[str, "Bundle"]:
        """Returns the bundles of a directory, by name: {name: what is deployed where}."""
        text = fleet("apply", "--namespace", self.name, "--targets-file", self.targets, "--output", "-", repository, folder.name, cwd=folder.parent)
        found = {}
        for part in re.split(r"(?m)^(?=apiVersion: fleet\.cattle\.io/)", text):
            if part.strip():
                bundle = yaml.safe_load(part)
                file = self.scratch / f"{bundle['metadata']['name']}.yaml"
                file.write_text(part, encoding="utf-8")
                found[bundle["metadata"]["name"]] = Bundle(self, bundle, file)
        return found


class Bundle:
    def __init__(self, workspace: Workspace, value: Object, file: pathlib.Path) -> None:
        self.workspace, self.value, self.file = workspace, value, file

    def clusters(self) -> dict[str, "Deployment"]:
        """Returns {cluster: Deployment} for the clusters that Fleet deploys it to."""
        documents = [value for value in yaml.safe_load_all(fleet("target", "--bundle-file", self.file, "--namespace", self.workspace.name)) if value]
        content = next(value for value in documents if value["kind"] == "Content")
        found = {}
        for value in documents:
            if value["kind"] == "BundleDeployment":
                cluster = value["metadata"]["labels"]["fleet.cattle.io/cluster"]
                file = self.file.with_suffix(f".{cluster}.yaml")
                file.write_text("---\n".join(json.dumps(one) + "\n" for one in (content, value)), encoding="utf-8")
                found[cluster] = Deployment(value, file)
        return found


class Deployment:
    """A bundle on a cluster."""

    def __init__(self, value: Object, file: pathlib.Path) -> None:
        self.value, self.file = value, file
        self.name, self.options = value["metadata"]["name"], value["spec"]["options"]

    def namespace(self) -> str:
        return self.options.get("namespace") or self.options.get("defaultNamespace") or "default"

    def template(self) -> list[Object]:
        return stripped(fleet("deploy", "--dry-run", "--input-file", self.file, "--kube-version", "v1.37.2"))

    def deploy(self) -> list[Object]:
        return stripped(fleet("deploy", "--input-file", self.file))


def stripped(text: str) -> list[Object]:
    """Returns objects without what Fleet adds to each: its marks of ownership, and that CRDs are kept when their release is deleted."""
    values = [value for value in yaml.safe_load(text) or [] if value]
    for value in values:
        metadata = value["metadata"]
        for field, prefix in MARKS:
            marks = [key for key in metadata.get(field, {}) if key.startswith(prefix)]
            assert marks, f"Fleet has not marked {value['kind']}/{metadata['name']} as its own"
            for key in marks:
                del metadata[field][key]
        if value["kind"] == "CustomResourceDefinition":
            metadata.get("annotations", {}).pop(KEPT, None)
        for field in ("labels", "annotations"):
            if not metadata.get(field):
                metadata.pop(field, None)
    return values

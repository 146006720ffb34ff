"""Proves that examples/flux and examples/argocd work: what the engine itself makes of the repository, in the lab, and nothing of it afterwards.

The commands are those of each README. The real Flux CLI builds each Kustomization as its controller does, and Argo CD's own repo server
code makes the manifests of each Application. All is applied; a client of the tailnet gets the page, and no file of the apps has changed.
Rendering again changes nothing. Then the Service is deleted from the repository: what the engine would prune is deleted, and the device is
removed from the tailnet. At last the controller cleans up and is deleted, and only what was made by hand is left.
"""
import json
import re
import shutil

import pytest
import yaml

from hello import page
from installed import NAMESPACE, VALUES, give_proxy_image, lab_with_runtime
from shared.checks import documents, run
from shared.fleet import ROOT
from uninstall import cleanup, held, leave_the_cluster, living, stop_the_controller

COVERS = ["examples/argocd", "examples/flux", "plugins/argocd", "plugins/flux", "renderer/generate/install"]
PROGRAMS = ["lab", "argocd", "kustomize", "flux"]
HELLO = {"flux": ("apps/hello", "hello-home"), "argocd": ("hello", "hello")}


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime, proxy):
    with lab_with_runtime(runtime) as found:
        give_proxy_image(found, tailrender, proxy)
        yield found


class Repository:
    def __init__(self, engine, folder, lab):
        self.engine, self.root = engine, folder / engine
        self.apps, self.host = HELLO[engine]
        shutil.copytree(ROOT / "examples" / engine, self.root)
        self.commands = re.findall(r"^```\n(tailrender .*?)^```$", (self.root / "README.md").read_text(encoding="utf-8"), re.M | re.S)
        values = self.root / "tailscale/values.yaml"
        found = yaml.safe_load(values.read_text(encoding="utf-8"))
        values.write_text(yaml.safe_dump({**found, "loginServer": lab.tailnet.url, "tailrender": VALUES["tailrender"]}),
                          encoding="utf-8")
        deployment = self.root / self.apps / "deployment.yaml"
        deployment.write_text(deployment.read_text(encoding="utf-8").replace("nginxinc/nginx-unprivileged:1.27.4", "lab/hello:1"), encoding="utf-8")

    def render(self, *options):
        [script] = self.commands
        return run("bash", "-euo", "pipefail", "-c", " ".join([script.rstrip(), *options]), cwd=self.root)

    def files(self):
        return {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}

    def built(self):
        """Returns what the engine applies, by kind, namespace and name."""
        found = self.flux() if self.engine == "flux" else self.argo()
        return {(item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]): item for item in found}

    def flux(self):
        objects = []
        for name in ("apps", "tailscale"):
            objects += documents(run("flux", "build", "kustomization", name, "--path", self.root / name, "--dry-run", "--strict-substitute",
                                     "--kustomization-file", self.root / f"clusters/home/{name}.yaml"))
        return objects

    def argo(self):
        """Argo CD's controller gives namespaced objects the namespace of the destination."""
        files = [self.root / f"apps/{name}.yaml" for name in ("hello", "tailscale")]
        said = run("argocd-manifests", self.root, *files)
        objects = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "hello"}}]
        for line, file in zip(said.splitlines(), files):
            namespace = yaml.safe_load(file.read_text(encoding="utf-8"))["spec"]["destination"]["namespace"]
            for item in json.loads(line):
                if item["kind"] in ("Deployment", "Service"):
                    item["metadata"].setdefault("namespace", namespace)
                objects.append(item)
        return objects


def apply(lab, objects):
    lab.apply([item for item in objects.values() if item["kind"] == "Namespace"])
    lab.apply([item for item in objects.values() if item["kind"] != "Namespace"])


def versions(lab, objects):
    """Returns the resourceVersions, which a write would change."""
    return {key: lab.get(kind, name, *(["-n", namespace] if namespace else []))["metadata"]["resourceVersion"]
            for key in objects for kind, namespace, name in [key] if kind in ("ConfigMap", "Role", "RoleBinding", "ServiceAccount", "Secret")}


def credentials(lab):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "operator-oauth", "namespace": NAMESPACE},
            "stringData": {"client_id": lab.inner["LAB_OAUTH_ID"], "client_secret": lab.inner["LAB_OAUTH_SECRET"]}}


def is_served(lab, host):
    return lab.wait("the page is served", lambda: page(lab, f"{host}.lab.ts.net")) == "hello from the lab\n"


@pytest.mark.parametrize("engine", ["flux", "argocd"])
def test_example(engine, lab, runtime, on_path, tmp_path):
    before = living(lab)
    repository = Repository(engine, tmp_path, lab)
    sources = repository.files()
    repository.render()
    rendered = repository.files()
    assert {path for path in rendered if rendered[path] != sources.get(path)} == set(rendered) - set(sources)
    repository.render()
    assert repository.files() == rendered
    objects = repository.built()
    lab.apply([item for item in objects.values() if item["kind"] == "Namespace"] + [credentials(lab)])
    apply(lab, objects)
    assert is_served(lab, repository.host)
    found = versions(lab, objects)
    apply(lab, repository.built())
    assert versions(lab, objects) == found, "applied again, something changes"

    (repository.root / repository.apps / "service.yaml").unlink()
    kustomization = repository.root / repository.apps / "kustomization.yaml"
    if kustomization.exists():
        kustomization.write_text(kustomization.read_text(encoding="utf-8").replace("  - service.yaml\n", ""), encoding="utf-8")
    repository.render("--allow-empty")
    left = repository.built()
    lab.delete([item for key, item in objects.items() if key not in left])
    lab.wait("the device is deleted", lambda: living(lab) == before)

    stop_the_controller(lab)
    code, said = cleanup(lab, runtime, "--yes")
    assert code == 0, said
    leave_the_cluster(lab, [item for item in left.values() if item["kind"] != "Namespace"])
    assert held(lab) == {("Secret", "operator-oauth")}
    lab.kubectl("delete", "namespace", "hello", NAMESPACE)

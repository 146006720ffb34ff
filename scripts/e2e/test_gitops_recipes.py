"""Proves that what is committed to a branch reaches the cluster through Flux and Fleet as it was rendered.

Follows plugins/flux/README.md and plugins/fleet/README.md word for word in repositories of examples/fleet on this machine, with what CI
would run taken out of the workflow. The branch then goes through the real Flux CLI, which builds and substitutes as its controller
does, and through Fleet's own programs, which choose clusters and template bundles as its manager and agents do. Whatever
comes out are the objects that `tailrender render` prints. A hostile tree shows that Flux's substitution changes nothing of ours, what the
user meant to be filled in is, and that without our mark it would be otherwise.
"""
import pathlib
import re
import shutil
import tempfile

import pytest
import yaml

from shared import real_fleet
from shared.checks import attempt, compare, objects, objects_of, run
from shared.fleet import FLEET, ROOT

COVERS = ["examples", "plugins/argocd", "plugins/fleet", "plugins/flux", "renderer/emit/git", "renderer/emit/tree"]
PROGRAMS = ["apiserver", "fleet", "flux", "kustomize"]
PLUGINS = ROOT / "plugins"
CLUSTERS = ("ozilab", "lab")
OWNER = "kustomize.toolkit.fluxcd.io/"
SUBSTITUTE = OWNER + "substitute"


@pytest.fixture(autouse=True)
def git(tools, on_path, monkeypatch):
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.com")
    for name, value in (("NOSYSTEM", "1"), ("COUNT", "1"), ("KEY_0", "init.defaultBranch"), ("VALUE_0", "main")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)


def blocks(readme):
    """Returns the commands of a README, with the path of this clone."""
    text = readme.read_text(encoding="utf-8").replace("PATH/TO/tailrender", str(ROOT))
    return [block.replace("/tmp/rendered", "../rendered") for block in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)]


def shell(script, cwd):
    return run("bash", "-euo", "pipefail", "-c", script, cwd=cwd)


def read_all(path):
    return [value for value in yaml.safe_load_all(path.read_text(encoding="utf-8")) if value]


class Repository:
    """The sources on main, and CI, which has a new clone for each run: in turn a shallow one and a whole one."""

    def __init__(self, scratch, plugin):
        self.scratch, self.origin, self.sources = scratch, scratch / "origin.git", scratch / "sources"
        run("git", "init", "-q", "--bare", self.origin)
        shutil.copytree(FLEET, self.sources)
        shell(f"git init -q . && git remote add origin {self.origin}", self.sources)
        self.runs = 0
        self.commands = blocks(PLUGINS / plugin / "README.md")
        shell(self.commands[0], self.sources)
        self.push("Add the fleet")

    def push(self, subject):
        shell(f"git add -A && git commit -qm '{subject}' && git push -q origin main", self.sources)

    def ci(self, script):
        clone = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        depth = ["--depth", "1"] if self.runs % 2 == 0 else []
        self.runs += 1
        run("git", "clone", "-q", *depth, f"file://{self.origin}", clone)
        shell(script, clone)

    def commits(self):
        return run("git", "-C", self.origin, "rev-list", "rendered").split()

    def rendered(self):
        clone = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        run("git", "clone", "-q", "--branch", "rendered", self.origin, clone)
        return clone


def workflow_step(repository):
    """Returns the script that GitHub would run, from the workflow that the README has copied."""
    workflow = yaml.safe_load((repository.sources / ".github/workflows/render.yml").read_text(encoding="utf-8"))
    steps = [step for step in workflow["jobs"]["render"]["steps"] if "run" in step]
    assert len(steps) == 1
    return steps[0]["run"]


def follow(repository, script):
    """Checks that each change of the output makes a commit, and that nothing else does."""
    before = (repository.sources / "apps/hello.yaml").read_text(encoding="utf-8")
    repository.ci(script)
    first = repository.commits()
    repository.ci(script)
    assert repository.commits() == first, "a commit without a change"
    (repository.sources / "apps/hello.yaml").write_text(before.replace("name: hello", "name: salut"), encoding="utf-8")
    repository.push("Rename hello")
    repository.ci(script)
    assert repository.commits()[1:] == first, "a shallow clone does not continue the branch"
    (repository.sources / "apps/hello.yaml").write_text(before, encoding="utf-8")
    repository.push("Call it hello again")
    repository.ci(script)
    assert repository.commits()[2:] == first


def rendered(tailrender, cluster):
    return objects_of(run(tailrender, "render", FLEET, "--cluster", cluster, "--quiet"))


def without_marks(found):
    for value in found.values():
        labels = {key: text for key, text in value["metadata"].pop("labels", {}).items() if key not in (OWNER + "name", OWNER + "namespace")}
        value["metadata"].update({"labels": labels} if labels else {})
    return found


def flux_build(directory, file):
    """Returns what Flux would apply, without its labels of ownership."""
    kustomization = next(value for value in read_all(file) if value["kind"] == "Kustomization")
    path = (directory / kustomization["spec"]["path"]).resolve()
    found = objects_of(run("flux", "build", "kustomization", kustomization["metadata"]["name"], "--path", path,
                           "--kustomization-file", file, "--dry-run", "--strict-substitute"))
    assert all({OWNER + "name", OWNER + "namespace"} <= value["metadata"]["labels"].keys() for value in found.values())
    return without_marks(found)


def test_flux_namespace_and_variables(tailrender, tmp_path):
    """The result is compared with what is rendered from the stream that Flux applies."""
    tree = tmp_path / "tree"
    spec = {"path": "./apps", "targetNamespace": "shop", "prune": True, "interval": "1m",
            "sourceRef": {"kind": "GitRepository", "name": "flux-system"},
            "postBuild": {"substitute": {"APP": "Web", "PORT": "80", "HOST": "front.example.com"}}}
    service = """apiVersion: v1
kind: Service
metadata:
  name: %s
  namespace: %s
  annotations: {tailscale.com/expose: "true", tailscale.com/hostname: "%s", note: "$${kept} $$5 ${UNKNOWN}"}
spec:
  clusterIP: 10.0.0.1
  ports: [{name: "${APP,,}", port: "${PORT}"}]
"""
    for path, text in {
            "clusters/a/apps.yaml": yaml.safe_dump({"apiVersion": OWNER + "v1", "kind": "Kustomization",
                                                    "metadata": {"name": "apps", "namespace": "flux-system"}, "spec": spec}),
            "apps/web.yaml": service % ("w${APP:1}", "own", "${HOST%%.*}"),
            "apps/below/api.yaml": service % ("api", "${NONE:-other}", "${NONE:=a-}${HOST/.example.com/}${APP:3}"),
            "apps/part/kustomization.yaml": "namespace: mine\nresources: [db.yaml]\n",
            "apps/part/db.yaml": service % ("db", "own", "${HOST##*.}-${#APP}")}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    stream = run("flux", "build", "kustomization", "apps", "--path", tree / "apps",
                 "--kustomization-file", tree / "clusters/a/apps.yaml", "--dry-run")
    found = objects_of(run(tailrender, "post-render", "--quiet", stdin=stream))
    generated = objects_of(run(tailrender, "render", ".", "--only", "generated", "--quiet", cwd=tree))
    assert sum(value["kind"] == "StatefulSet" for value in found.values()) == 3
    compare({name: value for name, value in found.items() if name in generated}, generated, "flux build | post-render")
    assert len(generated) == len(found) - 3, "what Flux applies makes something else"


@pytest.mark.always
def test_flux(tailrender, tmp_path):
    repository = Repository(tmp_path, "flux")
    follow(repository, workflow_step(repository))
    clone = repository.rendered()
    for cluster in CLUSTERS:
        want, file = rendered(tailrender, cluster), repository.sources / f".flux/{cluster}.yaml"
        compare(flux_build(clone, file), want, f"flux, cluster {cluster}")
        substituting = with_variables(file, tmp_path / f"{cluster}-substituting.yaml", TS_CERT_DOMAIN="wrong", HOST="wrong", REQUEST_URI="wrong")
        compare(flux_build(clone, substituting), want, f"flux, cluster {cluster}, with variables")
    last = repository.commits()
    repository.ci(repository.commands[1])
    assert repository.commits() == last, "the other way to push is not up to date"
    shell(repository.commands[2], repository.sources)
    for path in sorted((tmp_path / "rendered").rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        assert run("flux", "envsubst", "--strict", stdin=text) == text, f"flux envsubst changes {path}"
    assert run("flux", "envsubst", stdin="a${B}\n") == "a\n", "flux envsubst changes nothing"


def test_stream(tailrender, tmp_path):
    """The sources, built by Flux and rendered behind it."""
    folder = tmp_path / "stream"
    shutil.copytree(FLEET / "apps", folder / "apps", ignore=shutil.ignore_patterns("fleet.yaml", "groups.yaml", "network.yaml", "tailnet.yaml", "egress.yaml"))
    kustomization = {"apiVersion": OWNER + "v1", "kind": "Kustomization", "metadata": {"name": "apps", "namespace": "flux-system"},
                     "spec": {"path": "./apps", "prune": True, "interval": "1h", "sourceRef": {"kind": "GitRepository", "name": "apps"}}}
    (folder / "apps.yaml").write_text(yaml.safe_dump(kustomization), encoding="utf-8")
    [command] = [block for block in blocks(PLUGINS / "flux/README.md") if "post-render" in block]
    found = without_marks(objects_of(shell(command, folder)))
    want = objects_of(run(tailrender, "render", folder / "apps", "--namespace", "apps", "--quiet"))
    generated = {name: value for name, value in want.items() if value["metadata"].get("namespace") == "tailscale"}
    compare({name: value for name, value in found.items() if name in generated}, generated, "flux build | post-render")
    assert len(generated) > 20


def with_variables(file, to, **variables):
    documents = read_all(file)
    for document in documents:
        if document["kind"] == "Kustomization":
            document["spec"]["postBuild"] = {"substitute": variables}
    to.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    return to


HOSTILE = {
    "class.yaml": {"apiVersion": "tailscale.com/v1alpha1", "kind": "ProxyClass", "metadata": {"name": "edge"}, "spec": {"statefulSet": {
        "annotations": {"example.com/a": "${VAR}"},
        "pod": {"annotations": {"b": "$VAR", "c": "$${VAR}", "d": "${VAR:=x}", "e": "${", "f": "$(VAR)", "g": "$$", "h": "${UNKNOWN}"},
                "tailscaleContainer": {"env": [{"name": "TEMPLATE", "value": "{\"a\": \"${VAR}\"}"}]}}}}},
    "web.yaml": {"apiVersion": "v1", "kind": "Service", "metadata": {
        "name": "web", "namespace": "shop", "labels": {"tailscale.com/proxy-class": "edge"},
        "annotations": {"tailscale.com/expose": "true", "example.com/site": "${VAR}", "example.com/literal": "$${VAR} $VAR"}},
        "spec": {"ports": [{"port": 80}], "selector": {"app": "web"}}},
    "ingress.yaml": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {
        "name": "web", "namespace": "shop", "annotations": {"tailscale.com/http-redirect": "true"}},
        "spec": {"ingressClassName": "tailscale", "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}},
}


def test_hostile(tailrender, tmp_path):
    sources, output = tmp_path / "sources", tmp_path / "rendered"
    sources.mkdir()
    for name, value in HOSTILE.items():
        (sources / name).write_text(yaml.safe_dump(value), encoding="utf-8")
    run(tailrender, "render", sources, "-o", output, "--quiet")
    want = objects_of(run(tailrender, "render", sources, "--quiet"))
    file = with_variables(PLUGINS / "flux/cluster.yaml", tmp_path / "hostile.yaml", VAR="filled", TS_CERT_DOMAIN="wrong")
    file.write_text(file.read_text(encoding="utf-8").replace("path: ./ozilab", "path: ."), encoding="utf-8")
    users = want["v1 Service/shop/web"]["metadata"]["annotations"]
    users.update({"example.com/site": "filled", "example.com/literal": "${VAR} $VAR"})
    compare(flux_build(output, file), want, "flux, hostile texts")
    marked = sorted(name for name, value in want.items() if SUBSTITUTE in value["metadata"].get("annotations", {}))
    assert len(marked) == 1 and marked[0].startswith("apps/v1 StatefulSet/")
    stateful = next(path for path in output.rglob("statefulset_*.yaml") if SUBSTITUTE in path.read_text(encoding="utf-8"))
    bare = stateful.read_text(encoding="utf-8").replace(f"{SUBSTITUTE}: disabled", "example.com/x: y")
    stateful.write_text(bare, encoding="utf-8")
    assert attempt("flux", "build", "kustomization", "rendered", "--path", output, "--kustomization-file", file, "--dry-run").returncode != 0


def test_fleet(cluster, tailrender, tmp_path):
    """As Fleet's manager and agents would: each GitRepo read from the branch, its bundles chosen for its cluster, and templated."""
    real_fleet.install_crds()
    repository = Repository(tmp_path, "fleet")
    follow(repository, repository.commands[1])
    clone, places = repository.rendered(), set()
    for member in CLUSTERS:
        gitrepo = read_all(repository.sources / f".fleet/{member}.yaml")[0]
        space, targets = gitrepo["metadata"]["namespace"], gitrepo["spec"]["targets"]
        for name in CLUSTERS:
            real_fleet.add_cluster(space, name, {})
        workspace, found = real_fleet.Workspace(space, tmp_path, targets), []
        for path in gitrepo["spec"]["paths"]:
            for name, bundle in workspace.bundles(clone / path).items():
                assert (space, name) not in places
                places.add((space, name))
                chosen = bundle.clusters()
                assert list(chosen) == [member], f"{name} is deployed to {list(chosen)}, wanted {member}"
                found.append(chosen[member].template())
        want = rendered(tailrender, member)
        compare(objects(value for values in found for value in values), want, f"fleet, {member}")


def agree(wanted, found):
    """Whether everything that the snippet says is in the object, too."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(agree(value, found.get(key)) for key, value in wanted.items())
    return wanted == found


@pytest.mark.parametrize("tool, folder, kinds", [
    ("argo", "argocd", ["Application", "Application", "AppProject"]), ("flux", "flux", ["Kustomization", "Kustomization"]), ("fleet", "fleet", [])])
def test_snippets(tailrender, tool, folder, kinds):
    """They are what the tool reads; the recipes have what they say, and the example has the additive object itself."""
    wanted = [value for value in yaml.safe_load_all(run(tailrender, "gitops-snippets", "--for", tool)) if "kind" in value]
    assert [value["kind"] for value in wanted] == kinds
    recipe = [value for file in (PLUGINS / folder).glob("*.yaml") for value in read_all(file)]
    example = [value for file in (ROOT / "examples" / folder).rglob("*.yaml") for value in read_all(file) if value]
    for value in wanted[:2]:
        place = example if "metadata" in value else recipe
        assert [one for one in place if agree(value, one)], f"{tool}: nothing agrees with {value}"

"""Untrusted kustomizations, built by the real kustomize and the real kubectl: no program is run, nothing is fetched or written, no file
outside of the tree is read, and no copy is left behind.
"""
import json
import os
import signal
import socket
import subprocess
import time

import pytest
import yaml

COVERS = ["renderer/engines/helm", "renderer/engines/kustomize"]
PROGRAMS = ["helm3", "kustomize", "kubernetes"]
SERVICE = """apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}
spec: {selector: {app: web}, ports: [{port: 80, name: http}]}
"""
MARK = "mark-of-a-file-outside"
BASE = {"namePrefix": "a-", "resources": ["service.yaml"]}
# Any program that the sandbox is asked to run would be found under these names.
HELPERS = ["helm", "git", "ksops", "docker", "sh", "bash", "run.sh"]


class Tree:
    """tree/app is built; beside the tree are a file that must not be read, and programs that must not run."""

    def __init__(self, folder, tailrender, tools):
        self.folder, self.tailrender, self.tools = folder, tailrender, tools
        self.root, self.bin, self.temporary = folder / "tree", folder / "bin", folder / "temporary"
        for made in (self.root / "app", self.bin, self.temporary):
            made.mkdir(parents=True)
        (folder / "outside.yaml").write_text(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {MARK}, namespace: shop}}\n")
        for name in HELPERS:
            self.script(self.bin / name)
        self.write("app/service.yaml", SERVICE)

    def script(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {path.name} >>{self.folder}/has-run\n")
        path.chmod(0o755)

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if isinstance(text, str) else json.dumps(text))

    def found(self):
        """Maps every file to its content."""
        return {str(path): path.lstat().st_mtime_ns if path.is_dir() or path.is_fifo() else path.read_bytes()
                for path in sorted(self.folder.rglob("*")) if path != self.temporary}

    def start(self, program, **streams):
        return subprocess.Popen([self.tailrender, "render", ".", "--only", "generated", "--kustomize", program], cwd=self.root, text=True, **streams,
                                env={"PATH": f"{self.bin}:/usr/bin:/bin", "TMPDIR": str(self.temporary), "HOME": str(self.root)})

    def render(self, program):
        """Returns the exit code and all output."""
        before = self.found()
        with self.start(self.tools / program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            printed, _ = process.communicate(timeout=200)
        assert self.found() == before, "nothing is run or written"
        assert not list(self.temporary.iterdir()), "the copy is removed"
        assert MARK not in printed
        return process.returncode, printed


@pytest.fixture
def tree(tmp_path, tailrender, tools):
    return Tree(tmp_path, tailrender, tools)


@pytest.fixture(params=["kustomize", "kubectl"])
def program(request):
    return request.param


@pytest.fixture
def server():
    """A server to which no one may connect."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(BlockingIOError):
            listening.accept()


def with_fields(**fields):
    return {**BASE, **fields, "resources": BASE["resources"] + fields.get("resources", [])}


@pytest.mark.parametrize("path", ["/etc/passwd", "../../../../../../../../etc/passwd", "../../outside.yaml", "{}/outside.yaml", "../../../outside.yaml"])
@pytest.mark.parametrize("field", ["resources", "patches", "replacements", "configMapGenerator", "envs", "components", "configurations", "crds",
                                   "openapi"])
def test_reads_nothing_outside(tree, program, path, field):
    path = path.format(tree.folder)
    fields = {"patches": [{"path": path}], "replacements": [{"path": path}], "configMapGenerator": [{"name": "c", "files": [f"key={path}"]}],
              "envs": [{"name": "c", "envs": [path]}], "openapi": {"path": path}}.get(field, [path])
    tree.write("app/kustomization.yaml", with_fields(**{"configMapGenerator" if field == "envs" else field: fields}))
    code, printed = tree.render(program)
    assert code == 1
    assert "root:x:" not in printed


@pytest.mark.parametrize("entry", ["http://{}/x.yaml", "https://{}/x.yaml", "git::https://{}/x.git", "https://{}/org/repo.git?ref=main", "git@{}:org/repo",
                                   "{}/org/repo//path?ref=main", "ssh://git@{}/org/repo"])
@pytest.mark.parametrize("field", ["resources", "components", "generators", "transformers", "crds", "patches"])
def test_fetches_nothing(tree, program, server, entry, field):
    entry = entry.format(server)
    tree.write("app/kustomization.yaml", with_fields(**{field: [{"path": entry}] if field == "patches" else [entry]}))
    tree.render(program)


RUN = {"apiVersion": "example.com/v1", "kind": "Run", "metadata": {"name": "run", "annotations": {
    "config.kubernetes.io/function": "exec: {path: ./run.sh}"}}}
IMAGE = {**RUN, "metadata": {"name": "run", "annotations": {"config.kubernetes.io/function": "container: {image: example.com/run}"}}}
KSOPS = {"apiVersion": "viaduct.ai/v1", "kind": "ksops", "metadata": {"name": "k"}, "files": ["secret.enc.yaml"]}
BUILTIN_RUN = {**RUN, "apiVersion": "builtin", "kind": "PrefixTransformer", "prefix": "b-"}
CHART = {"apiVersion": "builtin", "kind": "HelmChartInflationGenerator", "metadata": {"name": "c"}, "name": "chart", "releaseName": "x"}


@pytest.mark.parametrize("plug_in", [RUN, IMAGE, KSOPS, BUILTIN_RUN, CHART], ids=["exec", "container", "ksops", "builtin-exec", "chart"])
@pytest.mark.parametrize("field", ["generators", "transformers", "validators"])
@pytest.mark.parametrize("form", ["file", "inline", "directory"])
def test_runs_no_plug_in(tree, program, plug_in, field, form):
    entry = {"file": "plug-in.yaml", "inline": yaml.safe_dump(plug_in), "directory": "../plug-in"}[form]
    tree.write("app/kustomization.yaml", with_fields(**{field: [entry]}))
    if form != "inline":
        tree.write("app/plug-in.yaml" if form == "file" else "plug-in/plug-in.yaml", yaml.safe_dump(plug_in))
    if form == "directory":
        tree.write("plug-in/kustomization.yaml", {"resources": ["plug-in.yaml"]})
    for folder in ("", "app/", "plug-in/"):
        tree.script(tree.root / folder / "run.sh")
    code, printed = tree.render(program)
    assert code == 0, printed
    assert "[not-built]" in printed and "found: plug-in " in printed
    assert "a-web" in printed


@pytest.mark.parametrize("form", ["file", "inline", "directory"])
def test_runs_what_is_builtin(tree, program, form):
    plug_in = yaml.safe_dump({"apiVersion": "builtin", "kind": "PrefixTransformer", "metadata": {"name": "p"}, "prefix": "b-",
                              "fieldSpecs": [{"path": "metadata/name"}]})
    entry = {"file": "plug-in.yaml", "inline": plug_in, "directory": "../plug-in"}[form]
    tree.write("app/kustomization.yaml", with_fields(transformers=[entry]))
    tree.write("app/plug-in.yaml" if form == "file" else "plug-in/plug-in.yaml", plug_in)
    if form == "directory":
        tree.write("plug-in/kustomization.yaml", {"resources": ["plug-in.yaml"]})
    code, printed = tree.render(program)
    assert code == 0, printed
    assert "b-a-web" in printed and "[not-built]" not in printed


def test_runs_no_helm(tree, program):
    tree.write("charts/x/Chart.yaml", "name: x\nversion: 1.0.0\n")
    tree.write("app/kustomization.yaml", with_fields(helmGlobals={"chartHome": "../charts"}, helmCharts=[{"name": "x", "releaseName": "x"}]))
    code, printed = tree.render(program)
    assert code == 0, printed
    assert "found: chart x" in printed


def test_takes_no_preferences_of_the_tree(tree, program):
    tree.write(".kube/kuberc", "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\ndefaults:\n- command: kustomize\n  options:\n"
                               "  - {name: load-restrictor, default: LoadRestrictionsNone}\n  - {name: enable-helm, default: \"true\"}\n")
    tree.write("shared.yaml", SERVICE)
    (tree.root / "app/service.yaml").unlink()
    tree.write("app/kustomization.yaml", {"resources": ["../shared.yaml"]})
    tree.write("kustomization.yaml", {"namePrefix": "a-", "resources": ["app"], "configMapGenerator": [{"name": "c", "files": [".kube/kuberc"]}]})
    code, printed = tree.render(program)
    assert code == 1
    assert "is not in or below" in printed


@pytest.mark.parametrize("link, refused", [("../other/x.yaml", True), ("../app/x.yaml", False)])
def test_takes_links_as_in_the_tree(tree, program, link, refused):
    for folder in ("app", "other"):
        tree.write(f"{folder}/x.yaml", SERVICE.replace("name: web,", "name: linked,"))
    (tree.root / "app/link.yaml").symlink_to(link)
    tree.write("app/kustomization.yaml", with_fields(resources=["link.yaml"]))
    code, printed = tree.render(program)
    assert code == refused
    assert ("security; file './app/link.yaml' is not in or below './app'" if refused else "a-linked") in printed


def test_waits_for_no_pipe(tree, program):
    os.mkfifo(tree.root / "app/pipe.yaml")
    tree.write("app/kustomization.yaml", with_fields(resources=["pipe.yaml"]))
    code, _ = tree.render(program)
    assert code == 1


def test_survives_a_bomb_of_anchors(tree, program):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    tree.write("app/bomb.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\n" + "\n".join(lines) + "\n")
    tree.write("app/kustomization.yaml", with_fields(resources=["bomb.yaml"]))
    code, printed = tree.render(program)
    assert code == 1
    assert "kustomize cannot build this directory" in printed


@pytest.mark.whole
def test_ends_what_takes_too_long(tree, program):
    tree.write("app/many.yaml", "".join(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\n---\n" for i in range(100_000)))
    tree.write("app/kustomization.yaml", with_fields(resources=["many.yaml"]))
    code, printed = tree.render(program)
    assert code == 1
    assert "kustomize cannot build this directory" in printed


def running(pattern):
    return subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True, check=False).stdout


def wait_until(is_so):
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_leaves_nothing_when_it_is_ended(tree, number):
    slow, sleeps = tree.bin / "kustomize", f"sleep 10{os.getpid()}"
    slow.write_text(f"#!/bin/sh\n[ \"$1\" = build ] || exit 0\nexec {sleeps}\n")
    slow.chmod(0o755)
    tree.write("app/kustomization.yaml", BASE)
    # A shell ignores SIGINT in what it starts in the background, which this process would pass on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tree.start(slow, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: running(f"^{sleeps}$"))
        process.send_signal(number)
    assert process.returncode == -number
    wait_until(lambda: not list(tree.temporary.iterdir()) and not running(f"^{sleeps}$"))


def test_names_a_program_that_is_not_there(tree):
    tree.write("app/kustomization.yaml", BASE)
    for choice, found in (("typo", '"typo", in no directory of PATH'), (tree.root / "absent", f'"{tree.root}/absent"')):
        with tree.start(choice, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            printed, _ = process.communicate()
        assert process.returncode == 2
        assert printed.startswith(f"--kustomize: error: there is no such program [usage]\n  found: {found}\n")


def outside(tree, absolute):
    path = tree.folder / "service.yaml"
    path.write_text(SERVICE.replace("name: web,", f"name: {MARK},"))
    return str(path) if absolute else "../../service.yaml"


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("field", ["resources", "components", "configMapGenerator", "patches", "inline"])
def test_reads_nothing_outside_where_flux_loads_any_file(tree, program, field, absolute):
    path = outside(tree, absolute)
    plug_in = yaml.safe_dump({"apiVersion": "builtin", "kind": "PatchTransformer", "metadata": {"name": "p"}, "path": path,
                              "target": {"kind": "Service"}})
    fields = {"resources": {"resources": ["service.yaml", path]}, "components": {"components": [os.path.dirname(path)]},
              "configMapGenerator": {"configMapGenerator": [{"name": "c", "files": [path]}]},
              "patches": {"patches": [{"path": path, "target": {"kind": "Service"}}]}, "inline": {"transformers": [plug_in]}}[field]
    tree.write("flux.yaml", {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "app", "namespace": "f"},
                             "spec": {"interval": "1h", "prune": True, "path": "./app", "sourceRef": {"kind": "GitRepository", "name": "f"}}})
    tree.write("app/kustomization.yaml", with_fields(**fields))
    code, _ = tree.render(program)
    assert code == 1


def test_reads_the_repository_where_flux_loads_any_file(tree, program):
    tree.write("flux.yaml", {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "app", "namespace": "f"},
                             "spec": {"interval": "1h", "prune": True, "path": "./app", "sourceRef": {"kind": "GitRepository", "name": "f"}}})
    tree.write("shared/service.yaml", SERVICE.replace("name: web,", "name: shared,"))
    tree.write("app/kustomization.yaml", with_fields(resources=["../shared/service.yaml"]))
    code, printed = tree.render(program)
    assert code == 0, printed
    assert "a-shared" in printed


def test_reads_no_values_outside(tree, program):
    for place, tag in ((tree.folder, MARK), (tree.root, "inside")):
        (place / "values.yaml").write_text(f"proxyConfig: {{defaultTags: 'tag:{tag}'}}\n")
    (tree.root / "link.yaml").symlink_to("values.yaml")
    own = "https://git.example.com/a/b"

    def render(files):
        chart = {"repoURL": "https://charts.example.com", "chart": "tailscale-operator", "helm": {"valueFiles": [f"$values/{file}" for file in files]}}
        for name, sources in (("operator", [chart, {"repoURL": own, "ref": "values"}]), ("app", [{"repoURL": own, "path": "app"}])):
            tree.write(f"apps/{name}.yaml", {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name},
                                             "spec": {"project": "default", "sources": sources, "destination": {"name": "in-cluster", "namespace": "shop"}}})
        return tree.render(program)

    code, printed = render(["link.yaml"])
    assert code == 0 and "tag:inside" in printed, printed
    code, printed = render(["link.yaml", "../values.yaml", str(tree.folder / "values.yaml")])
    assert code == 1 and printed.count("[unread-values]") == 2 and f"tag:{MARK}" not in printed, printed

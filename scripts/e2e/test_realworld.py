"""Runs scripts/realworld on small checkouts: what renders and why not, and which devices only the engine's tools or only we have."""
import pathlib
import subprocess

import pytest

COVERS = ["renderer/load", "scripts/realworld", "scripts/realworld.d"]
PROGRAMS = ["flux", "helm3", "kustomize"]
SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "realworld"
SERVICE = """apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""
LOOSE = SERVICE.replace("namespace: shop, ", "")
PREFIXED = {"app/kustomization.yaml": "namePrefix: prod-\nresources: [service.yaml]\n", "app/service.yaml": SERVICE}


def flux(path, name="apps", extra=""):
    return f"""apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  interval: 1h
  prune: true
  path: {path}
  sourceRef: {{kind: GitRepository, name: flux-system}}
{extra}"""


def application(name, path, extra=""):
    return f"""apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: https://example.com/acme/fleet.git, path: {path}{extra}}}
  destination: {{server: https://kubernetes.default.svc, namespace: shop}}
"""


def bootstrap(*objects):
    return {"clusters/home/flux-system/gotk-sync.yaml": flux("./clusters/home", "flux-system"), "clusters/home/apps.yaml": "---\n".join(objects)}


# Maps files to the expected result: live/dead/other, devices.
TREES = {
    "kustomization": (PREFIXED, "1/0/0", 1),
    "loose files": ({"app/service.yaml": SERVICE, "app/values.yaml": "a: 1\n"}, "1/0/0", 1),
    "flux": ({**bootstrap(flux("./apps", extra="  targetNamespace: shop\n  postBuild: {substituteFrom: [{kind: ConfigMap, name: names}]}\n"),
                          flux("./idle", "idle", "  suspend: true\n")),
              "clusters/home/names.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: names, namespace: flux-system}\ndata: {NAME: web}\n",
              "apps/a/service.yaml": LOOSE.replace("name: web", 'name: "${NAME}"'), "apps/secret.yaml": "kind: ENC[AES256_GCM,data:AA==]\nsops: {}\n",
              "idle/service.yaml": SERVICE.replace("web", "idle")}, "3/0/0", 2),
    "remote resources and their patches": (
        {**bootstrap(flux("./apps")), "apps/service.yaml": SERVICE, "apps/kustomization.yaml":
         "resources: [service.yaml, https://example.com/web.yaml]\n"
         "patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web.v1, namespace: shop}, spec: {replicas: 2}}'}]\n"}, "2/0/0", 1),
    "argo": ({"root/a.yaml": application("a", "web", ", directory: {recurse: true, exclude: '{old.yaml,*.bak.yaml}'}"),
              "root/b.yaml": application("b", "chart", ", helm: {valuesObject: {expose: \"true\"}}"),
              "web/deep/service.yaml": LOOSE, "web/old.yaml": LOOSE.replace("web", "old"),
              "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
              "chart/templates/service.yaml": LOOSE.replace("name: web", "name: {{ .Release.Name }}").replace('"true"', "{{ quote .Values.expose }}")},
             "2/1/0", 2),
    "engines that apply nothing here": ({"root.yaml": application("db", "x").replace("example.com/acme/fleet.git, path: x", "charts.example.com, chart: db"),
                                         "web/service.yaml": SERVICE}, "1/0/1", 1),
}


@pytest.fixture
def table(tailrender, tools, tmp_path):
    def run(trees, *options, program=tailrender):
        roots = []
        for name, files in trees.items():
            roots.append(tmp_path / name)
            for path, text in files.items():
                (roots[-1] / path).parent.mkdir(parents=True, exist_ok=True)
                (roots[-1] / path).write_text(text)
        done = subprocess.run([SCRIPT, "--tailrender", program, "--tools", tools, *options, *roots], capture_output=True, text=True)
        assert not done.stderr
        rows = [[cell.strip() for cell in line.split("|")[1:-2]] for line in done.stdout.splitlines() if line.startswith("| ")][1:]
        run.unnamed = [row.pop() for row in rows]
        assert all(row.pop(1) == "" for row in rows), "commits of folders that are not checkouts"
        return rows, done.stdout.splitlines()[-1], done.returncode

    return run


@pytest.fixture
def without(tailrender, tmp_path):
    """Returns a program, one of whose verbs prints nothing."""
    def make(verb):
        path = tmp_path / "without"
        path.write_text(f'#!/bin/sh\n[ "$1" = {verb} ] || exec {tailrender} "$@"\n')
        path.chmod(0o755)
        return path

    return make


@pytest.mark.parametrize("name", TREES)
def test_counts_units_and_compares_their_devices(table, name):
    files, units, devices = TREES[name]
    assert table({name: files}) == ([[name, units, "yes", "", str(devices), "", "", "", "0"]], "1 of 1 render", 0)
    assert table.unnamed == ["1" if name == "argo" else ""], "old.yaml, which an Application excludes"


def test_tells_why_a_tree_does_not_render(table):
    trees = {"good": PREFIXED, "bad": {**PREFIXED, "app/service.yaml": LOOSE}}
    assert table(trees) == ([["good", "1/0/0", "yes", "", "1", "", "", "", "0"],
                             ["bad", "1/0/0", "no", "missing-namespace 1", "0", "", "", "missing-namespace 1", "0"]], "1 of 2 render", 0)


def test_tells_which_unit_is_broken(table):
    trees = {"broken": {"root/a.yaml": application("a", "web"), "root/b.yaml": application("b", "gone"), "web/service.yaml": LOOSE,
                        "went/service.yaml": LOOSE}}
    assert table(trees) == ([["broken", "1/2/0", "no", "broken-unit 1", "0", "", "", "", "0"]], "0 of 1 render", 0)


def test_names_a_device_that_only_the_engine_has(table, without):
    """This includes a generated kustomization: a program that renders nothing loses all devices."""
    files, units, _ = TREES["flux"]
    assert table({"flux": files}, program=without("render")) == (
        [["flux", units, "yes", "", "0", "svc/shop/idle, svc/shop/web", "", "", "0"]], "1 of 1 render", 1)
    assert table.unnamed == ["2"]


def test_names_a_device_that_only_we_have(table, without):
    assert table({"extra": PREFIXED}, program=without("post-render")) == (
        [["extra", "1/0/0", "yes", "", "1", "", "svc/shop/prod-web", "", "0"]], "1 of 1 render", 1)


def test_counts_units_that_do_not_build(table):
    files = {**bootstrap(flux("./apps")), "apps/kustomization.yaml": "resources: [gone.yaml]\n"}
    assert table({"broken": files}) == ([["broken", "2/0/0", "no", "empty-output 1", "0", "", "", "1 of 2", "0"]], "0 of 1 render", 0)


def test_takes_flags_for_a_checkout(table, tmp_path):
    two = {f"clusters/{name}/flux-system/gotk-sync.yaml": flux(f"./clusters/{name}", "flux-system") for name in ("home", "work")}
    two |= {f"clusters/{name}/web.yaml": SERVICE.replace("name: web", f"name: {name}") for name in ("home", "work")}
    (tmp_path / "flags").mkdir()
    (tmp_path / "flags/chosen").write_text("--cluster home\n")
    rows, last, _ = table({"chosen": two, "open": two}, "--flags-of", tmp_path / "flags")
    assert rows[0] == ["chosen", "1/0/1", "yes", "", "1", "", "", "", "0"]
    assert rows[1][2:5] == ["no", "several-clusters 1", "0"]
    assert last == "1 of 2 render"


def test_fixes_a_copy(table, tmp_path):
    egress = SERVICE.replace("tailscale.com/expose: \"true\"", "tailscale.com/tailnet-fqdn: db.tail1234.ts.net")
    egress = egress.replace("{selector: {app: web}, ports: [{port: 80}]}", "\n  type: ExternalName\n  externalName: placeholder")
    assert table({"egress": {"app/service.yaml": egress}})[0][0][2:4] == ["no", "source-edit 1"]
    assert table({"egress": {"app/service.yaml": egress}}, "--fix") == (
        [["egress", "1/0/0", "yes", "", "1", "", "", "", "0"]], "1 of 1 render", 0)
    assert (tmp_path / "egress/app/service.yaml").read_text() == egress

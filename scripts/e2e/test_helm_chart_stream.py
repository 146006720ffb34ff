"""Proves that nothing of the operator's chart gets lost when helm 3 or helm 4 renders it through tailrender.

Each stream of testdata/chart-streams becomes a chart whose templates are its documents. What helm prints with us behind it is compared
with what it prints alone: the same objects; only the operator's Deployment, its Role and its ClusterRole differ, and in those only what
the container runs and the rules. One stream has the operator serve the Kubernetes API: of it the operator's account may no longer impersonate, and a pod
of its own takes its place. Then a release of it lives on the API server: install, upgrade, rollback, uninstall, after which nothing is left.
"""
import json
import re

import pytest

from helm_ways import MARK, annotations, name_of, objects, way_of
from shared.checks import compare, run
from shared.fleet import ROOT
from shared.images import PROXY_IMAGE, RUNTIME_IMAGE

COVERS = ["plugins/helm3", "plugins/helm4", "renderer/generate/install", "renderer/engines/helm/values_files.cpp", "renderer/plan/install",
          "testdata/chart-streams"]
PROGRAMS = ["apiserver", "helm3", "helm4"]
RELEASE, NAMESPACE = "operator", "tailscale"
KINDS = ("configmap,secret,service,serviceaccount,deployment,statefulset,role,rolebinding,clusterrole,clusterrolebinding,ingressclass,"
         "customresourcedefinition")


def make_chart(stream, chart):
    """Writes a chart with a template for each document, with its bytes; text that looks like template code is escaped."""
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: tailscale-operator\nversion: 1.96.5\n", encoding="utf-8")
    text = (ROOT / "testdata" / "chart-streams" / f"{stream}.yaml").read_text(encoding="utf-8")
    parts = [part for part in re.split(r"(?m)^---[ \t]*\n", text) if part.strip()]
    for number, part in enumerate(parts):
        code = part.replace("{{", "{{ `{{` }}")
        (chart / "templates" / f"{number:02}.yaml").write_text(code, encoding="utf-8")


def without_controller(value):
    """Returns what must not change of the Deployment: everything but the fields that make its container run the controller
    (testdata/contract/controller.md)."""
    copy = json.loads(json.dumps(value))
    for container in copy["spec"]["template"]["spec"]["containers"]:
        for field in ("image", "imagePullPolicy", "args", "env", "ports", "livenessProbe", "readinessProbe"):
            container.pop(field, None)
    return copy


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster):
    run("kubectl", "create", "namespace", NAMESPACE)


@pytest.fixture(params=["executable3", "plugin4"])
def way(request, tailrender, tmp_path):
    return way_of(request.param, tailrender, tmp_path, NAMESPACE, ["--quiet", *(f"--set={one}" for one in (RUNTIME_IMAGE, PROXY_IMAGE))])


@pytest.fixture(scope="module")
def first():
    """Returns the result of each stream behind the first helm."""
    return {}


KEPT = {"Deployment": without_controller, "ClusterRole": lambda one: {**one, "rules": None}, "Role": lambda one: {**one, "rules": None},
        "ClusterRoleBinding": lambda one: {**one, "subjects": [subject for subject in one["subjects"] if subject["name"] != "operator"]}}
API = "kube-apiserver-proxy"


def check_template(way, chart, serves_api):
    """Checks which objects our post-renderer adds and changes. Returns all objects by name."""
    bare = objects(run(way.helm, "template", RELEASE, chart, "--namespace", NAMESPACE), NAMESPACE)
    posted = objects(way.change("template", RELEASE, chart), NAMESPACE)
    assert len(bare) > 8 and bare.keys() <= posted.keys()
    more = {f"{kind}/{NAMESPACE}/{API}" for kind in ("Role", "RoleBinding", "StatefulSet")} | {f"Secret/{NAMESPACE}/{API}-0-config"}
    assert posted.keys() - bare.keys() == (more if serves_api else set())
    changed = [name for name in bare if bare[name] != posted[name]]
    assert set(changed) == {f"ClusterRole/{NAMESPACE}/tailscale-operator", f"Deployment/{NAMESPACE}/operator", f"Role/{NAMESPACE}/operator",
                            *([f"ClusterRoleBinding/{NAMESPACE}/tailscale-auth-proxy"] if serves_api else [])}
    for name in changed:
        keep = KEPT[bare[name]["kind"]]
        assert keep(posted[name]) == keep(bare[name])
    return posted


def of_release():
    items = json.loads(run("kubectl", "get", KINDS, "--all-namespaces", "-o", "json"))["items"]
    return {name_of(item, NAMESPACE) for item in items if annotations(item).get(MARK) == RELEASE}


def list_custom_resources():
    """Lists the custom resources of a definition, so that the API server opens its storage. If the deletion were the first request, it
    could fail since the storage is being initialized; it is then not always retried, and the definition is never deleted (kube-apiserver
    1.35, crd_finalizer.go)."""
    for definition in json.loads(run("kubectl", "get", "customresourcedefinitions", "-o", "json"))["items"]:
        run("kubectl", "get", definition["metadata"]["name"], "--all-namespaces")


@pytest.mark.parametrize("stream", ["default", "ozilab", "with-crds"])
def test_stream(way, stream, tmp_path, first):
    chart = tmp_path / stream
    make_chart(stream, chart)
    posted = check_template(way, chart, stream == "ozilab")
    compare(posted, first.setdefault(stream, posted), "behind helm 4 and behind helm 3")
    for step in (lambda: way.change("install", RELEASE, chart), lambda: way.change("upgrade", RELEASE, chart), lambda: way.plain("rollback", RELEASE, "1")):
        step()
        assert of_release() == set(posted)
    list_custom_resources()
    way.plain("uninstall", RELEASE, "--wait")
    assert not of_release()

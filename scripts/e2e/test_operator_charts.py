"""The operator's real charts of all known releases, with a value for each key: through post-render, as a Fleet bundle and through install."""
import pytest
import yaml

from installed import STOCK
from parity_release import RELEASES, is_within
from shared.checks import attempt, documents, objects, run
from shared.images import RUNTIME, RUNTIME_IMAGE
from shared.operator_source import write_chart

COVERS = ["renderer/generate/install", "renderer/engines/helm/values_files.cpp", "renderer/plan/install", "renderer/plan/settings"]
PROGRAMS = ["helm3", "operator-charts"]
NAME, NAMESPACE = "relay", "ts-ops"
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}
spec: {ports: [{port: 80}]}
"""
VALUES = {
    "oauth": {"clientId": "", "clientSecret": "", "audience": ""}, "oauthSecretVolume": {"secret": {"secretName": "mine"}},
    "loginServer": "https://login.example.com", "installCRDs": True,
    "operatorConfig": {
        "defaultTags": ["tag:k8s-operator", "tag:b"], "image": {"repository": "example.com/k8s-operator", "tag": "", "digest": "", "pullPolicy": "IfNotPresent"},
        "logging": "debug", "hostname": "ops", "nodeSelector": {"kubernetes.io/os": "linux", "zone": "a"}, "resources": {"limits": {"memory": "1Gi"}},
        "podAnnotations": {"example.com/a": "1"}, "podLabels": {"team": "net"}, "serviceAccountAnnotations": {"example.com/b": "2"},
        "tolerations": [{"operator": "Exists"}], "affinity": {"nodeAffinity": {}}, "podSecurityContext": {"fsGroup": 7},
        "securityContext": {"readOnlyRootFilesystem": True}, "extraEnv": [{"name": "MINE", "value": "1"}]},
    "ingressClass": {"name": "ts", "enabled": True},
    "proxyConfig": {"image": {"repository": "example.com/tailscale", "tag": "", "digest": ""}, "defaultTags": "tag:k8s,tag:c", "firewallMode": "nftables",
                    "defaultProxyClass": ""},
    "apiServerProxyConfig": {"allowImpersonation": "true", "mode": "false"}, "imagePullSecrets": [{"name": "mirror"}],
    "tailrender": {"dataplane": "containerboot", "image": {"repository": RUNTIME}}}
NEWER = {"1.98": {"operatorConfig": {"priorityClassName": "system-cluster-critical"}}, "1.102": {"annotations": {"example.com/c": "3"}},
         "1.104": {"fullnameOverride": NAME, "nameOverride": "", "operatorConfig": {"sharedACMEAccountKey": True}}}
UNREAD = {"operatorConfig.annotations"}  # the chart has it, and no template reads it


def merged(base, more):
    return {key: merged(base[key], more[key]) if isinstance(base.get(key), dict) and isinstance(more.get(key), dict) else more.get(key, base.get(key))
            for key in {**base, **more}}


def leaves(values, path=""):
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{path}{key}.")
        else:
            yield path + key


@pytest.fixture(name="chart", params=RELEASES)
def fixture_chart(request, tmp_path):
    release, values = request.param, VALUES
    write_chart(tmp_path / "chart", release)
    for since, more in NEWER.items():
        values = merged(values, more) if is_within(release, since) else values
    known = set(leaves(yaml.safe_load((tmp_path / "chart" / "values.yaml").read_text(encoding="utf-8"))))
    lacking = {key for key in known - UNREAD if not any(key == one or one.startswith(key + ".") for one in leaves(values))}
    assert not lacking, f"the chart of {release} has values that are not tried here"
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return release, tmp_path / "chart", tmp_path / "values.yaml"


@pytest.fixture(autouse=True)
def namespace(cluster):
    attempt("kubectl", "create", "namespace", NAMESPACE)


def controller_of(found, release):
    name = NAME if is_within(release, "1.104") else "operator"
    names = {kind: name for kind in ("Deployment", "ServiceAccount", "Role", "RoleBinding")}
    cluster = "tailscale-operator" if name == "operator" else name
    for kind, want in {**names, "ClusterRole": cluster, "ClusterRoleBinding": cluster}.items():
        assert any(obj["kind"] == kind and obj["metadata"]["name"] == want for obj in found.values()), f"no {kind}/{want}"
    deployment = next(obj for obj in found.values() if obj["kind"] == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == name
    assert [one["args"] for one in pod["containers"]] == [["controller"]]
    assert pod.get("priorityClassName") == ("system-cluster-critical" if is_within(release, "1.98") else None)
    assert deployment["metadata"].get("annotations", {}).get("example.com/c") == ("3" if is_within(release, "1.102") else None)
    return deployment


def accepted(text):
    """Checks that the API server accepts everything. CRDs go first."""
    found = documents(text)
    definitions = [obj for obj in found if obj["kind"] == "CustomResourceDefinition"]
    if definitions:
        run("kubectl", "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=yaml.safe_dump_all(definitions))
    others = [obj for obj in found if obj["kind"] not in ("CustomResourceDefinition", "Namespace")]
    run("kubectl", "apply", "--server-side", "--dry-run=server", "-f", "-", stdin=yaml.safe_dump_all(others))


def said(*command, **how):
    """Returns the output of a program, which must print no warning and no error."""
    done = attempt(*command, **how)
    assert done.returncode == 0 and "warning" not in done.stderr and "error" not in done.stderr, done.stderr
    return done.stdout


def test_post_render(tailrender, tools, chart):
    release, folder, values = chart
    stream = run(tools / "helm", "template", "ts", folder, "--namespace", NAMESPACE, "--values", values)
    posted = said(tailrender, "post-render", "--set", STOCK, "--set", RUNTIME_IMAGE, stdin=stream)
    assert objects(documents(stream)).keys() == objects(documents(posted)).keys()
    controller_of(objects(documents(posted)), release)
    accepted(posted)


def test_bundle(tailrender, chart, tmp_path):
    release, _, values = chart
    tree = tmp_path / "tree"
    for bundle in ("op", "web"):
        (tree / bundle).mkdir(parents=True)
    head = {"defaultNamespace": NAMESPACE, "helm": {"chart": "tailscale-operator", "version": RELEASES[release], "values": yaml.safe_load(values.read_text("utf-8"))}}
    (tree / "op" / "fleet.yaml").write_text(yaml.safe_dump(head), encoding="utf-8")
    (tree / "web" / "fleet.yaml").write_text("defaultNamespace: shop\n", encoding="utf-8")
    (tree / "web" / "web.yaml").write_text(SERVICE, encoding="utf-8")
    text = said(tailrender, "render", tree)
    found = objects(documents(text))
    controller_of(found, release)
    proxy = next(obj for obj in found.values() if obj["kind"] == "StatefulSet")
    assert proxy["spec"]["template"]["spec"]["containers"][0]["image"] == f"example.com/tailscale:v{RELEASES[release]}"
    accounts = [obj.get("imagePullSecrets") for obj in found.values() if obj["kind"] == "ServiceAccount" and obj["metadata"]["name"].startswith("ts-web")]
    assert accounts == [[{"name": "mirror"}] if is_within(release, "1.104") else None]


def test_install(tailrender, chart):
    release, _, values = chart
    text = said(tailrender, "install", "--namespace", NAMESPACE, "--values", values, "--set", f"tailrender.operatorVersion={release}",
                "--set", "tailrender.customResources=emit")
    controller_of(objects(documents(text)), release)
    accepted(text)

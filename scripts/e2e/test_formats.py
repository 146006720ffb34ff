"""Proves that what tailrender prints for programs is what their schemas and readers take.

SARIF is judged by the schema of SARIF 2.1.0, which is part of a reader of it, and by that reader, JUnit XML by a parser of XML, commands of GitHub by the escapes that its runner undoes. The
inputs are trees with mistakes and with names that try to be more than text. Reports and diagnostics in JSON are judged by docs/formats.json, and
the policy of docs/formats.md judges a change by the real conftest. The schemas of the files that users write agree with the program.
"""
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import pytest

from shared.checks import attempt, run
from shared.fleet import ROOT

COVERS = ["docs/diagnostics.md", "docs/formats.json", "docs/formats.md", "renderer/cli", "renderer/diff", "renderer/graph"]
PROGRAMS = ["formats", "conftest"]
pytestmark = pytest.mark.usefixtures("tools")
MODULE = ROOT / "scripts/e2e/modules/formats"
SCHEMA = ROOT / "docs/formats.json"
SERVICE = """apiVersion: v1
kind: Service
metadata: {{name: web, namespace: shop, annotations: {{tailscale.com/expose: "{exposed}", tailscale.com/tags: {tags}}}}}
spec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}
"""
COMMAND = re.compile(r"::(error|warning)(?: file=([^,:]+)(?:,line=(\d+),col=(\d+))?)?::(.*)")
ARGUMENTS = {
    "good": ["render", "."],
    "mistakes": ["render", "."],
    "hostile": ["lint", "."],
    "no_such_flag": ["render", ".", "--clutser", "home"],
    "no_such_directory": ["render", "nowhere"],
    "no_such_object": ["explain", "Service/shop/none", "."],
}
CODES = {"good": 0, "no_such_flag": 2}


def tree(folder, kind):
    files = {"web.yaml": SERVICE.format(exposed="true", tags="tag:web")}
    if kind == "mistakes":
        files |= {"web.yaml": SERVICE.format(exposed="true", tags="web"), "a b/é,%.yaml": SERVICE.format(exposed="yes", tags="tag:a").replace("web", "b"),
                  "broken.yaml": "kind: [\n"}
    if kind == "hostile":
        tags = r'"tag:\n::error::x\e[2J\u202e##[error]]]><&%0A\uffff"'
        files |= {"web.yaml": SERVICE.format(exposed="true", tags=tags), "a\n::error::b\x1b.yaml": "kind: [\n"}
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


@pytest.fixture(params=ARGUMENTS)
def said(request, tailrender, tmp_path):
    """What a run says in a format: to standard error and into a file, which are the same but for what a log must not get."""
    folder = tmp_path / "tree"
    folder.mkdir()
    tree(folder, request.param)

    def diagnostics(form):
        file, words = tmp_path / f"of.{form}", [tailrender, *ARGUMENTS[request.param]]
        done = subprocess.run([*words, "--diagnostics", form], cwd=folder, capture_output=True, check=False)
        again = subprocess.run([*words, "--diagnostics", f"{form}={file}"], cwd=folder, capture_output=True, check=False)
        assert done.returncode == again.returncode == CODES.get(request.param, 1), done.stderr
        assert b"\x1b" not in done.stderr and "\u202e".encode() not in done.stderr
        return file, done.stderr.decode()
    diagnostics.kind = request.param
    return diagnostics


@pytest.fixture(scope="module")
def sarif_schema(tmp_path_factory):
    reader = json.loads(run("go", "mod", "download", "-json", "github.com/owenrumney/go-sarif/v3", cwd=MODULE, env={"GOFLAGS": "-mod=readonly"}))
    source = pathlib.Path(reader["Dir"], "pkg/report/v210/sarif/schema.go").read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("schema") / "sarif.json"
    path.write_text(source[source.index("`") + 1:source.rindex("`")], encoding="utf-8")
    return path


def test_sarif(said, sarif_schema):
    file, text = said("sarif")
    run("formats", "schema", sarif_schema, file)
    run("formats", "sarif", file)
    report = json.loads(file.read_text(encoding="utf-8"))
    assert json.loads(text) == report
    one, = report["runs"]
    ids = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    assert all("help" in rule and "shortDescription" in rule for rule in one["tool"]["driver"]["rules"])
    assert all(ids[result["ruleIndex"]] == result["ruleId"] for result in one["results"])
    notifications = one["invocations"][0].get("toolConfigurationNotifications", [])
    assert (len(one["results"]) + len(notifications) > 0) == (said.kind != "good")


def test_json_and_gitlab(said):
    file, text = said("json")
    report = json.loads(file.read_text(encoding="utf-8"))
    assert json.loads(text) == report
    run("formats", "schema", SCHEMA, file)
    found = report["diagnostics"]
    assert report["errors"] + report["warnings"] == len(found) == len(json.loads(said("gitlab")[1]))
    assert all(one["cause"] and one["remedy"] for one in found)
    fingerprints = [one["fingerprint"] for one in json.loads(said("gitlab")[1])]
    assert len(set(fingerprints)) == len(fingerprints)


def test_junit(said):
    file, text = said("junit")
    suite, = xml.etree.ElementTree.fromstring(file.read_text(encoding="utf-8"))
    xml.etree.ElementTree.fromstring(text)
    count = json.loads(said("json")[1])
    assert int(suite.get("failures")) == len(suite.findall(".//failure")) == count["errors"]
    assert int(suite.get("skipped")) == len(suite.findall(".//skipped")) == count["warnings"]
    assert int(suite.get("tests")) == len(suite.findall("testcase"))


def test_github(said):
    """Each line that is a command is one of the diagnostics."""
    commands = [line for line in said("github")[1].splitlines() if line.lstrip().startswith("::") or "##[" in line]
    matches = [COMMAND.fullmatch(line) for line in commands]
    assert all(matches), commands
    want = json.loads(said("json")[1])["diagnostics"]
    decode = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}
    found = [(one[1], re.sub("%(25|0D|0A|3A|2C)", lambda code: decode[code[0]], one[2] or "")) for one in matches]
    assert found == [(one["severity"], one.get("file", "")) for one in want]


FUNNEL = """apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: NAME, namespace: shop, annotations: {tailscale.com/funnel: "true"}}
spec: {ingressClassName: tailscale, tls: [{hosts: [NAME]}], defaultBackend: {service: {name: web, port: {number: 80}}}}
"""
GROUP = """apiVersion: tailscale.com/v1alpha1
kind: ProxyGroup
metadata: {name: gate}
spec: {type: ingress, replicas: 2}
---
apiVersion: v1
kind: Service
metadata: {name: docs, namespace: shop, annotations: {tailscale.com/proxy-group: gate}}
spec: {type: LoadBalancer, loadBalancerClass: tailscale, selector: {app: docs}, ports: [{port: 80}]}
"""
UNIT = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {interval: 1h, path: ./apps, prune: true, suspend: true, sourceRef: {kind: GitRepository, name: flux-system}}
"""
POLICY = '{"tagOwners": {"tag:web": []}, "grants": [{"src": ["group:dev"], "dst": ["tag:web", "svc:shop-docs"], "ip": ["*"]}]}'
REPORTS = {
    "devices": ["devices", "."], "images": ["images", "."], "lint": ["lint", "."], "checks": ["lint", "--list"], "roots": ["roots", "."],
    "check": ["check", ".", "-o", "../out"], "diff": ["diff", "../base", "."],
    "access": ["access", ".", "--policy", "../policy.hujson", "--from", "group:dev"], "graph": ["graph", "."], "graph of a change": ["graph", "../base", "."],
    "explain": ["explain", "Service/shop/docs", "."], "explain of a parent": ["explain", "Ingress/shop/shop", "."],
}


@pytest.fixture(scope="module")
def change(tmp_path_factory):
    """A folder with the sources of before, "base", and of now, "head"."""
    folder = tmp_path_factory.mktemp("change")
    for side in ("base", "head"):
        (folder / side / "apps").mkdir(parents=True)
        (folder / side / "apps/web.yaml").write_text(SERVICE.format(exposed="true", tags="tag:web"))
        (folder / side / "clusters").mkdir()
        (folder / side / "clusters/apps.yaml").write_text(UNIT)
    (folder / "base/old.yaml").write_text(SERVICE.format(exposed="true", tags="tag:web").replace("web", "old"))
    (folder / "head/group.yaml").write_text(GROUP)
    (folder / "policy.hujson").write_text(POLICY)
    (folder / "head/shop.yaml").write_text(FUNNEL.replace("NAME", "shop"))
    return folder


@pytest.mark.parametrize("name", REPORTS)
def test_reports(change, tailrender, tmp_path, name):
    done = subprocess.run([tailrender, *REPORTS[name], "--format", "json"], cwd=change / "head", capture_output=True, check=False)
    assert done.returncode == (3 if name == "check" else 0), done.stderr
    (tmp_path / "report.json").write_bytes(done.stdout)
    run("formats", "schema", SCHEMA, tmp_path / "report.json")
    assert json.loads(done.stdout)["report"] == name.split()[0]


def test_schema_knows_what_is_no_report(tmp_path):
    for wrong in ({"version": 2, "report": "images", "images": []}, {"version": 1, "report": "images", "images": [], "more": 1}, []):
        (tmp_path / "wrong.json").write_text(json.dumps(wrong))
        assert attempt("formats", "schema", SCHEMA, tmp_path / "wrong.json").returncode == 1


def test_policy_of_the_documentation(change, tailrender, tmp_path):
    page = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy/tailnet.rego").write_text(re.search(r"^```rego\n(.*?)^```$", page, re.M | re.S)[1])

    def judged(base, head):
        report = run(tailrender, "diff", "--format", "json", base, head, cwd=change)
        done = attempt("conftest", "test", "-", stdin=report, cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    code, said = judged("head", "head")
    assert code == 0, said
    code, said = judged("base", "head")
    assert code == 1 and "device shop-old would be removed" in said and "would be public" not in said, said
    (change / "head/other.yaml").write_text(FUNNEL.replace("NAME", "other"))
    code, said = judged("base", "head")
    assert code == 1 and "Ingress/shop/other would be public: https:443/" in said, said


IMAGE = {"repository": "registry.example.com/tailrender-proxy"}
VALUES = [
    ({}, True), ({"tailrender": {"dataplane": "native", "proxyImage": IMAGE}}, True), ({"tailrender": {"dataplan": "native"}}, False),
    ({"tailrender": {"dataplane": "nativ"}}, False), ({"tailrender": {"dataplane": ""}}, True), ({"tailrender": {"serviceMonitors": None}}, True),
    ({"tailrender": {"proxyImage": {"tags": "v1"}}}, False), ({"tailrender": {"externalSecret": {"clientId": {"key": 1}}}}, False),
    ({"operatorConfig": {"logging": "loud"}}, True), ({"operatorConfig": {"logging": 1}}, False), ({"noKeyOfTheChart": 1}, True),
    ({"operatorConfig": {"noKeyOfTheChart": 1}}, True), ({"installCRDs": "true"}, False), ({"apiServerProxyConfig": {"mode": True}}, True),
    ({"proxyConfig": {"defaultTags": ["tag:k8s"]}}, False), ({"operatorConfig": {"defaultTags": ["tag:k8s"]}}, True), (["tailrender"], False),
]


@pytest.mark.parametrize("values, is_right", VALUES)
@pytest.mark.parametrize("name", ["values", "config"])
def test_schemas_of_what_users_write(tailrender, tmp_path, name, values, is_right):
    """The schema and the program agree. In .tailrender.yaml the values are those of a cluster."""
    tree(tmp_path, "good")
    document = {"clusters": [{"name": "home", "values": values}]} if name == "config" else values
    file = tmp_path / (".tailrender.yaml" if name == "config" else "values.json")
    file.write_text(json.dumps(document), encoding="utf-8")
    words = [] if name == "config" else ["--values", file]
    done = attempt(tailrender, "devices", tmp_path / "web.yaml" if name == "values" else tmp_path, *words)
    assert (done.returncode == 0) == is_right, done.stderr
    judged(tailrender, tmp_path, name, file, is_right)


@pytest.mark.parametrize("config, is_right", [
    ({"ignore": ["old"], "substitute": {"CLUSTER": "home"}}, True), ({"ignore": "old"}, False), ({"cluster": []}, False),
    ({"clusters": [{"name": "home", "labels": {"env": "lab"}, "bundles": ["*"], "kubernetesVersion": 1.35}]}, True),
    ({"clusters": [{"name": "home", "labels": {"env": 1}}]}, False), ({"clusters": {"name": "home"}}, False),
])
def test_schema_of_the_configuration(tailrender, tmp_path, config, is_right):
    tree(tmp_path, "good")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "notes.txt").touch()
    file = tmp_path / ".tailrender.yaml"
    file.write_text(json.dumps(config), encoding="utf-8")
    done = attempt(tailrender, "devices", tmp_path)
    assert (done.returncode == 0) == is_right, done.stderr
    judged(tailrender, tmp_path, "config", file, is_right)


def judged(tailrender, folder, name, file, is_right):
    schema = folder / "schema.json"
    schema.write_text(run(tailrender, "schema", name), encoding="utf-8")
    judgement = attempt("formats", "schema", schema, file)
    schema.unlink()
    assert judgement.returncode == (0 if is_right else 1), judgement.stderr

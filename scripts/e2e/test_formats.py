"""Proves that what tailrender prints for programs is what their schemas and readers take.

SARIF is judged by the schema of SARIF 2.1.0, which is part of a reader of it, and by that reader, JUnit XML by a parser of XML, commands of GitHub by the escapes that its runner undoes. The
inputs are trees with mistakes and with names that try to be more than text.
"""
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import pytest

from shared.checks import run
from shared.fleet import ROOT

COVERS = ["docs/diagnostics.md", "renderer/cli"]
PROGRAMS = ["formats"]
pytestmark = pytest.mark.usefixtures("tools")
MODULE = ROOT / "scripts/e2e/modules/formats"
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

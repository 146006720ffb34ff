"""Proves in the lab that the controller runs from the operator's real chart of every known release, as helm and `post-render` make it.

Each release's chart is installed in a separate namespace, that of 1.104 under another name, and removed again. Its controller has logged in
to the tailnet and leads.
"""
import pytest
import yaml

from audit import LEASE
from harness import Lab
from parity_release import RELEASES, is_within
from shared.checks import documents, objects, run, wait_for_definitions
from shared.operator_source import write_chart

COVERS = ["renderer/generate/install", "renderer/plan/install"]
PROGRAMS = ["lab", "helm3", "operator-charts"]
NAME = "relay"
IMAGE = ("--set", "tailrender.image.repository=lab/runtime", "--set", "tailrender.image.tag=1.0.0", "--set", "tailrender.image.pullPolicy=Never")


@pytest.fixture(scope="module")
def lab(tools, runtime):
    with Lab() as found:
        found.verb("image", "lab/runtime:1.0.0", str(runtime))
        yield found


def values(lab, release):
    found = {"oauth": {"clientId": lab.inner["LAB_OAUTH_ID"], "clientSecret": lab.inner["LAB_OAUTH_SECRET"]}, "loginServer": lab.tailnet.url,
             "operatorConfig": {"logging": "debug"}}
    return {**found, "fullnameOverride": NAME} if is_within(release, "1.104") else found


@pytest.mark.parametrize("release", RELEASES)
def test_controller_runs(lab, tailrender, tools, tmp_path, release):
    namespace, name = "ts-" + release.replace(".", "-"), NAME if is_within(release, "1.104") else "operator"
    write_chart(tmp_path / "chart", release)
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values(lab, release)), encoding="utf-8")
    stream = run(tools / "helm", "template", "ts", tmp_path / "chart", "--namespace", namespace, "--values", tmp_path / "values.yaml")
    posted = documents(run(tailrender, "post-render", "--quiet", *IMAGE, stdin=stream))
    assert objects(documents(stream)).keys() == objects(posted).keys(), "objects of the chart, and those that are applied"
    definitions = [item for item in posted if item["kind"] == "CustomResourceDefinition"]
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}] + definitions)
    wait_for_definitions(lab.kubectl, [item["metadata"]["name"] for item in definitions])
    others = [item for item in posted if item["kind"] != "CustomResourceDefinition"]
    lab.apply(others)
    lab.kubectl("rollout", "status", "deployment", name, "-n", namespace, "--timeout", "120s")

    def leads():
        holder = (lab.get("lease", LEASE, "-n", namespace) or {"spec": {}})["spec"].get("holderIdentity", "")
        return holder.startswith(name + "-")
    lab.wait("the controller leads", leads)
    lab.wait("it has asked for the tailnet's keys", lambda: "tailrender-devices" in lab.kubectl("get", "configmap", "-n", namespace, "-o", "name"))
    warnings = [item["message"] for item in lab.items("events", "-n", namespace) if item["type"] == "Warning" and item["reason"].startswith("Cannot")]
    assert warnings == [], "what it could not do"
    lab.delete(others)
    lab.wait("its pod is deleted", lambda: not lab.items("pod", "-n", namespace))

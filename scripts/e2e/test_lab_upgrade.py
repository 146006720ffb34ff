"""Proves in the lab that a fleet moves from the oldest supported release of the operator to the newest, in place, and back.

All of examples/fleet is applied as 1.96.5 renders it, and every proxy joins with that release's containerboot and k8s-proxy. Then its
chart's version becomes 1.104.5, as docs/upgrading.md describes, and 1.96.5 again. Each time `diff` lists the pods that restart: those do,
and no others. Every proxy keeps its device and addresses, without a new key, and forwards traffic.
The differences from a user's cluster are those of lab_headline, and K8S_PROXY_IMAGE, which has the release as well. Left out: Recorder
"sessions", which has no image here.
"""
import json
import shutil

import pytest

import example_fleet
from example_fleet import DOMAIN, Fleet, apply_on_the_server, by_hand, has_joined, places_outside
from harness import Lab
from hello import page
from installed import NAMESPACE, STOCK, data_of, usable_keys
from shared.checks import documents, run

COVERS = ["docs/upgrading.md", "examples/fleet", "renderer/diff", "renderer/plan/release.cpp", "renderer/plan/versions.cpp"]
PROGRAMS = ["lab"]
OLD, NEW = "1.96.5", "1.104.5"
CAPABILITY = {OLD: "133", NEW: "148"}
BUNDLE, VALUES = "tailscale-operator/fleet.yaml", "tailscale-operator/overlays/ozilab/values.yaml"
IMAGE = "tailscale/k8s-proxy:v"
WITHOUT_IMAGE = ("sessions-0",)
RECORDER = f"StatefulSet/{NAMESPACE}/sessions"


@pytest.fixture(scope="module")
def lab(tools, runtime):
    with Lab(TAILRENDER_LAB_DOMAIN=DOMAIN) as found:
        found.verb("image", "lab/runtime:1.0.0", str(runtime))
        found.verb("image", "lab/curl:1", shutil.which("curl"))
        for version in (OLD, NEW):
            found.verb("release", version.rpartition(".")[0])
        places_outside(found)
        yield found


@pytest.fixture(scope="module")
def fleet(lab, tailrender, scratch):
    found = Fleet(tailrender, scratch, lab.tailnet.url, [STOCK])
    found.edit(BUNDLE, "version: " + NEW, "version: " + OLD)
    found.edit(VALUES, "operatorConfig:\n", f"operatorConfig:\n  extraEnv: [{{name: K8S_PROXY_IMAGE, value: {IMAGE}{OLD}}}]\n")
    by_hand(lab, found)
    return found


def change(fleet, old, new):
    """Changes the release. Returns the workloads whose pods `diff` says to restart."""
    before = fleet.tree.with_name("before-" + new)
    shutil.copytree(fleet.tree, before)
    fleet.edit(BUNDLE, "version: " + old, "version: " + new)
    fleet.edit(VALUES, IMAGE + old, IMAGE + new)
    report = run(fleet.tailrender, "diff", before, fleet.tree, "--cluster", "ozilab", "--format", "json", *fleet.settings())
    [cluster] = json.loads(report)["clusters"]
    return {restart["workload"] for restart in cluster["restarts"]} - {RECORDER}


def owner(lab, pod):
    [found] = pod["metadata"]["ownerReferences"]
    if found["kind"] == "ReplicaSet":
        [found] = lab.get("replicaset", found["name"], "-n", NAMESPACE)["metadata"]["ownerReferences"]
    return f"{found['kind']}/{NAMESPACE}/{found['name']}"


def pods(lab):
    """Maps each workload to its pods."""
    found = {}
    for pod in lab.get("pod", "-n", NAMESPACE)["items"]:
        if "deletionTimestamp" not in pod["metadata"]:
            found.setdefault(owner(lab, pod), set()).add(pod["metadata"]["uid"])
    return {workload: uids for workload, uids in found.items() if workload != RECORDER}


def roll_out(lab, text):
    apply_on_the_server(lab, text)
    for item in documents(text):
        workload = f"{item['kind']}/{NAMESPACE}/{item['metadata']['name']}"
        if item["kind"] in ("StatefulSet", "Deployment") and item["metadata"]["namespace"] == NAMESPACE and workload != RECORDER:
            # A pod of an egress group may take six minutes to end: it waits until no one uses it.
            lab.kubectl("rollout", "status", item["kind"].lower(), item["metadata"]["name"], "-n", NAMESPACE, "--timeout", "480s")


def devices(lab, text, version):
    """Maps each pod to its device, once a pod of this version has joined."""
    def joined(proxy):
        return data_of(lab, proxy.pod).get("tailscale_capver") == CAPABILITY[version] and has_joined(lab, proxy)
    found = {}
    for proxy in example_fleet.proxies(text, WITHOUT_IMAGE):
        device = lab.tailnet.device(lab.wait(f"{proxy.pod} joins as {proxy.hostname} with {version}", lambda proxy=proxy: joined(proxy)))
        found[proxy.pod] = {key: device[key] for key in ("nodeId", "name", "addresses")}
    return found


def carries_traffic(lab, name):
    assert lab.wait("a page from hello", lambda: page(lab, "hello." + DOMAIN)) == "hello from the lab\n"
    words = ("-sS", "--max-time", "10", "--retry", "60", "--retry-delay", "2", "--retry-all-errors", "http://warehouse:5432/")
    lab.kubectl("run", name, "-n", "apps", "--image=lab/curl:1", "--image-pull-policy=Never", "--restart=Never", "--", *words)
    lab.wait("a pod reaches the warehouse", lambda: lab.get("pod", name, "-n", "apps")["status"]["phase"] == "Succeeded")


def keys(lab):
    return sorted(key["id"] for key in lab.tailnet.state()["keys"])


@pytest.fixture(scope="module")
def before(lab, fleet):
    """Returns the devices of the old release."""
    text = fleet.rendered()
    roll_out(lab, text)
    return devices(lab, text, OLD)


def test_all_join_with_the_old_release(lab, before):
    carries_traffic(lab, "before")
    lab.wait("only the Recorder's key could still be used", lambda: len(usable_keys(lab)) == 1)


@pytest.mark.parametrize(("old", "new"), ((OLD, NEW), (NEW, OLD)))
def test_changed_in_place(lab, fleet, before, old, new):
    running, minted, named = pods(lab), keys(lab), change(fleet, old, new)
    text = fleet.rendered()
    roll_out(lab, text)
    assert devices(lab, text, new) == before, "devices"
    now = pods(lab)
    assert {workload for workload in running if not running[workload] & now[workload]} == named, "workloads whose pods are all other ones"
    assert {workload for workload in running if running[workload] != now[workload]} == named, "those with another pod"
    assert keys(lab) == minted, "keys that were ever minted"
    carries_traffic(lab, "after-" + new.replace(".", "-"))

"""Runs many proxies, kills the controller among them, and measures its requests to the API server when nothing changes.

--count rendered Services (200 by default) are on a real API server: their pods are never scheduled, and the test plays their devices with
the keys that the controller minted. All get keys, a line in the table of devices and their status. Then the audit log shows that the
controller only watches and renews its Lease. A second one, the rendered Deployment with workload identity, is ready and does nothing. The
first is killed while it mints keys for another fifth; the second takes over: no key is lost, no device is duplicate, and it becomes quiet
as well. That fifth is deleted and leaves nothing. The first ones disappear all at once: none of them is removed until the annotation with
the token confirms it, and then all are.
"""
import base64
import json
import pathlib
import statistics
import subprocess
import threading
import time

import pytest

from audit import LEASE, created, moment, stays_quiet
from harness import Lab
from hello import namespaces_first
from installed import NAMESPACE, VALUES, answer_of, metrics_of, rendered_controller, usable_keys
from shared.checks import rendered
from shared.controller_process import environment

COVERS = ["runtime/controller", "runtime/tailnet"]
PROGRAMS = ["lab"]
ON_THEIR_WAY, DELAY = 5, "15s"  # keys that are being minted when the first controller is killed
CLEANUP_SECONDS = 20  # longer than the API server takes to delete everything
BLOCKED = 'tailrender_removal_blocked{of="proxies"}'


def services(first, count):
    return [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"web-{i:04}", "namespace": "apps"},
             "spec": {"type": "LoadBalancer", "loadBalancerClass": "tailscale", "selector": {"app": "none"}, "ports": [{"port": 80}]}}
            for i in range(first, first + count)]


@pytest.fixture(scope="module")
def count(request):
    return request.config.getoption("count") or 200


@pytest.fixture(scope="module")
def lab(tools, runtime):
    with Lab() as found:
        found.verb("image", "lab/runtime:1", str(runtime))
        yield found


@pytest.fixture(scope="module")
def federated(lab):
    """The OAuth client of workload identity."""
    return lab.inner["LAB_OAUTH_ID"] + "-federated"


@pytest.fixture(scope="module")
def installed(lab, tailrender, federated):
    """Applies everything except the pod."""
    controller = rendered_controller(lab, tailrender, {"oauth": {"clientId": federated, "audience": "api.tailscale.com/" + federated},
                                                       "tailrender": VALUES["tailrender"] | {"cleanupDelay": f"{CLEANUP_SECONDS}s"}})
    next(item for item in controller if item["kind"] == "Deployment")["spec"]["replicas"] = 0
    namespaces_first(lab, controller)


@pytest.fixture(scope="module")
def render(lab, tailrender):
    """Returns the objects of `count` Services from that number on."""
    def objects(first, count):
        found = rendered(tailrender, services(first, count), {"loginServer": lab.tailnet.url, "tailrender": VALUES["tailrender"]})
        for item in found:
            if item["kind"] == "StatefulSet":
                item["spec"]["template"]["spec"]["nodeSelector"] = {"no-node": "has-this"}
        return found
    return objects


@pytest.fixture(scope="module")
def process(lab, runtime, installed, scratch):
    """Runs a controller with the rendered account, as a process that can be killed for good."""
    files = {"ca.crt": lab.run("sh", "-c", "cat $LAB/ca.crt"), "token": lab.kubectl("create", "token", "operator", "-n", NAMESPACE, "--duration=6h"),
             "client_id": lab.inner["LAB_OAUTH_ID"], "client_secret": lab.inner["LAB_OAUTH_SECRET"]}
    its_environment = environment(scratch, ("10.96.0.1", "443"), lab.tailnet.url, files, CLEANUP_DELAY_SECONDS="2", POD_NAME="first")
    with open(scratch / "log", "w", encoding="utf-8") as log:
        process = subprocess.Popen([runtime, "controller"], env=its_environment, preexec_fn=lab.enter, stdout=log, stderr=log)
    try:
        lab.wait("the first controller leads", lambda: leader(lab).startswith("first"))
        yield process
    finally:
        process.kill()
        process.wait()
        if lab.has_failed():
            print((scratch / "log").read_text(encoding="utf-8")[-6000:])


def lease(lab):
    return (lab.get("lease", LEASE, "-n", NAMESPACE) or {}).get("spec") or {}


def leader(lab):
    return lease(lab).get("holderIdentity") or ""


def secrets(lab, kind):
    found = lab.get("secret", "-n", NAMESPACE, "-l", "tailrender.dev/secret=" + kind) or {"items": []}
    return {item["metadata"]["name"]: item for item in found["items"]}


def keys_in(lab):
    """Returns {pod: auth key} for the pods that have one."""
    found = {name.removesuffix("-auth"): base64.b64decode(item["data"]["authkey"]).decode() for name, item in secrets(lab, "auth").items()}
    return {pod: key for pod, key in found.items() if key}


def ledger(lab):
    return lab.get("configmap", "tailrender-devices", "-n", NAMESPACE).get("data") or {}


def blocked_removals(lab):
    return json.loads(ledger(lab).get("blocked-removals.json", "{}"))


def uids(lab):
    return {item["metadata"]["name"]: item["metadata"]["uid"] for item in lab.get("pod", "-n", NAMESPACE)["items"]}


def pods_of(objects):
    return {item["metadata"]["name"] + "-0" for item in objects if item["kind"] == "StatefulSet"}


def play_devices(lab, objects):
    """Each proxy joins with its key, and writes what containerboot would write."""
    hostnames = {item["metadata"]["name"] + "-0": item["metadata"]["annotations"]["tailrender.dev/hostname"]
                 for item in objects if item["kind"] == "StatefulSet"}
    keys = lab.wait("every proxy has its key", lambda: (found := keys_in(lab)).keys() >= hostnames.keys() and found)
    pods = lab.wait("every proxy has its pod", lambda: (found := uids(lab)).keys() >= hostnames.keys() and found)
    written = []
    for pod, hostname in hostnames.items():
        device = lab.tailnet.join(hostname, keys[pod])
        data = {"device_id": device["nodeId"], "device_fqdn": device["name"] + ".", "device_ips": json.dumps(device["addresses"]),
                "pod_uid": pods[pod], "tailscale_capver": "131"}
        written.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": pod, "namespace": NAMESPACE}, "stringData": data})
    lab.apply(written, "pod")
    return set(hostnames.values())


def all_have_status(lab, hostnames):
    domain = lab.inner["LAB_DOMAIN"]

    def known():
        found = [item["status"]["loadBalancer"].get("ingress", [{}])[0].get("hostname") for item in lab.get("service", "-n", "apps")["items"]]
        return set(found) == {f"{name}.{domain}" for name in hostnames}

    def in_table():
        maps = [item for item in lab.items("configmaps", "-n", NAMESPACE) if item["metadata"]["name"].startswith("tailrender-devices")]
        lines = [line for item in maps for line in (item.get("data") or {}).get("devices.jsonl", "").splitlines()]
        states = [json.loads(line)["state"] for line in lines]
        assert states == ["joined"] * len(hostnames), f"{len(states)} lines, {sorted(set(states))}"
        return True
    lab.wait("every Service has its device's name", known)
    lab.wait("every device is in the table", in_table)
    lab.wait("no key is left", lambda: not keys_in(lab))
    lab.wait("no key can be used any more, not even one that was never delivered", lambda: not usable_keys(lab))
    names = sorted(device["name"] for device in lab.tailnet.state()["devices"] if not device.get("deletedBy") and device["name"].startswith("apps-web-"))
    assert names == sorted(f"{name}.{domain}" for name in hostnames), "devices in the tailnet"


def print_seconds(lab, objects):
    """Prints the time from the creation of a StatefulSet to that of its auth Secret: the median, and the longest."""
    sets, made = created(lab, "statefulsets"), created(lab, "secrets")
    names = [item["metadata"]["name"] for item in objects if item["kind"] == "StatefulSet"]
    seconds = sorted(made[name + "-0-auth"] - sets[name] for name in names)
    print(f"auth Secrets {statistics.median(seconds):.3f} s after their StatefulSet, the last {seconds[-1]:.3f} s", flush=True)


def memory(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(("VmRSS", "VmHWM"))}


def devices_of(lab, objects):
    """Returns the devices of these proxies, including deleted ones."""
    hostnames = {item["metadata"]["annotations"]["tailrender.dev/hostname"] for item in objects if item["kind"] == "StatefulSet"}
    return [device for device in lab.tailnet.state()["devices"] if device["name"].split(".")[0] in hostnames]


def nothing_is_left(lab, objects):
    for kind, end in (("state", ""), ("auth", "-auth")):
        wanted = {pod + end for pod in pods_of(objects)}
        lab.wait(f"{kind} Secrets are deleted", lambda wanted=wanted, kind=kind: not wanted & secrets(lab, kind).keys())
    assert [device["name"] for device in devices_of(lab, objects) if not device.get("deletedBy")] == [], "devices of deleted proxies"
    assert usable_keys(lab) == [], "keys that could still be used"


@pytest.fixture(scope="module")
def objects(lab, process, render, count):
    objects = render(0, count)
    lab.apply(objects)
    return objects


@pytest.fixture(scope="module")
def hostnames(lab, objects):
    return play_devices(lab, objects)


def test_all_have_status(lab, objects, hostnames):
    print_seconds(lab, objects)
    all_have_status(lab, hostnames)


def test_rests(lab, process, hostnames):
    print(stays_quiet(lab, 45))
    used = memory(process)
    print(f"{len(hostnames)} proxies: {used['VmRSS']:.1f} MB, at most {used['VmHWM']:.1f} MB")


def test_the_second_is_ready_and_does_nothing(lab, hostnames):
    """While another controller leads, the one of the Deployment sends only the requests for the Lease."""
    lab.kubectl("scale", "deployment", "operator", "-n", NAMESPACE, "--replicas=1")
    lab.wait("the second controller is ready", lambda: lab.get("deployment", "operator", "-n", NAMESPACE)["status"].get("readyReplicas"))
    assert answer_of(lab, "/readyz") == "ok\n", "/readyz of the second controller"
    found = metrics_of(lab)
    assert "tailrender_leader" in found
    idle = {name: value for name, value in found.items() if not name.startswith("tailrender_api_") or 'api="tailnet"' in name}
    assert {name: value for name, value in idle.items() if value != 0} == {}, "metrics of the second controller"
    assert leader(lab).startswith("first")


@pytest.fixture(scope="module")
def more(lab, process, render, count):
    """Adds another fifth: the first controller is killed while it mints, and more is applied."""
    objects, fifth = render(count, count // 5), count // 5
    lab.tailnet.fault("slow", count=ON_THEIR_WAY, delay=DELAY)
    applying = threading.Thread(target=lab.apply, args=(objects,))
    applying.start()
    lab.wait("the first controller mints", lambda: keys_in(lab).keys() & pods_of(objects))
    process.kill()
    out, renewed = len(keys_in(lab)), []
    assert out <= fifth - ON_THEIR_WAY

    def another_leads():
        now = lease(lab)
        if now["holderIdentity"].startswith("first"):
            renewed.append(moment(now["renewTime"]))
        return not now["holderIdentity"].startswith("first") and now
    second = lab.wait("the second controller leads", another_leads)
    seconds = moment(second["acquireTime"]) - renewed[-1]
    applying.join()
    print(f"killed with {out} of {fifth} keys out; \"{second['holderIdentity']}\" leads {seconds:.1f} s after the last renewal")
    return objects


def test_the_second_takes_over(lab, hostnames, more):
    lab.wait("the second controller says that it leads", lambda: metrics_of(lab)["tailrender_leader"] == 1)
    all_have_status(lab, hostnames | play_devices(lab, more))
    print(stays_quiet(lab, 20))


def test_deleted_proxies_leave_nothing(lab, more):
    lab.kubectl("delete", "statefulset", *(pod.removesuffix("-0") for pod in pods_of(more)), "-n", NAMESPACE, "--wait=false")
    nothing_is_left(lab, more)


def nothing_goes_without_a_word(lab, objects):
    """Checks that no proxy is removed without a confirmation, and returns the token that confirms."""
    pods = pods_of(objects)
    lab.kubectl("delete", "--raw", f"/apis/apps/v1/namespaces/{NAMESPACE}/statefulsets")
    token = lab.wait("all of them are named", lambda: (found := blocked_removals(lab)).get("pods") == sorted(pods) and found["token"])
    words = f'{len(pods)} proxies have disappeared: none is removed until the annotation tailrender.dev/confirm-removals on this ConfigMap is "{token}"'
    event = lab.wait("an Event with the token", lambda: next(
        (item for item in lab.get("events", "-n", NAMESPACE)["items"] if item["reason"] == "RemovalsBlocked" and token in item["message"]), None))
    assert (event["type"], event["involvedObject"]["kind"], event["involvedObject"]["name"], event["message"]) == ("Warning", "ConfigMap", "tailrender-devices", words)
    lab.wait("all are known to be gone", lambda: all(
        "tailrender.dev/gone-since" in item["metadata"].get("annotations", {}) for item in secrets(lab, "auth").values()))
    print(f"all {len(pods)} gone: {stays_quiet(lab, CLEANUP_SECONDS + 10)}", flush=True)
    assert [device["name"] for device in devices_of(lab, objects) if device.get("deletedBy")] == [], "devices that were removed without a cause"
    assert (secrets(lab, "state").keys(), secrets(lab, "auth").keys()) == (pods, {pod + "-auth" for pod in pods}), "Secrets whose removal is not confirmed"
    assert blocked_removals(lab) == {"token": token, "pods": sorted(pods)}, "what is blocked"
    assert metrics_of(lab)[BLOCKED] == 1
    return token


def a_word_removes_all(lab, objects, token):
    began = time.monotonic()
    lab.kubectl("annotate", "--overwrite", "configmap", "tailrender-devices", "-n", NAMESPACE, f"tailrender.dev/confirm-removals={token}")
    nothing_is_left(lab, objects)
    print(f"{len(pods_of(objects))} removed {time.monotonic() - began:.1f} s after the word", flush=True)
    lab.wait("nothing is blocked", lambda: not blocked_removals(lab) and metrics_of(lab)[BLOCKED] == 0)
    lab.wait("tailrender-devices says nothing of them", lambda: list(ledger(lab)) == ["owner"])


def test_nothing_goes_without_a_word(lab, objects, hostnames):
    a_word_removes_all(lab, objects, nothing_goes_without_a_word(lab, objects))


def test_workload_identity_did_it(lab, federated, objects, more):
    """After the take-over every request came from the client without a secret."""
    assert {device["deletedBy"] for device in devices_of(lab, objects + more)} == {federated}, "who deleted the devices"
    minted = {key["id"]: key["client"] for key in lab.tailnet.state()["keys"]}
    assert {minted[device["key"]] for device in devices_of(lab, objects)} == {lab.inner["LAB_OAUTH_ID"]}, "who minted for the first proxies"
    count = sum(minted[device["key"]] == federated for device in devices_of(lab, more))
    assert count >= ON_THEIR_WAY, f"workload identity has minted {count} of the {len(devices_of(lab, more))} keys of the later proxies"
    print(f"workload identity has minted {count} keys and deleted {len(devices_of(lab, objects + more))} devices", flush=True)

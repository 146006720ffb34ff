"""Proves in the lab that a user only has to apply rendered objects: the controller does the rest.

The runtime runs as the rendered Deployment, with the rendered account and rights. A rendered proxy gets its Secrets, takes over the name of
a device that an earlier cluster has left, joins with its own key and serves a page; its Service gets its status, and `status` and /metrics
show it; while the controller does not run, `status` says why, and what may be out of date; the key is used up and blank afterwards; a
device that a person deleted is replaced; objects that are deleted from the cluster leave no Secret, no device and no key. The rendered
objects are applied again: nothing changes. A device of the same name that is online is not touched. At last the rendered nameserver runs:
pods and glibc resolve the name of an egress Service, and a new one without a restart.
"""
import json
import time

import pytest

from audit import created, moment
from hello import namespaces_first, page, rendered
from installed import NAMESPACE, VALUES, data_of, give_proxy_image, joins, lab_with_controller, metrics_of, usable_keys
from names import names_follow
from owners import applied_again_nothing_changes

COVERS = ["runtime/controller", "runtime/operate/cleanup", "runtime/tailnet"]
PROGRAMS = ["lab"]
MARK = "tag:rebuilt"
OURS = VALUES["tailrender"] | {"takeOverTag": MARK}
METRICS = {"tailrender_" + name for name in (
    "leader", "replicas", "devices", "steps_running", "retries_total", "keys_minted_total", "keys_expiring", "removal_blocked",
    "api_requests_total", "api_failures_total", "api_refusals_total", "api_request_seconds_sum", "api_request_seconds_count")}


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime, proxy):
    with lab_with_controller(tailrender, runtime, {"tailrender": OURS}) as found:
        give_proxy_image(found, tailrender, proxy)
        yield found


@pytest.fixture(scope="module")
def objects(lab, tailrender):
    return rendered(tailrender, lab.tailnet.url, "tailrender.takeOverTag=" + MARK)


@pytest.fixture(scope="module")
def stateful_set(objects):
    return next(item for item in objects if item["kind"] == "StatefulSet")


@pytest.fixture(scope="module")
def pod(stateful_set):
    return stateful_set["metadata"]["name"] + "-0"


@pytest.fixture(scope="module")
def old(lab, stateful_set):
    return left_by_an_earlier_cluster(lab, stateful_set, online=False)


@pytest.fixture(scope="module")
def device(lab, old, objects, pod):
    begun = time.time()
    namespaces_first(lab, objects)
    device = joins(lab, pod)
    print_seconds_to_join(lab, pod, device, begun)
    return device


def print_seconds_to_join(lab, pod, device, begun):
    """Prints the time from the creation of the StatefulSet to that of the later one of its Secrets, and the time from `begun`, before all
    was applied, to the device."""
    secrets = created(lab, "secrets")
    made = max(secrets[pod], secrets[pod + "-auth"]) - created(lab, "statefulsets")[pod.removesuffix("-0")]
    joined = moment(lab.tailnet.device(device)["created"]) - begun
    print(f"Secrets {made:.3f} s after the StatefulSet, device in the tailnet {joined:.1f} s after it was applied")


def left_by_an_earlier_cluster(lab, stateful_set, online):
    """A device with the name and the tags of the proxy."""
    annotations = stateful_set["metadata"]["annotations"]
    key = lab.tailnet.mint(annotations["tailrender.dev/tags"].split(","))["key"]
    device = lab.tailnet.join(annotations["tailrender.dev/hostname"], key)["nodeId"]
    lab.tailnet.ok("POST", "/admin/devices/" + device, {"connected": online, "lastSeen": "2026-01-01T00:00:00Z"})
    assert lab.tailnet.device(device)["name"] == "apps-hello-lb." + lab.inner["LAB_DOMAIN"], "name of the old device"
    return device


def event_says(lab, reason, words):
    event = lab.wait(f"an Event {reason}", lambda: next(
        (item for item in lab.get("events", "-n", "apps")["items"] if item["reason"] == reason), None))
    assert (event["involvedObject"]["name"], words in event["message"]) == ("hello-lb", True), f"Event {reason}: {event['message']}"


def test_joins_by_itself(lab, device):
    name = "apps-hello-lb." + lab.inner["LAB_DOMAIN"]
    assert lab.tailnet.device(device)["name"] == name
    assert lab.wait("a page through the proxy", lambda: page(lab, name)) == "hello from the lab\n"


def test_takes_over(lab, old, device):
    assert lab.tailnet.device(old).get("deletedBy") == lab.inner["LAB_OAUTH_ID"]
    event_says(lab, "DeviceTakenOver", f'device "{old}" ')


def test_says_what_has_become_of_it(lab, device, pod):
    """Checks the status of the Service, the table of devices, and an Event about an annotation that the controller does not support."""
    name = "apps-hello-lb." + lab.inner["LAB_DOMAIN"]

    def status():
        found = lab.get("service", "hello-lb", "-n", "apps")["status"]
        return found if any(item["status"] == "True" for item in found.get("conditions", [])) else None
    found = lab.wait("the Service has its status", status)
    addresses = json.loads(data_of(lab, pod)["device_ips"])
    ingress = found["loadBalancer"]["ingress"]
    assert [item.get("hostname") for item in ingress[:1]] == [name], "name in the status"
    assert sorted(item["ip"] for item in ingress[1:]) == sorted(addresses), "addresses in the status"
    assert [(item["type"], item["reason"]) for item in found["conditions"]] == [("TailscaleProxyReady", "ProxyCreated")], "conditions"

    def line():
        table = (lab.get("configmap", "tailrender-devices", "-n", NAMESPACE).get("data") or {}).get("devices.jsonl", "")
        lines = [json.loads(line) for line in table.splitlines()]
        return next((line for line in lines if line["pod"] == pod and line["state"] == "joined"), None)
    found = lab.wait("the table of devices", line)
    assert (found["parent"], found["fqdn"], found["addresses"]) == ("Service/apps/hello-lb", name, addresses), "line of the table"

    later = {"apiVersion": "apps/v1", "kind": "StatefulSet",
             "metadata": {"name": "later", "namespace": NAMESPACE, "annotations": {"tailrender.dev/contract": "v9"}},
             "spec": {"replicas": 0, "serviceName": "later", "selector": {"matchLabels": {"app": "later"}},
                      "template": {"metadata": {"labels": {"app": "later"}}, "spec": {"containers": [{"name": "c", "image": "lab/hello:1"}]}}}}
    lab.apply([later])
    event = lab.wait("an Event about the unknown contract", lambda: next(
        (item for item in lab.get("events", "-n", NAMESPACE)["items"] if item["involvedObject"]["name"] == "later" and
         item["reason"] == "UnknownContract"), None))
    assert (event["count"], event["type"], event["source"]["component"]) == (1, "Warning", "tailrender-controller"), "the Event"
    lab.kubectl("delete", "statefulset", "later", "-n", NAMESPACE)


def test_tells_of_it(lab, runtime, stateful_set, device, pod):
    """Checks the output of `status`, and /metrics for Prometheus."""
    code, said = lab.as_a_person(runtime, "status", "-o", "wide")
    assert code == 0, f"exit code of status, which says\n{said}\n"
    name, annotations = "apps-hello-lb." + lab.inner["LAB_DOMAIN"], stateful_set["metadata"]["annotations"]
    addresses = ",".join(json.loads(data_of(lab, pod)["device_ips"]))
    first, header, row = (line.split() for line in said.splitlines())
    assert (first, header) == (["controller:", "running"], ["NAME", "STATE", "FQDN", "PARENT", "HOSTNAME", "ADDRESSES", "TAGS", "TAILNET", "AGE", "PROBLEM"])
    age = row.pop(-2)
    assert row == [pod, "joined", name, "Service/apps/hello-lb", "apps-hello-lb", addresses, annotations["tailrender.dev/tags"], "-", "-"], "status"
    assert age[:-1].isdigit() and age[-1] in "sm"

    found = metrics_of(lab)
    assert {metric.split("{")[0] for metric in found} == METRICS, "metrics"
    for metric, value in (("leader", 1), ("replicas", 1), ("keys_minted_total", 1), ("keys_expiring", 0),
                          ('removal_blocked{of="proxies"}', 0), ('removal_blocked{of="services"}', 0),
                          ('devices{state="joined"}', 1), ('devices{state="waiting"}', 0), ('devices{state="restarting"}', 0),
                          ('devices{state="leaving"}', 0)):
        assert found["tailrender_" + metric] == value
    for api in ("kubernetes", "tailnet"):
        for metric in ("requests_total", "request_seconds_count", "request_seconds_sum"):
            name = f'tailrender_api_{metric}{{api="{api}"}}'
            assert found[name] > 0


def status_says(lab, runtime, first, row, words):
    """Returns whether the exit code is 1, the first line begins so, and the last column of the row has the words."""
    code, said = lab.as_a_person(runtime, "status")
    lines = said.splitlines()
    found = next((line.split() for line in lines if line.startswith(row[0] + " ")), [])
    return code == 1 and lines[0].startswith(first) and found[:2] == row and words in said


def test_status_does_not_believe_the_dead(lab, runtime, stateful_set, device, pod):
    """While the controller does not run, its table is old."""
    def controller(replicas, image):
        lab.kubectl("set", "image", "deployment/operator", "operator=" + image, "-n", NAMESPACE)
        lab.kubectl("scale", "deployment/operator", "-n", NAMESPACE, "--replicas", str(replicas))

    def becomes(first, row, words):
        lab.wait(f"status says {first} … {row} … {words}", lambda: status_says(lab, runtime, first, row, words))
    controller(0, "lab/none:1")
    becomes('controller: not running (Deployment "operator" is scaled to 0); devices are as of 2', [pod, "joined"], " -\n")
    controller(1, "lab/none:1")
    becomes('controller: not running (Deployment "operator": 0 of 1 ready; its pod: ErrImageNeverPull lab/none:1); ', [pod, "joined"], " -\n")
    lab.apply([stateful_set | {"spec": stateful_set["spec"] | {"replicas": 0}}])
    becomes("controller: not running ", [pod, "leaving"], "its StatefulSet has 0 replicas")
    lab.apply([stateful_set])
    controller(1, "lab/runtime:1")
    lab.wait("the controller runs again", lambda: lab.as_a_person(runtime, "status")[0] == 0)
    joins(lab, pod)


def test_deleted_device_comes_back(lab, pod, device):
    lab.tailnet.ok("DELETE", "/admin/devices/" + device)
    lab.kubectl("delete", "pod", pod, "-n", NAMESPACE, "--grace-period", "1")
    new = joins(lab, pod, old=device)
    assert lab.tailnet.device(new)["name"] == "apps-hello-lb." + lab.inner["LAB_DOMAIN"], "name of the new device"


def test_applied_again_nothing_changes(lab, objects, device):
    applied = [item for item in objects if item["kind"] != "Namespace"]
    applied_again_nothing_changes(lab, applied, lambda: lab.apply(applied))


def test_deleted_proxy_leaves_nothing(lab, objects, device, pod):
    for item in objects:
        if item["metadata"].get("labels", {}).get("tailscale.com/parent-resource") == "hello-lb":
            lab.kubectl("delete", item["kind"].lower(), item["metadata"]["name"], "-n", NAMESPACE, "--wait=false")
    for name in (pod, pod + "-auth"):
        lab.wait(f"Secret {name} is deleted", lambda name=name: lab.get("secret", name, "-n", NAMESPACE) is None)
    left = [device["name"] for device in lab.tailnet.state()["devices"] if not device.get("deletedBy") and device["name"].startswith("apps-hello-lb")]
    assert left == [], "devices"
    assert usable_keys(lab) == [], "keys that could still be used"


def test_leaves_what_is_online(lab, objects, stateful_set, pod):
    online = left_by_an_earlier_cluster(lab, stateful_set, online=True)
    begun = time.time()
    lab.apply([item for item in objects if item["kind"] != "Namespace"])
    device = joins(lab, pod)
    print_seconds_to_join(lab, pod, device, begun)
    assert lab.tailnet.device(device)["name"] == "apps-hello-lb-1." + lab.inner["LAB_DOMAIN"], "name of the device"
    assert lab.tailnet.device(online).get("deletedBy") is None, "who deleted the device that is online"
    event_says(lab, "DeviceNotTakenOver", f'device "{online}" ')


def test_names_follow(lab, tailrender):
    lab.verb("join", "elsewhere")  # the proxy is ready only once the tailnet has the name
    names_follow(lab, tailrender, {"loginServer": lab.tailnet.url, "tailrender": OURS})

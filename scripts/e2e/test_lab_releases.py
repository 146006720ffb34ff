"""Proves in the lab that the controller serves pods that keep data about their device.

A rendered proxy runs containerboot of the default release. Since 1.98 containerboot keeps data about its device in its state Secret, and
waits ten minutes for a key that it has requested. It joins; a request for a key beside an existing device is removed, and mints none; a
device that a person deleted is replaced before those ten minutes have passed, by another one of the same name.
"""
import json
import time

import pytest

from hello import namespaces_first, rendered
from installed import NAMESPACE, STOCK, data_of, joins, lab_with_controller

COVERS = ["renderer/plan/release.cpp", "renderer/plan/versions.cpp"]
PROGRAMS = ["lab"]
CAPABILITY = "148"
NAME = "apps-hello-lb"
REQUEST = "reissue_authkey"


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime):
    with lab_with_controller(tailrender, runtime) as found:
        yield found


@pytest.fixture(scope="module")
def pod(lab, tailrender):
    objects = rendered(tailrender, lab.tailnet.url, STOCK)
    proxy = next(item for item in objects if item["kind"] == "StatefulSet")
    namespaces_first(lab, objects)
    return proxy["metadata"]["name"] + "-0"


@pytest.fixture(scope="module")
def device(lab, pod):
    return joins(lab, pod)


def keys(lab):
    return [key["id"] for key in lab.tailnet.state()["keys"]]


def test_joins(lab, pod, device):
    assert data_of(lab, pod)["tailscale_capver"] == CAPABILITY
    assert lab.tailnet.device(device)["name"] == f"{NAME}.{lab.inner['LAB_DOMAIN']}"


def test_request_beside_a_device_that_is_there(lab, pod, device):
    before = keys(lab)
    lab.kubectl("patch", "secret", pod, "-n", NAMESPACE, "--type", "merge", "-p", json.dumps({"stringData": {REQUEST: "file:"}}))
    lab.wait("the request is taken off", lambda: REQUEST not in data_of(lab, pod))
    assert (keys(lab), data_of(lab, pod)["device_id"]) == (before, device), "keys, and the device"


def test_deleted_device_comes_back(lab, pod, device):
    begun = time.monotonic()
    lab.tailnet.ok("DELETE", "/admin/devices/" + device)
    lab.kubectl("delete", "pod", pod, "-n", NAMESPACE, "--grace-period", "1")
    new = joins(lab, pod, old=device)
    print(f"joined again after {time.monotonic() - begun:.0f} s")
    assert lab.tailnet.device(new)["name"] == f"{NAME}.{lab.inner['LAB_DOMAIN']}", "name of the new device"
    assert REQUEST not in data_of(lab, pod), "the request"

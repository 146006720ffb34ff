"""Proves in the lab that a PeerRelay needs only its rendered objects, and load balancers.

It is rendered with two replicas; stock containerboot and tailscaled run in its pods. They join before any load balancer has an address. The
test plays the load balancers: it gives one Service an address and the other one a hostname, which the controller resolves with the
cluster's DNS. tailscaled reloads its configuration with these endpoints, without a restart, and the status of the PeerRelay lists them. A
static endpoint that is rendered later is added, with its port. A replica that is removed takes its device and its Secrets along, and so
does everything else when the PeerRelay is deleted.
"""
import json

import pytest
import yaml

from custom_resources import install_crds
from hello import namespaces_first
from installed import NAMESPACE, STOCK, data_of, install_controller, lab_with_runtime, usable_keys
from shared.checks import documents, run
from shared.images import OWN_IMAGES

COVERS = ["runtime/controller/relays", "runtime/dns", "testdata/chart-streams/with-crds.yaml"]
PROGRAMS = ["lab"]
CAPABILITY = "148"
SET = "peerrelay-edge"
PODS = (SET + "-0", SET + "-1")
KEY = f"cap-{CAPABILITY}.hujson"
ENDPOINTS = "RelayServerStaticEndpoints"
ADDRESS, STATIC = "192.0.2.10", "192.0.2.10:443"
HOSTNAME, BEHIND = "kubernetes.default.svc.cluster.local", "10.96.0.1"
PORT = 40000


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime):
    with lab_with_runtime(runtime) as found:
        # This comes first: the controller looks for a missing kind only every ten minutes.
        install_crds(found, run(tailrender, "install", "--quiet", *OWN_IMAGES, "--set", "tailrender.customResources=emit"))
        install_controller(found, tailrender)
        yield found


def resource(replicas, **spec):
    return {"apiVersion": "tailscale.com/v1alpha1", "kind": "PeerRelay", "metadata": {"name": "edge"},
            "spec": {"replicas": replicas, "service": {"port": PORT}, **spec}}


@pytest.fixture(scope="module")
def render(lab, tailrender, tmp_path_factory):
    """Renders a PeerRelay and applies it and its objects. Returns all of these objects."""
    folder = tmp_path_factory.mktemp("relay")

    def apply(relay):
        (folder / "relay.yaml").write_text(yaml.safe_dump(relay), encoding="utf-8")
        objects = documents(run(tailrender, "render", folder, "--quiet", "--set", "loginServer=" + lab.tailnet.url, "--set", STOCK))
        objects = [item for item in objects if item["kind"] != "PeerRelay"] + [relay]
        namespaces_first(lab, objects)
        return objects
    return apply


@pytest.fixture(scope="module")
def devices(lab, render):
    render(resource(2))

    def device(pod):
        data = data_of(lab, pod)
        return data.get("device_fqdn") and data["device_id"]
    found = {pod: lab.wait(f"{pod} joins", lambda pod=pod: device(pod)) for pod in PODS}
    lab.wait("no key could still be used", lambda: not usable_keys(lab))
    return found


def balance(lab, pod, **ingress):
    status = {"status": {"loadBalancer": {"ingress": [ingress]}}}
    lab.kubectl("patch", "service", pod, "-n", NAMESPACE, "--subresource", "status", "--type", "merge", "-p", json.dumps(status))


def preferences(lab, pod):
    return json.loads(lab.kubectl("exec", pod, "-n", NAMESPACE, "--", "tailscale", "--socket=/tmp/tailscaled.sock", "debug", "prefs"))


def status(lab):
    """Returns reason and message of the condition, and the endpoints."""
    found = lab.get("peerrelay", "edge").get("status", {})
    [condition] = found.get("conditions", [{"reason": "", "message": ""}])
    return condition["reason"], condition["message"], [(one["replica"], one["address"], one["port"]) for one in found.get("endpoints", [])]


def uids(lab):
    found = {item["metadata"]["name"]: item["metadata"]["uid"] for item in lab.items("pod", "-n", NAMESPACE)}
    return [found[pod] for pod in PODS]


def test_joins_before_there_is_an_address(lab, devices):
    for ordinal, pod in enumerate(PODS):
        assert data_of(lab, pod)["tailscale_capver"] == CAPABILITY
        assert lab.tailnet.device(devices[pod])["name"] == f"edge-{ordinal}.{lab.inner['LAB_DOMAIN']}", "name of the device"
        config = data_of(lab, pod + "-config")
        assert config.keys() == {KEY} and ENDPOINTS not in json.loads(config[KEY])
        assert preferences(lab, pod)["RelayServerPort"] == PORT
    assert lab.wait("the status", lambda: status(lab)[0] and status(lab)) == ("EndpointsPending", "0 of 2 replicas have an endpoint", [])


def test_pods_are_told_their_endpoints(lab, devices):
    before = uids(lab)
    balance(lab, PODS[0], ip=ADDRESS)
    lab.wait("one has an endpoint", lambda: status(lab)[1] == "1 of 2 replicas have an endpoint")
    balance(lab, PODS[1], hostname=HOSTNAME)
    wanted = [(0, ADDRESS, PORT), (1, BEHIND, PORT)]
    lab.wait("the status", lambda: status(lab) == ("PeerRelayReady", "PeerRelayReady", wanted))
    for pod, address in zip(PODS, (ADDRESS, BEHIND)):
        lab.wait("tailscaled has read it", lambda: preferences(lab, pod).get(ENDPOINTS) == [f"{address}:{PORT}"])
    assert uids(lab) == before, "pods were restarted"


def test_static_endpoint_is_added(lab, devices, render):
    before = uids(lab)
    render(resource(2, staticEndpoints=[STATIC]))
    wanted = [(0, ADDRESS, 443), (1, BEHIND, PORT), (1, ADDRESS, 443)]
    lab.wait("the status", lambda: status(lab)[2] == sorted(wanted))
    lab.wait("tailscaled has read it", lambda: preferences(lab, PODS[1]).get(ENDPOINTS) == [f"{BEHIND}:{PORT}", STATIC])
    assert uids(lab) == before, "pods were restarted"


def left_of(lab, pod):
    return [name for name in (pod, pod + "-auth", pod + "-config") if lab.get("secret", name, "-n", NAMESPACE)]


def is_deleted(lab, device):
    return lab.tailnet.device(device).get("deletedBy")


def test_replica_is_taken_off(lab, devices, render):
    last = render(resource(1))
    lab.delete([{"apiVersion": "v1", "kind": "Service", "metadata": {"name": PODS[1], "namespace": NAMESPACE}}])  # as an applier prunes it
    assert not any(item["metadata"]["name"] == PODS[1] for item in last)
    lab.wait("its device is deleted", lambda: is_deleted(lab, devices[PODS[1]]))
    lab.wait("its Secrets are deleted", lambda: left_of(lab, PODS[1]) == [])
    assert not is_deleted(lab, devices[PODS[0]]), "device of the other replica"
    assert left_of(lab, PODS[0]) == [PODS[0], PODS[0] + "-auth", PODS[0] + "-config"]
    lab.wait("the status", lambda: status(lab) == ("PeerRelayReady", "PeerRelayReady", [(0, ADDRESS, PORT)]))


def test_nothing_is_left(lab, devices, render):
    lab.delete([item for item in render(resource(1)) if item["kind"] != "Namespace"])

    def is_gone():
        lab.confirm_removals()  # it is the last proxy
        return left_of(lab, PODS[0]) == []
    lab.wait("its Secrets are deleted", is_gone)
    assert is_deleted(lab, devices[PODS[0]])
    assert [key["id"] for key in lab.tailnet.state()["keys"] if not key.get("spent") and not key.get("revoked")] == [], "keys"

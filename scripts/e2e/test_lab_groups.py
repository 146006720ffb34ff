"""Proves in the lab that groups which the tailnet reaches need only their rendered objects.

The groups "front" and "kube" of examples/fleet are rendered and applied, with our controller running. Stock containerboot joins and takes
over the addresses that the tailnet gave Service broker; both Tailscale Services are registered and reached, by one machine through one pod
and by another through the other, and through the remaining one when a pod is lost. Service and Ingress have the addresses in their status;
the certificate is ordered once, by one pod, and served by both; a renewed one is read by one pod after the other; `status` lists the
services, and what is deleted from the cluster is deleted from the tailnet. All is applied again, and with the controller stopped, `cleanup`
removes what an uninstall would leave behind, and nothing of other users or clusters.
The lab has no image of k8s-proxy: the test plays it, and where it writes a certificate. It renews the other one itself.
"""
import json

import pytest

from authority import orders, serial, signed, trusted_page
from example_fleet import DOMAIN, Fleet, serves_a_page
from hello import namespaces_first
from installed import NAMESPACE, STOCK, data_of, lab_with_controller, rendered_controller, usable_keys
from shared.checks import documents
from uninstall import cleanup_leaves_what_is_not_ours, leave_the_cluster

COVERS = ["examples/fleet", "renderer/generate/group", "renderer/plan/group", "runtime/controller/ingress_groups"]
PROGRAMS = ["lab"]
DOCS, API, BROKER = (f"{name}.{DOMAIN}" for name in ("docs", "ozilab-api", "broker"))
MACHINES = ("client", "other")
HELLO = "hello from the lab\n"
PARENTS = {("Ingress", "docs"), ("Service", "broker"), ("Service", "shop-web"), ("ConfigMap", "tailrender-group-front"),
           ("ConfigMap", "tailrender-group-kube"), ("ServiceAccount", "kube-apiserver-auth-proxy")}


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime):
    with lab_with_controller(tailrender, runtime, TAILRENDER_LAB_DOMAIN=DOMAIN) as found:
        found.verb("join", MACHINES[1])
        yield found


@pytest.fixture(scope="module")
def objects(lab, tailrender, scratch):
    """The objects of the two groups, and what they publish; they are applied."""
    text = Fleet(tailrender, scratch, lab.tailnet.url, [STOCK], lab.inner["LAB_ACME"]).rendered()
    chosen = []
    for item in documents(text):
        labels = item["metadata"].get("labels", {})
        group = labels.get("tailscale.com/parent-resource") if labels.get("tailscale.com/parent-resource-type") == "proxygroup" else None
        if group in ("front", "kube") or (item["kind"], item["metadata"]["name"]) in PARENTS:
            chosen.append(item)
    namespaces_first(lab, chosen)
    lab.apply([serves_a_page("shop-web", "apps"), serves_a_page("broker", "apps", "exec httpd -f -p 1883 -h /www")], "by-hand")
    return chosen


def services(lab):
    return lab.tailnet.state()["services"]


def table(lab):
    found = lab.get("configmap", "tailrender-ingress-addresses", "-n", NAMESPACE) or {}
    return {key: json.loads(text) for key, text in (found.get("data") or {}).items() if key != "owner"}


def fill(lab, secret, certificate, key):
    """Writes a certificate as pod 0 does."""
    lab.kubectl("patch", "secret", secret, "-n", NAMESPACE, "--type", "merge", "-p", json.dumps({"stringData": {"tls.crt": certificate, "tls.key": key}}))


def pod_uid(lab, name):
    pod = lab.get("pod", name, "-n", NAMESPACE)
    ready = pod and any(part["type"] == "Ready" and part["status"] == "True" for part in pod["status"].get("conditions", []))
    return pod["metadata"]["uid"] if ready else ""


def test_services_are_registered(lab, objects):
    for name in ("svc:docs", "svc:broker"):
        lab.wait(f"{name} is registered", lambda name=name: name in services(lab))
    docs = services(lab)["svc:docs"]
    assert (docs["ports"], docs["tags"]) == (["tcp:443", "tcp:80"], ["tag:k8s", "tag:ozilab"]), "svc:docs"
    [owner] = json.loads(docs["annotations"]["tailscale.com/owner-references"])["ownerRefs"]
    assert owner["operatorID"].startswith("tailrender-") is True, "owner"
    assert lab.get("secret", DOCS, "-n", NAMESPACE)["type"] == "kubernetes.io/tls", "certificate's Secret"


def told(lab, group, certificate):
    """Returns what the group's pods last got of the certificate."""
    return table(lab).get("certificates", {}).get(group, {}).get(certificate)


def config_of(lab, pod):
    return json.loads(data_of(lab, pod + "-config").get("config.hujson", "{}"))


def test_api_proxies_follow_their_configuration(lab, objects):
    keys = {pod: lab.wait(f"{pod} has a key", lambda pod=pod: config_of(lab, pod).get("AuthKey")) for pod in ("kube-0", "kube-1")}
    # The pod kube-1 is created only when kube-0 is ready.
    device = lab.tailnet.join("kube-0", keys["kube-0"])
    uid = lab.wait("the pod exists", lambda: lab.get("pod", "kube-0", "-n", NAMESPACE))["metadata"]["uid"]
    lab.kubectl("patch", "secret", "kube-0", "-n", NAMESPACE, "--type", "merge", "-p", json.dumps(
        {"stringData": {"device_id": device["nodeId"], "device_fqdn": "kube-0.tail1a2b3.ts.net.", "pod_uid": uid}}))
    lab.wait("the key of kube-0 is blank", lambda: "AuthKey" not in config_of(lab, "kube-0"))
    api = lab.wait("svc:ozilab-api is registered", lambda: services(lab).get("svc:ozilab-api"))
    [owner] = json.loads(api["annotations"]["tailscale.com/owner-references"])["ownerRefs"]
    assert (owner["resource"]["kind"], owner["resource"]["name"]) == ("ProxyGroup", "kube"), "owner"
    assert ("AdvertiseServices" in config_of(lab, "kube-0")) is False, "advertised without certificate"
    fill(lab, API, "certificate", "its key")
    for pod in keys:
        lab.wait(f"{pod} advertises", lambda pod=pod: config_of(lab, pod).get("AdvertiseServices") == ["svc:ozilab-api"])
    lab.wait("only the key of kube-1 could still be used", lambda: len(usable_keys(lab)) == 1)


def status_of(lab, kind, name):
    """Returns the addresses in the status, without the fields that the API server adds."""
    found = lab.get(kind, name, "-n", "apps")["status"].get("loadBalancer", {}).get("ingress", [])
    return [{key: value for key, value in entry.items() if key != "ipMode"} for entry in found]


def test_pods_take_the_addresses_over(lab, objects):
    broker = lab.get("service", "broker", "-n", "apps")
    wanted = {"IPv4Mapping": {"TailscaleServiceIP": services(lab)["svc:broker"]["addrs"][0], "ClusterIP": broker["spec"]["clusterIP"]}}
    address = {"hostname": "broker." + lab.inner["LAB_DOMAIN"], "ip": wanted["IPv4Mapping"]["TailscaleServiceIP"]}
    lab.wait("the Service says where it is reached", lambda: status_of(lab, "service", "broker") == [address])
    lab.wait("addresses in the table", lambda: table(lab).get("front.json") == {"svc:broker": wanted})
    for pod in ("front-0", "front-1"):
        def followed(pod=pod):
            status = json.loads(data_of(lab, pod).get("ingress-config.json", "{}"))
            return status.get("configs", {}).get("svc:broker") == wanted
        lab.wait(f"{pod} leads the address to the Service", followed)


def brokers_page(lab, machine):
    return lab.run("curl", "-sS", "--max-time", "10", f"http://{BROKER}:1883/", on=machine)


def test_service_is_reached_by_all_machines(lab, objects):
    for machine in MACHINES:
        assert lab.wait(f"{machine} reaches the broker", lambda machine=machine: brokers_page(lab, machine)) == HELLO


def test_certificate_is_ordered_once_and_served_to_all_machines(lab, objects):
    # A client that disconnects during the order would end the order.
    lab.wait("the certificate is there", lambda: data_of(lab, DOCS).get("tls.crt"))
    for machine in MACHINES:
        assert lab.wait(f"{machine} reaches the docs", lambda machine=machine: trusted_page(lab, DOCS, on=machine)) == HELLO
    assert (orders(lab, DOCS), serial(lab, DOCS, MACHINES[0])) == (1, serial(lab, DOCS, MACHINES[1]))


def test_loss_of_a_pod_is_survived(lab, objects):
    lab.kubectl("delete", "pod", "front-1", "-n", NAMESPACE, "--force", "--grace-period=0")
    for machine in MACHINES:
        found = lab.wait(f"{machine} reaches both", lambda machine=machine: (brokers_page(lab, machine), trusted_page(lab, DOCS, on=machine)), 20)
        assert found == (HELLO, HELLO)


def test_renewed_certificate_rolls_pods(lab, objects):
    first = {pod: lab.wait(f"{pod} is ready", lambda pod=pod: pod_uid(lab, pod)) for pod in ("front-0", "front-1")}
    lab.wait("the first certificate is noted", lambda: told(lab, "front", DOCS))
    ports = [{"port": number, "protocol": "TCP"} for number in (443, 80)]
    lab.wait("the Ingress says where it is reached", lambda: status_of(lab, "ingress", "docs") == [{"hostname": DOCS, "ports": ports}])
    fill(lab, DOCS, *signed(lab, DOCS))
    lab.wait("front-1 is another one", lambda: pod_uid(lab, "front-1") not in ("", first["front-1"]))
    lab.wait("no replica is left to roll", lambda: "roll" not in told(lab, "front", DOCS))
    assert pod_uid(lab, "front-0") == first["front-0"], "front-0, which has written it"
    renewed = lab.run("sh", "-c", f'openssl x509 -noout -serial -in "$LAB/{DOCS}.crt"').strip()
    lab.wait("both serve it", lambda: {serial(lab, DOCS, machine) for machine in MACHINES} == {renewed})
    assert orders(lab, DOCS) == 1


def test_status_tells_of_services(lab, runtime, objects):
    """The test does not finish the part of the pods of the API's group."""
    wanted = {("svc:broker", "registered", ""), ("svc:docs", "registered", ""), ("svc:ozilab-api", "waiting", "no replica advertises it")}

    def told_now():
        code, said = lab.as_a_person(runtime, "status", "-o", "json")
        return code == 0 and {(one["service"], one["state"], one.get("problem", "")) for one in json.loads(said)["services"]} == wanted
    lab.wait("status tells what has become of the services", told_now)
    address = services(lab)["svc:docs"]["addrs"][0]
    _, said = lab.as_a_person(runtime, "status")
    rows = [line.split() for line in said.splitlines()]
    assert ["svc:docs", address, "registered", "Ingress/apps/docs", "-"] in rows, f"svc:docs with {address} is not in\n{said}"


def test_deleted_groups_leave_nothing(lab, runtime, objects):
    lab.delete(objects)
    lab.wait("the controller asks before it removes them", lambda: json.loads(lab.as_a_person(runtime, "status", "-o", "json")[1])["blocked"])
    lab.wait("no Tailscale Service is left", lambda: lab.confirm_removals() or not services(lab))
    for name in (DOCS, API, "front-0", "front-0-auth", "front-1", "kube-0", "kube-0-config"):
        lab.wait(f"Secret {name} is deleted", lambda name=name: lab.confirm_removals() or lab.get("secret", name, "-n", NAMESPACE) is None)
    lab.wait("the table is empty", lambda: not table(lab))
    left = [device["name"] for device in lab.tailnet.state()["devices"] if not device.get("deletedBy") and
            device["name"].startswith(("front-", "kube-"))]
    assert (left, usable_keys(lab)) == ([], []), "devices and keys"


def test_cleanup_leaves_what_is_not_ours(lab, tailrender, runtime, objects):
    cleanup_leaves_what_is_not_ours(lab, runtime, objects, ("svc:docs", "svc:broker"), ("front-0", "front-1"))
    leave_the_cluster(lab, rendered_controller(lab, tailrender))

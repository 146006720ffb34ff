"""Proves in the lab that examples/fleet, rendered and applied, is a working tailnet.

All that `tailrender render examples/fleet --cluster ozilab` prints goes through `kubectl apply -f -`, after the steps that its README lets
a user do by hand: Namespaces and the OAuth Secrets. Every standalone proxy and both pods of the groups "front" and "out" run
tailrender-proxy and join, each with its own key; Services and Ingresses get their status; a machine of the tailnet reaches the hello
service both ways, the database, the Ingress by HTTP and HTTPS, what the group "front" publishes, the networks behind two Connectors, and an
address of the Internet through an exit node; a pod reaches the targets of Services in the tailnet, one of them also by its name there. The
same objects applied again, by kubectl and by server-side apply, change nothing, and no rendered field belongs to another manager. Then the
operator's CRDs are added to the repository: the custom resources reach the cluster and get the statuses that the reference gives them. From
then on the controller only watches and renews its Lease, and a restarted one writes nothing. At last a Service is deleted: no Secret, no
device and no key is left of it. In all that time the controller has written only the status of rendered objects, and each of its rights was
needed, except those that SHOWN_ELSEWHERE names.

Differences from a user's cluster: the controller's image is the given one, its cleanupDelay 2 s; loginServer is the lab's, also that of
Tailnet "partner" (another OAuth client of the same tailnet); certificates come from the lab's ACME server, by a variable in the ProxyClass
"metered"; nginx is the lab's page, and so are the pods behind shop, broker and traefik, the database, and the places in the tailnet, which
the repository expects to exist.
Left out: Recorder "sessions" is applied but has no image here (tsrecorder also needs a bucket); what the Internet sees of Funnel, which
needs Tailscale's own relays, and what is behind it, since the page does not use TLS. Their proxies join, except the Recorder's.
--short ends before the CRDs are added. With --stock the proxies run containerboot instead of tailrender-proxy, and those of the group
"kube" have no image here either: lab_groups plays k8s-proxy.
"""
import json
import shutil
import time

import pytest
import yaml

import audit
import example_fleet
from authority import orders, trusted_page
from custom_resources import add_crds, install_crds, statuses_are_written
from example_fleet import BEHIND, DOMAIN, PARENT, Fleet, add_zone, apply, apply_on_the_server, by_hand, has_joined, outside, places_outside, \
    serves_a_page
from harness import Lab
from hello import page
from installed import NAMESPACE, STOCK, data_of, give_proxy_image, usable_keys
from owners import applied_again_nothing_changes, the_controller_wrote_none
from rights_used import every_right_is_used
from shared.checks import documents

COVERS = ["examples/fleet", "renderer/generate", "renderer/plan", "runtime/controller", "runtime/dns", "runtime/nameserver",
          "runtime/proxy", "testdata/chart-streams/with-crds.yaml"]
PROGRAMS = ["lab"]
ALONE = ("svc", "ingress", "connector")
WINDOW_SECONDS = 30  # during which the audit log is read
KEY_LISTS = 5  # for two tailnets, one of them a Tailnet
SHOWN_ELSEWHERE = {("events", "create"): "lab_operator", ("events", "patch"): "lab_operator", ("pods", "delete"): "lab_groups",
                   **{("peerrelays", verb): "peer_relay" for verb in ("get", "list", "watch")},
                   ("peerrelays/status", "update"): "peer_relay", ("serviceaccounts/token", "create"): "runtime_test"}
WITHOUT_IMAGE = ("kube-0", "kube-1", "sessions-0")
NETWORK, PARTNERS = "10.20.0.0/16", "10.30.4.0/24"
PARTNER, INTERNET, NAS, MAIL = "10.30.4.1", "198.51.100.7", "100.64.10.20", "100.64.10.25"
HELLO = "hello from the lab\n"


def without_image(text):
    """Returns the pods without an image; tailrender-proxy has one."""
    return WITHOUT_IMAGE if "tailscale/k8s-proxy" in text else WITHOUT_IMAGE[-1:]


def proxies(text):
    return example_fleet.proxies(text, without_image(text))


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime, proxy, is_stock):
    with Lab(TAILRENDER_LAB_DOMAIN=DOMAIN) as found:
        if not is_stock:
            give_proxy_image(found, tailrender, proxy)
        found.verb("image", "lab/runtime:1.0.0", str(runtime))
        found.verb("image", "lab/curl:1", shutil.which("curl"))
        places_outside(found)
        more_places(found)
        yield found


def more_places(lab):
    """Adds an address of the partner's network, one of the Internet, and two of the tailnet, which the warehouse routes as other devices
    would have them."""
    for name, address in (("partner", PARTNER), ("Internet", INTERNET)):
        lab.run("ip", "address", "add", address + "/32", "dev", "lo")
        outside(lab, name, address + ":", 80, f"from the {name}")
    for name, address, port in (("nas", NAS, 80), ("mail", MAIL, 25), ("submission", MAIL, 587)):
        lab.run("ip", "address", "replace", address + "/32", "dev", "lo", on="warehouse")
        outside(lab, name, address + ":", port, f"from the {name}", "warehouse")
    routes = [address + "/32" for address in (NAS, MAIL)]
    lab.run("tailscale", "set", "--advertise-routes=" + ",".join(routes), on="warehouse")
    lab.tailnet.log_in()
    [device] = [one["nodeId"] for one in lab.tailnet.state()["devices"] if one["hostname"] == "warehouse"]
    lab.tailnet.ok("POST", f"/api/v2/device/{device}/routes", {"routes": routes})


@pytest.fixture(scope="module")
def fleet(lab, tailrender, scratch, is_stock):
    found = Fleet(tailrender, scratch, lab.tailnet.url, [STOCK] if is_stock else [], lab.inner["LAB_ACME"])
    by_hand(lab, found)
    lab.apply([serves_a_page("broker", "apps", "exec httpd -f -p 1883 -h /www")], "by-hand")
    return found


@pytest.fixture(scope="module")
def text(lab, fleet):
    """Returns what is rendered, and applied."""
    found = fleet.rendered()
    apply(lab, found)
    return found


@pytest.fixture(scope="module")
def text_with_kinds(lab, fleet):
    """Returns what is rendered with the CRDs, whose kinds are installed later; a controller that restarts finds everything as it has left
    it."""
    add_crds(fleet.tree)
    found = fleet.rendered()
    install_crds(lab, found)
    apply_on_the_server(lab, found)
    controller_restarts(lab)
    return found


def test_all_join_with_keys_of_their_own(lab, text):
    wanted = proxies(text)
    devices = {proxy.pod: lab.wait(f"{proxy.pod} joins as {proxy.hostname}", lambda proxy=proxy: has_joined(lab, proxy)) for proxy in wanted}
    lab.wait("keys are blank", lambda: all(data_of(lab, proxy.pod + "-auth").get("authkey") == "" for proxy in wanted))
    state = lab.tailnet.state()
    known = {device["nodeId"]: device for device in state["devices"] if not device.get("deletedBy")}
    keys = {key["id"]: key for key in state["keys"]}
    for proxy in wanted:
        device = known[devices[proxy.pod]]
        key = keys[device["key"]]
        client = "kpartnerCNTRL" if proxy.tailnet == "partner" else lab.inner["LAB_OAUTH_ID"]
        assert (device["name"], sorted(device["tags"])) == (f"{proxy.hostname}.{DOMAIN}", sorted(proxy.tags))
        assert (key["spent"], key["devices"], key["client"]) == (True, [device["nodeId"]], client), f"key of {proxy.pod}"
    assert len(set(devices.values())) == len(wanted), "devices"
    assert (state["rejections"], len(known)) == ([], len(wanted) + 2), "refused registrations, and devices with client and warehouse"
    assert len(usable_keys(lab)) == len(without_image(text)), "keys that could still be used"
    print(f"{len(wanted)} devices, {sum(proxy.kind in ALONE for proxy in wanted)} of standalone proxies, each with a key of its own", flush=True)


def condition(found, name):
    return any(item["type"] == name and item["status"] == "True" for item in found["status"].get("conditions", []))


def test_status_is_written(lab, text):
    for name, ready in (("hello", "TailscaleProxyReady"), ("hello-lb", "TailscaleProxyReady"), ("orders-db", "TailscaleProxyReady"),
                        ("nas", "TailscaleProxyReady"), ("warehouse", "TailscaleEgressSvcReady")):
        lab.wait(f"Service {name} is {ready}", lambda name=name, ready=ready: condition(lab.get("service", name, "-n", "apps"), ready))
    [proxy] = [proxy for proxy in proxies(text) if proxy.parent == "hello-lb"]
    four = json.loads(data_of(lab, proxy.pod)["device_ips"])[0]
    found = lab.get("service", "hello-lb", "-n", "apps")["status"]["loadBalancer"]["ingress"]
    assert [(entry.get("hostname"), entry.get("ip")) for entry in found] == [("apps-hello-lb." + DOMAIN, None), (None, four)], "status of hello-lb"
    for namespace, name, hostname, ports in (("apps", "shop", "shop", [443, 80]), ("traefik", "traefik-funnel", "ozilab-edge", [443])):
        def addresses(namespace=namespace, name=name):
            found = lab.get("ingress", name, "-n", namespace)["status"].get("loadBalancer", {}).get("ingress", [])
            return [(entry["hostname"], [port["port"] for port in entry["ports"]]) for entry in found]
        lab.wait(f"Ingress {name} has its status", lambda hostname=hostname, ports=ports, addresses=addresses:
                 addresses() == [(f"{hostname}.{DOMAIN}", ports)])
    lab.wait("the nameserver runs", lambda: lab.get("deployment", "nameserver", "-n", NAMESPACE)["status"].get("readyReplicas"))


def test_services_are_reached(lab, text):
    for name, port, wanted in (("hello", 80, HELLO), ("apps-hello-lb", 80, HELLO), ("orders-db", 5432, "from the database\n")):
        assert lab.wait(f"a page from {name}", lambda name=name, port=port: page(lab, f"{name}.{DOMAIN}:{port}")) == wanted


def pod_of(text, parent):
    return next(proxy.pod for proxy in proxies(text) if proxy.parent == parent)


def approve(lab, pod, wanted):
    """Approves the routes that the device advertises."""
    device = data_of(lab, pod)["device_id"]
    lab.tailnet.log_in()
    offered = lab.wait("the route is advertised", lambda: lab.tailnet.ok("GET", f"/api/v2/device/{device}/routes")["advertisedRoutes"])
    assert sorted(offered) == sorted(wanted), "advertised routes"
    lab.tailnet.ok("POST", f"/api/v2/device/{device}/routes", {"routes": offered})


def fetched(lab, address):
    return lab.verb("run", "--on", "client", "curl", "-sS", "--max-time", "10", f"http://{address}/", check=False).stdout


@pytest.mark.parametrize("parent, network, address, wanted", [("home-net", NETWORK, BEHIND, "behind the router\n"),
                                                              ("partner-net", PARTNERS, PARTNER, "from the partner\n")])
def test_routes_of_the_connectors_are_used(lab, text, parent, network, address, wanted):
    # Only the tailnet has a route to it.
    lab.run("ip", "route", "add", "unreachable", network, on="client")
    assert fetched(lab, address) == "", "page before anybody has approved the route"
    approve(lab, pod_of(text, parent), [network])
    assert lab.wait("a page behind the Connector", lambda: fetched(lab, address)) == wanted, "page"


def test_exit_node_is_used(lab, text):
    lab.run("ip", "route", "add", "unreachable", INTERNET + "/32", on="client")
    pod = pod_of(text, "exit")
    approve(lab, pod, ["0.0.0.0/0", "::/0"])
    address = json.loads(data_of(lab, pod)["device_ips"])[0]
    lab.wait("the client takes it", lambda: not lab.verb("run", "--on", "client", "tailscale", "set", "--exit-node", address, check=False).returncode)
    assert lab.wait("a page of the Internet", lambda: fetched(lab, INTERNET)) == "from the Internet\n", "page"
    lab.run("tailscale", "set", "--exit-node=", on="client")


def names_are_resolved(lab):
    """A user sets it up so: the cluster's DNS forwards the tailnet's names to the nameserver."""
    address = lab.get("service", "nameserver", "-n", NAMESPACE)["spec"]["clusterIP"]
    add_zone(lab, DOMAIN, f"forward . {address}")


def test_places_in_the_tailnet_are_reached(lab, text):
    """A pod reaches them by the Services' names, and one of them by its name in the tailnet."""
    names_are_resolved(lab)
    places = {"http://warehouse:5432/": "warehouse", "http://nas/": "nas", "http://mail:25/": "mail", "http://mail:587/": "submission",
              f"http://warehouse.{DOMAIN}:5432/": "warehouse"}
    words = ("-sS", "--max-time", "10", "--retry", "60", "--retry-delay", "2", "--retry-all-errors", *places)
    lab.kubectl("run", "reach", "-n", "apps", "--image=lab/curl:1", "--image-pull-policy=Never", "--restart=Never", "--", *words)
    lab.wait("a pod reaches them", lambda: lab.get("pod", "reach", "-n", "apps")["status"]["phase"] == "Succeeded")
    said = [line for line in lab.kubectl("logs", "reach", "-n", "apps").splitlines() if line.startswith("from the ")]
    assert said == [f"from the {place}" for place in places.values()], "pages"


def test_group_is_reached(lab, text):
    # A client that disconnects during the order would end the order.
    lab.wait("the certificate is there", lambda: data_of(lab, "docs." + DOMAIN).get("tls.crt"))
    for address in (f"http://broker.{DOMAIN}:1883/", f"http://docs.{DOMAIN}/"):
        words = ("curl", "-sSL", "--max-time", "10", "--cacert", lab.inner["LAB"] + "/trusted.crt", address)
        assert lab.wait(f"a page at {address}", lambda words=words: lab.run(*words, on="client")) == HELLO
    assert orders(lab, "docs." + DOMAIN) == 1, "orders for the certificate"


def test_ingresses_are_reached(lab, text):
    name = "shop." + DOMAIN
    answer = lab.wait("an answer by HTTP", lambda: lab.run("curl", "-sS", "--max-time", "10", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}",
                                                            f"http://{name}/a", on="client"))
    assert answer == f"301 https://{name}/a", "answer by HTTP"
    for path, wanted in (("", HELLO), ("api", "from the api\n")):
        assert lab.wait(f"https://{name}/{path}", lambda path=path: trusted_page(lab, name, path=path)) == wanted, f"page at /{path}"
    edge = "ozilab-edge." + DOMAIN
    assert lab.tailnet.device(data_of(lab, pod_of(text, "traefik-funnel"))["device_id"])["funnel"], "what the control server was told of Funnel"
    refusal = lab.wait("an answer of the Funnel's proxy", lambda: lab.run("curl", "-sS", "--max-time", "20", "--cacert", lab.inner["LAB"] + "/trusted.crt",
                                                                         "-w", "%{http_code}", "-o", "/dev/null", f"https://{edge}/", on="client"))
    assert refusal == "502", "answer where nothing speaks TLS behind the proxy"


def test_applied_literally_again_nothing_changes(lab, text):
    """Applies again twice: with kubectl, and as GitOps tools do."""
    def again():
        # kubectl compares with what it sent. The lists of a policy can only be sent as a whole, and have got the API server's defaults.
        said = [line for line in apply(lab, text).splitlines() if not line.startswith("validatingadmissionpolicy.")]
        assert [line for line in said if not line.endswith(" unchanged")] == [], "what a second kubectl apply has changed"
    applied_again_nothing_changes(lab, documents(text), again)
    # Lists that are owned as a whole, and that the API server has completed, belong to kubectl until another manager forces a conflict.
    apply_on_the_server(lab, text, "--force-conflicts")
    applied_again_nothing_changes(lab, documents(text), lambda: apply_on_the_server(lab, text))


def controller_restarts(lab):
    old = {item["metadata"]["name"] for item in lab.get("pod", "-n", NAMESPACE, "-l", "app=operator")["items"]}
    lab.kubectl("delete", "pod", *old, "-n", NAMESPACE)

    def another_leads():
        holder = lab.get("lease", audit.LEASE, "-n", NAMESPACE)["spec"].get("holderIdentity") or ""
        return holder and holder.split("_")[0] not in old
    lab.wait("another controller leads", another_leads)


@pytest.mark.whole
def test_custom_resources_get_their_status(lab, text, text_with_kinds):
    statuses_are_written(lab, DOMAIN, {proxy.pod: device_of(lab, proxy) for proxy in proxies(text_with_kinds)})
    applied_again_nothing_changes(lab, documents(text_with_kinds), lambda: apply_on_the_server(lab, text_with_kinds))


def leads_through_both_pods(lab, name):
    """The pods of a group resolve the name of their target periodically."""
    found = lab.get("service", name, "-n", "apps")["status"]["conditions"]
    return [item["reason"] for item in found if item["type"] == "TailscaleEgressSvcReady"] == ["ReadyToRouteTraffic"]


@pytest.mark.whole
def test_nothing_is_written_when_nothing_changes(lab, text_with_kinds):
    for name in ("warehouse", "mail"):
        lab.wait(f"{name} is reached through both pods", lambda name=name: leads_through_both_pods(lab, name))
    print(audit.stays_quiet(lab, WINDOW_SECONDS, KEY_LISTS), flush=True)
    begin = audit.end(lab)
    controller_restarts(lab)
    time.sleep(10)
    found = audit.requests(lab, begin)
    written = sorted({(entry["verb"], entry["objectRef"]["resource"], entry["objectRef"].get("name", "")) for entry in found
                      if entry["verb"] not in audit.READING and entry["objectRef"]["resource"] != "leases"})
    assert written == [], "what a controller has written that found all as it shall be"
    assert found, "the audit log shows nothing of it"


def device_of(lab, proxy):
    return lab.tailnet.device(data_of(lab, proxy.pod)["device_id"])


def living(lab):
    return {device["nodeId"] for device in lab.tailnet.state()["devices"] if not device.get("deletedBy")}


@pytest.mark.whole
def test_deleted_service_leaves_nothing(lab, fleet, text_with_kinds):
    path = fleet.tree / "apps/hello.yaml"
    left = [item for item in documents(path.read_text(encoding="utf-8")) if item["metadata"]["name"] != "hello-lb"]
    path.write_text(yaml.safe_dump_all(left), encoding="utf-8")
    [proxy] = [proxy for proxy in proxies(text_with_kinds) if proxy.parent == "hello-lb"]
    devices, keys, device = living(lab), usable_keys(lab), data_of(lab, proxy.pod)["device_id"]

    def secrets():
        """Returns the Secrets of hello-lb, by label or name, in every namespace."""
        return {item["metadata"]["name"] for item in lab.get("secret", "-A")["items"]
                if item["metadata"].get("labels", {}).get(PARENT) == "hello-lb" or item["metadata"]["name"].startswith(proxy.pod)}

    def names(objects):
        return {(item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]) for item in documents(objects)}
    assert (device in devices, secrets()) == (True, {proxy.pod, proxy.pod + "-auth", proxy.pod + "-config"}), "device and Secrets of hello-lb"
    for kind, namespace, name in sorted(names(text_with_kinds) - names(fleet.rendered())):
        lab.kubectl("delete", kind.lower(), name, "-n", namespace, "--wait=false")
    lab.wait("no Secret of hello-lb is left", lambda: not secrets())
    assert (living(lab), usable_keys(lab)) == (devices - {device}, keys), "devices, and keys that could still be used"


@pytest.mark.whole
def test_the_controller_wrote_none_and_needed_its_rights(lab, text_with_kinds):
    the_controller_wrote_none(lab, documents(text_with_kinds))
    every_right_is_used(lab, documents(text_with_kinds), SHOWN_ELSEWHERE)

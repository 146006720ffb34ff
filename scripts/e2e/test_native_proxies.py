"""Proves in the lab that what is rendered with `tailrender.dataplane: native` runs, forwards and comes back, in every mode.

One of each is rendered with our controller running: a Service that the tailnet reaches, by name and by a pinned address, Services that reach
the tailnet by address and by name, an Ingress, one that also takes cluster traffic, a Connector, a PeerRelay, an egress and an ingress group.
All join with stock containerboot, then restart as tailrender-proxy, which `diff` has named, as the same devices with the same addresses.
TCP and UDP cross each of them, IPv4 and IPv6; what arrives says which address it saw. Rules are those that nft(8) reads. Killed processes
come back; changes are live at once; groups carry traffic through a rolling restart. Then all do the same with the capabilities that they need
instead of all privileges. At last all become containerboot again.

The cluster's backend and the tailnet's are one program, beside the node and on a machine of the tailnet. Two machines reach the ingress
group, each by another of its pods; when that one is lost, by the one that is left, with stock containerboot too.
"""
import json
import re
import shutil
import time

import pytest

from authority import orders, serial, trusted_page
from custom_resources import install_crds
from every_mode import BEHIND, LIVE_SECONDS, NETWORK, Load, World, egress, endpoints, service, start_server
from hello import namespaces_first
from installed import NAMESPACE, data_of, give_proxy_image, install_controller, joins, lab_with_runtime, proxy_image, usable_keys
from relay import machine_uses_a_peer
from shared.checks import run
from shared.images import OWN_IMAGES

COVERS = ["renderer/generate/group", "renderer/generate/workload", "renderer/plan/workload", "runtime/controller/ingress_groups", "runtime/dns",
          "runtime/localapi", "runtime/nft", "runtime/proxy", "testdata/chart-streams/with-crds.yaml"]
PROGRAMS = ["lab"]


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime, proxy):
    with lab_with_runtime(runtime) as found:
        found.verb("join", "other")  # before the pods: machines are spread over the pods of a group in the order of joining
        give_proxy_image(found, tailrender, proxy)
        found.verb("image", "lab/curl:1", shutil.which("curl"))
        install_crds(found, run(tailrender, "install", "--quiet", *OWN_IMAGES, "--set", "tailrender.customResources=emit"))
        install_controller(found, tailrender)
        yield found


@pytest.fixture(scope="module")
def world(lab, tailrender, scratch):
    found = World(lab, tailrender, scratch)
    lab.run("ip", "address", "add", BEHIND + "/32", "dev", "lo")
    for name, addresses, on in (("backend", ["10.77.0.1", "fd00:77::1", BEHIND], None), ("client", found.client, "client")):
        start_server(lab, name, addresses, on)
    return found


@pytest.fixture(scope="module")
def before(world):
    """Returns the devices of stock containerboot."""
    world.lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps"}}])
    world.lab.apply([{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "hello", "namespace": "apps"},
                      "spec": {"selector": {"matchLabels": {"app": "hello"}}, "template": {
                          "metadata": {"labels": {"app": "hello"}},
                          "spec": {"containers": [{"name": "page", "image": "lab/hello:1", "imagePullPolicy": "Never"}]}}}}])
    for name in ("by-name", "pinned", "by-group"):
        world.lab.apply(list(endpoints(name)))
    devices = world.devices(world.roll_out("containerboot"))
    world.lab.wait("a page by HTTPS", lambda: trusted_page(world.lab, "site." + world.lab.inner["LAB_DOMAIN"]))
    world.lab.wait("the certificate of the group is there", lambda: data_of(world.lab, shared_name(world.lab))["tls.crt"])
    return devices


def shared_name(lab):
    return f"shared.{lab.inner['LAB_DOMAIN']}"


@pytest.fixture(scope="module")
def ordered(lab, before):
    """Returns how often containerboot had to order the certificate of the group."""
    return orders(lab, shared_name(lab))


@pytest.fixture(scope="module")
def native(world, before, ordered):
    """Returns the devices of tailrender-proxy."""
    begun = time.monotonic()
    objects = world.roll_out("native")
    print(f"all pods run it after {time.monotonic() - begun:.0f} s")
    return world.devices(objects)


def test_all_join_and_keep_their_devices(lab, tailrender, world, before, native):
    assert native == before
    images = {image for item in lab.get("pod", "-n", NAMESPACE)["items"] if item["metadata"]["labels"].get("app") != "operator"
              for image in [container["image"] for container in item["spec"]["containers"]]}
    assert images == {proxy_image(tailrender)}
    assert usable_keys(lab) == []


def ingress_by_name(lab, world, native):
    pod = world.pod_of("by-name")
    for address, ip in zip(world.addresses(pod), world.ips(pod)):
        world.answers(f"the backend answers at {address}", address, f"backend saw {ip}", on="client")


def ingress_by_address(lab, world, native):
    pod = world.pod_of("pinned")
    world.answers("the backend answers", world.addresses(pod)[0], f"backend saw {world.ips(pod)[0]}", on="client")


def egress_by_address(lab, world, native):
    pod = world.pod_of("to-address")
    world.answers("the client answers", world.ips(pod)[0], f"client saw {world.addresses(pod)[0]}")


def egress_by_name(lab, world, native):
    pod = world.pod_of("to-name")
    for ip, address in zip(world.ips(pod), world.addresses(pod)):
        world.answers(f"the client answers at {ip}", ip, f"client saw {address}")


def egress_group(lab, world, native):
    found = lab.items("service", "-n", NAMESPACE, "-l", "tailscale.com/parent-resource=through-group")
    [one] = [item for item in found if item["spec"].get("clusterIPs")]
    seen = [{f"client saw {world.addresses(f'out-{number}')[family]}" for number in (0, 1)} for family in (0, 1)]
    assert len(one["spec"]["clusterIPs"]) == 2
    for address, wanted in zip(one["spec"]["clusterIPs"], seen):
        lab.wait(f"the client answers at {address}", lambda address=address, wanted=wanted: set(world.ask(address)) <= wanted)
        answers = [world.ask(address) for _ in range(20)]
        assert set(sum(answers, [])) == wanted, "both pods, and no failure"


def test_ingress_serves(lab, world, native):
    """It uses the certificate that stock containerboot's tailscaled has ordered."""
    name, pod = f"site.{lab.inner['LAB_DOMAIN']}", world.pod_of("site")
    assert lab.wait("a page by HTTPS", lambda: trusted_page(lab, name)) == "hello from the lab\n"
    assert json.loads(world.in_pod(pod, "tailscale", "status", "--json"))["BackendState"] == "Running", "with a read-only root"
    assert json.loads(world.in_pod(pod, "tailscale", "serve", "status", "--json"))["AllowFunnel"] == {name + ":443": True}
    assert lab.tailnet.device(native[pod][0])["funnel"], "what the control server was told"
    assert orders(lab, name) == 1


def ingress_takes_cluster_traffic(lab, world, native):
    """The certificate is ordered now, and only once, however often the pod starts."""
    name, pod = f"site-inside.{lab.inner['LAB_DOMAIN']}", world.pod_of("site-inside")
    assert (lab.wait("a page by HTTPS", lambda: trusted_page(lab, name)), orders(lab, name)) == ("hello from the lab\n", 1)
    before = world.uid(pod)
    lab.kubectl("delete", "pod", pod, "-n", NAMESPACE, "--grace-period", "1")
    lab.wait("another pod is ready", lambda: world.is_ready(pod) and world.uid(pod) != before)
    found = lab.wait("the same at the address of the next pod", lambda: trusted_page(lab, name, "--resolve", f"{name}:443:{world.ips(pod)[0]}", on=None))
    assert (found, orders(lab, name)) == ("hello from the lab\n", 1)


def approve_routes(lab, device, wanted):
    lab.tailnet.log_in()
    path = f"/api/v2/device/{device}/routes"
    lab.wait("the routes are advertised", lambda: sorted(lab.tailnet.ok("GET", path)["advertisedRoutes"]) == sorted(wanted))
    lab.tailnet.ok("POST", path, {"routes": wanted})


def connector(lab, world, native):
    pod = world.pod_of("router")
    approve_routes(lab, native[pod][0], [NETWORK])
    # Only the tailnet has a route to it.
    lab.run("ip", "route", "replace", "unreachable", NETWORK, on="client")
    world.answers("the backend answers behind the Connector", BEHIND, f"backend saw {world.ips(pod)[0]}", on="client")


def service_addresses(lab, name):
    """Returns the addresses of a Tailscale Service, IPv4 first."""
    return lab.wait(f"{name} is registered", lambda: lab.tailnet.state()["services"].get(name, {}).get("addrs"))


def group_is_reached(lab, world):
    """Checks that both machines reach the group, each through another pod. Returns the pod of each."""
    ips = {pod: world.ips(pod) for pod in ("front-0", "front-1")}
    pods = {}
    for machine in ("client", "other"):
        for family, address in enumerate(service_addresses(lab, "svc:apps-by-group")):
            said = {f"backend saw {ips[pod][family]}": pod for pod in ips}
            pod = lab.wait(f"{machine} reaches {address}", lambda machine=machine, address=address, said=said: one_of(said, world.ask(address, on=machine)))
            assert pods.setdefault(machine, pod) == pod, "pod for IPv4 and IPv6"
    assert len(set(pods.values())) == 2, pods
    return pods


def one_of(known, said):
    """Returns the entry for the answer, if TCP and UDP got the same one."""
    return known.get(said[0]) if len(set(said)) == 1 else None


def survives_the_loss_of_a_pod(lab, world):
    """Returns the pod that the machine reached through the lost pod now uses, and after how many seconds. It may return to the pod that is
    created in place of the lost one."""
    pods = group_is_reached(lab, world)
    lost, other = pods["client"], pods["other"]
    address, lost_ips = service_addresses(lab, "svc:apps-by-group")[0], world.ips(lost)
    lab.kubectl("delete", "pod", lost, "-n", NAMESPACE, "--force", "--grace-period=0")
    begun = time.monotonic()

    def taker():
        said = world.ask(address, on="client")
        there = [pod for pod in (other, lost) if (lab.get("pod", pod, "-n", NAMESPACE) or {"status": {}})["status"].get("podIPs")]
        found = one_of({f"backend saw {world.ips(pod)[0]}": pod for pod in there if world.ips(pod) != lost_ips}, said)
        assert found, f"the client got {said}"
        return found

    return lab.wait(f"{other} takes the client over", taker, LIVE_SECONDS), time.monotonic() - begun


def ingress_group(lab, world, native):
    group_is_reached(lab, world)


FORWARDING = (ingress_by_name, ingress_by_address, egress_by_address, egress_by_name, egress_group, ingress_takes_cluster_traffic, connector,
              ingress_group)


@pytest.mark.parametrize("mode", FORWARDING)
def test_traffic_of(lab, world, native, mode):
    mode(lab, world, native)


def test_peer_relay(lab, world, native):
    assert world.prefs("peerrelay-edge-0")["RelayServerPort"] == 41641
    machine_uses_a_peer(lab, world.ips("peerrelay-edge-0")[0], "other")


def rules(world, pod):
    """Returns the words of our table, as our program prints it (before the tables of others), and as nft(8) does."""
    printed = world.in_pod(pod, "tailrender-proxy", "rules")
    assert printed.startswith("table inet tailrender {\n"), printed
    pid = world.processes(world.uid(pod))["tailscaled"]
    table = world.lab.run("nsenter", "--target", str(pid), "--net", "nft", "list", "table", "inet", "tailrender")
    return tuple(re.findall(r"[^\s,]+", text) for text in (printed.partition("\n}\n")[0] + "\n}", table))


@pytest.mark.parametrize("parent", ("by-name", "pinned", "to-address", "to-name", "site-inside", "out", "front"))
def test_rules_are_read_back(world, native, parent):
    ours, theirs = rules(world, world.pod_of(parent))
    assert ours == theirs
    families = [family for word, family in zip(ours, ours[1:]) if word == "dnat" and family != "snat"]
    assert families == (["ip", "ip6"] if parent in ("by-name", "to-name", "out", "front") else ["ip"])


def killed(lab, world, pod, name, how):
    """Kills or stops that process of the pod, and waits until the pod is ready again."""
    before = world.restarts(pod)
    lab.run("kill", how, str(world.processes(world.uid(pod))[name]))

    def is_back():
        [status] = lab.get("pod", pod, "-n", NAMESPACE)["status"]["containerStatuses"]
        return status["restartCount"] > before and status["ready"]
    begun = time.monotonic()
    lab.wait(f"{pod} is ready again", is_back)
    return time.monotonic() - begun


def comes_back(lab, world, native, name, how):
    pod = world.pod_of("to-name")
    before = rules(world, pod)
    print(f"ready again after {killed(lab, world, pod, name, how):.1f} s")
    assert data_of(lab, pod)["device_id"] == native[pod][0]
    for ip, address in zip(world.ips(pod), world.addresses(pod)):
        world.answers(f"the client answers at {ip}", ip, f"client saw {address}")
    assert rules(world, pod) == before


@pytest.mark.parametrize("name", ("tailrender-prox", "tailscaled"))
def test_killed_processes_come_back(lab, world, native, name):
    comes_back(lab, world, native, name, "-KILL")


def test_a_tailscaled_that_hangs_is_ended(lab, world, native):
    comes_back(lab, world, native, "tailscaled", "-STOP")
    assert "tailscaled does not answer" in lab.kubectl("logs", world.pod_of("to-name"), "-n", NAMESPACE, "--previous")


def test_changed_cluster_ip_is_followed(lab, world, native):
    pod = world.pod_of("by-name")
    [before] = [item for item in world.render("native") if item["kind"] == "Service" and item["metadata"]["name"] == "by-name"]
    old = lab.get("service", "by-name", "-n", "apps")["spec"]["clusterIP"]
    lab.kubectl("delete", "service", "by-name", "-n", "apps")
    # Otherwise it could get the same address.
    lab.apply([service("in-its-place", clusterIP=old), before])
    lab.apply(list(endpoints("by-name")))
    begun = time.monotonic()
    for address, ip in zip(world.addresses(pod), world.ips(pod)):
        world.answers(f"the backend answers at {address}", address, f"backend saw {ip}", on="client")
    print(f"followed after {time.monotonic() - begun:.1f} s")
    new = lab.get("service", "by-name", "-n", "apps")["spec"]["clusterIP"]
    ours, _ = rules(world, pod)
    assert (new in ours, old in ours) == (True, False), "targets"


def seconds_to_change(lab, world, what, change, probe):
    """Edits, renders and applies the inputs. Returns the seconds until the change is visible."""
    world.edit(change)
    namespaces_first(lab, world.render("native"))
    begun = time.monotonic()
    lab.wait(what, probe, LIVE_SECONDS)
    took = time.monotonic() - begun
    print(f"{what} after {took:.1f} s")
    return took


def test_changes_of_services_are_live_at_once(lab, world, native):
    """The kubelet would take up to 90 seconds to update the mounted files."""
    def later():
        found = lab.items("service", "-n", NAMESPACE, "-l", "tailscale.com/parent-resource=later")
        [address] = {item["spec"]["clusterIPs"][0] for item in found if item["spec"].get("clusterIPs")}
        return [said.partition(" saw ")[0] for said in world.ask(address)] == ["client", "client"]
    seconds_to_change(lab, world, "another Service of the egress group reaches the client",
                      lambda items: [egress("later", proxy_group="out", tailnet_ip=world.client[0])], later)
    name = f"site.{lab.inner['LAB_DOMAIN']}"

    def move(items):
        spec = items["Ingress", "site"]["spec"]
        backend = spec.pop("defaultBackend")
        spec["rules"] = [{"host": "site", "http": {"paths": [{"path": "/elsewhere", "pathType": "Prefix", "backend": backend}]}}]
    seconds_to_change(lab, world, "the Ingress serves another path", move, lambda: lab.run(
        "sh", "-c", f'curl -sS --max-time 5 --cacert "$LAB/trusted.crt" -o /dev/null -w "%{{http_code}}" https://{name}/', on="client") == "404")


def test_changes_of_the_configuration_are_live_at_once(lab, world, native):
    """tailscaled reloads its own configuration; the kubelet updates the mounted files meanwhile."""
    router, pod, more = world.pod_of("router"), world.pod_of("to-address"), "10.21.0.0/16"

    def routes(items, wanted):
        items["Connector", "router"]["spec"]["subnetRouter"]["advertiseRoutes"] = wanted

    def hostname(items, wanted):
        items["Service", "to-address"]["metadata"]["annotations"]["tailscale.com/hostname"] = wanted
    seconds_to_change(lab, world, "the Connector advertises another route", lambda items: routes(items, [NETWORK, more]),
                      lambda: more in world.prefs(router)["AdvertiseRoutes"])
    begun = time.monotonic()
    lab.wait("the kubelet has it", lambda: more in world.in_pod(router, "cat", f"/etc/tsconfig/{router}/cap-107.hujson"))
    print(f"the file that the kubelet mounts had it {time.monotonic() - begun:.1f} s later")
    seconds_to_change(lab, world, "it does no more", lambda items: routes(items, [NETWORK]), lambda: more not in world.prefs(router)["AdvertiseRoutes"])
    before = world.prefs(pod)["Hostname"]
    for wanted in "another", before:
        seconds_to_change(lab, world, f"the device is called {wanted}", lambda items, wanted=wanted: hostname(items, wanted),
                          lambda wanted=wanted: world.prefs(pod)["Hostname"] == wanted)
    expose = {"tailscale.com/proxy-group": "front", "tailscale.com/expose": "true"}
    seconds_to_change(lab, world, "a Service more of the ingress group is advertised", lambda items: [service("more", expose)],
                      lambda: "svc:apps-more" in (world.prefs("front-0")["AdvertiseServices"] or []))
    assert {world.restarts(name) for name in (router, pod, "front-0")} == {0}


def test_rolling_restart_of_a_group(lab, world, native):
    [one] = [item for item in lab.items("service", "-n", NAMESPACE, "-l", "tailscale.com/parent-resource=through-group") if item["spec"].get("clusterIPs")]
    with Load(lab, one["spec"]["clusterIP"]) as load:
        lab.kubectl("rollout", "restart", "statefulset", "out", "-n", NAMESPACE)
        lab.kubectl("rollout", "status", "statefulset", "out", "-n", NAMESPACE, "--timeout", "240s")
    assert load.good > 100 and load.bad == 0


def test_ingress_group_survives_the_loss_of_a_pod(lab, world, native):
    pod, seconds = survives_the_loss_of_a_pod(lab, world)
    print(f"{pod} takes over after {seconds:.1f} s")
    lab.wait("both pods are ready", lambda: world.is_rolled_out("front"))
    with Load(lab, service_addresses(lab, "svc:apps-by-group")[0], "client") as load:
        lab.kubectl("delete", "pod", group_is_reached(lab, world)["client"], "-n", NAMESPACE)
        lab.wait("both pods are ready", lambda: world.is_rolled_out("front"))
    # After its return to a pod that has just started, the client may wait 5 s for the tunnel to it.
    assert load.good > 100 and load.bad <= 1


def test_deleted_device_comes_back(lab, world, native):
    """A person deletes it while it runs: it joins with a key that the controller mints, as another device of the same name."""
    pod = world.pod_of("pinned")
    begun = time.monotonic()
    lab.tailnet.ok("DELETE", "/admin/devices/" + native[pod][0])
    device = joins(lab, pod, old=native[pod][0])
    print(f"joined again after {time.monotonic() - begun:.0f} s")
    assert lab.tailnet.device(device)["name"] + "." == native[pod][1]
    data = lab.wait("the new device is known", lambda: (found := data_of(lab, pod)).get("device_ips") != native[pod][2] and found)
    native[pod] = (data["device_id"], data["device_fqdn"], data["device_ips"])
    world.answers("the backend answers", world.addresses(pod)[0], f"backend saw {world.ips(pod)[0]}", on="client")


def test_certificate_of_a_group(lab, world, native, ordered):
    """Both pods serve it, and no change, restart or loss of a pod has ordered another one."""
    name = shared_name(lab)
    for machine in ("client", "other"):
        found = lab.wait(f"a page by HTTPS on {machine}", lambda machine=machine: trusted_page(lab, name, on=machine))
        assert found == "hello from the lab\n"
    assert (serial(lab, name, "client"), orders(lab, name)) == (serial(lab, name, "other"), ordered)


@pytest.fixture(scope="module")
def confined(world, native):
    """Returns the devices after a restart with the capabilities that they need instead of all privileges."""
    world.more = {"privileges": "capabilities"}
    objects = world.roll_out("native")
    assert not any(container.get("securityContext", {}).get("privileged") for item in objects if item["kind"] == "StatefulSet"
                   for container in item["spec"]["template"]["spec"]["containers"])
    assert world.devices(objects) == native
    return native


@pytest.mark.parametrize("mode", FORWARDING)
def test_traffic_without_privileges_of(lab, world, confined, mode):
    mode(lab, world, confined)


def test_back_to_containerboot(lab, world, confined, ordered):
    """containerboot needs no more than these capabilities, either."""
    objects = world.roll_out("containerboot")
    assert world.devices(objects) == confined
    pod, seconds = survives_the_loss_of_a_pod(lab, world)
    print(f"{pod} takes over after {seconds:.1f} s")
    domain = lab.inner["LAB_DOMAIN"]
    for name in ("site-inside", "shared"):
        lab.wait(f"a page of {name}", lambda name=name: trusted_page(lab, f"{name}.{domain}"))
    assert [orders(lab, f"{name}.{domain}") for name in ("site", "site-inside", "shared")] == [1, 1, ordered]
    for mode in ingress_by_address, egress_by_address, egress_by_name, connector:
        mode(lab, world, confined)
    assert usable_keys(lab) == []

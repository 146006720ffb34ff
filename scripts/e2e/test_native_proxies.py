"""Proves in the lab that what is rendered with `tailrender.dataplane: native` runs, forwards and comes back, in every mode.

One of each is rendered with our controller running: a Service that the tailnet reaches, by name and by a pinned address, Services that reach
the tailnet by address and by name, an Ingress, one that also takes cluster traffic, a Connector, a PeerRelay, an egress and an ingress group.
All join with stock containerboot, then restart as tailrender-proxy, which `diff` has named, as the same devices with the same addresses.
TCP and UDP cross each of them, IPv4 and IPv6; what arrives says which address it saw. Rules are those that nft(8) reads. Killed processes
come back; a changed ClusterIP is followed; groups carry traffic through a rolling restart. At last all become containerboot again.

The cluster's backend and the tailnet's are one program, beside the node and on a machine of the tailnet. The test control server tells no
node of Tailscale Services: the test makes their addresses routes of the pod that serves them, as the tailnet would.
"""
import json
import re
import shutil
import subprocess
import sys
import time

import pytest
import yaml

from audit import moment
from custom_resources import install_crds
from hello import namespaces_first
from installed import NAMESPACE, VALUES, data_of, install_controller, joins, lab_with_runtime, usable_keys
from shared.checks import documents, run

RELEASE = "1.104"
PINNED = "10.96.77.7"
BEHIND, NETWORK = "10.20.0.1", "10.20.0.0/16"
IMAGE = {"repository": "lab/proxy", "tag": "1.0.0"}
PORT, PROBE_SECONDS = 8001, 5
END_SECONDS = 60
LIVE_SECONDS = 30  # far less than the kubelet takes for mounted files, as a rule
# Answers over TCP and UDP, with its name and the address that asked. Datagrams are answered from the address that they were sent to.
SERVER = """
import socket, sys, threading
name, port, addresses = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
def answer(address):
    return f"{name} saw {address[0].removeprefix('::ffff:')}".encode()
tcp = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024)
def datagrams(own):
    udp = socket.socket(socket.AF_INET6 if ":" in own else socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((own, port))
    while True:
        _, address = udp.recvfrom(2048)
        udp.sendto(answer(address), address)
def serve(connection, address):
    try:
        connection.sendall(answer(address))
        while connection.recv(2048):
            connection.sendall(b".")
    except OSError:
        pass
    connection.close()
for own in addresses:
    threading.Thread(target=datagrams, args=(own,), daemon=True).start()
while True:
    threading.Thread(target=serve, args=tcp.accept(), daemon=True).start()
"""
# What the server answers over each, or why it does not.
CLIENT = f"""
import socket, sys
address, port = sys.argv[1], int(sys.argv[2])
family = socket.AF_INET6 if ":" in address else socket.AF_INET
for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
    with socket.socket(family, kind) as one:
        one.settimeout({PROBE_SECONDS})
        try:
            one.connect((address, port))
            if kind == socket.SOCK_DGRAM:
                one.send(b"?")
            print(one.recv(2048).decode())
        except OSError as error:
            print(type(error).__name__)
"""


def service(name, annotations=None, **spec):
    """With the port of the server, over TCP and UDP."""
    ports = [{"name": protocol.lower(), "port": PORT, "protocol": protocol} for protocol in ("TCP", "UDP")]
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "apps", "annotations": annotations or {}},
            "spec": {"ports": ports, **spec}}


def egress(name, **annotations):
    keys = {"tailscale.com/" + key.replace("_", "-"): value for key, value in annotations.items()}
    return service(name, keys, type="ExternalName", externalName="placeholder")


def ingress(name, **annotations):
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name, "namespace": "apps", "annotations": annotations},
            "spec": {"ingressClassName": "tailscale", "tls": [{"hosts": [name]}],
                     "defaultBackend": {"service": {"name": "hello", "port": {"number": 80}}}}}


def resource(kind, name, **spec):
    return {"apiVersion": "tailscale.com/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def inputs(client):
    expose = {"tailscale.com/expose": "true"}
    return [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hello", "namespace": "apps"},
         "spec": {"selector": {"app": "hello"}, "ports": [{"port": 80, "targetPort": 8080}]}},
        service("by-name", expose, ipFamilyPolicy="RequireDualStack"), service("pinned", expose, clusterIP=PINNED),
        egress("to-address", tailnet_ip=client), egress("to-name", tailnet_fqdn="client.lab.ts.net"),
        ingress("site"), ingress("site-inside", **{"tailscale.com/experimental-forward-cluster-traffic-via-ingress": "true"}),
        resource("Connector", "router", subnetRouter={"advertiseRoutes": [NETWORK]}),
        resource("PeerRelay", "edge"), resource("ProxyGroup", "out", type="egress", replicas=2),
        egress("through-group", proxy_group="out", tailnet_fqdn="client.lab.ts.net"),
        resource("ProxyGroup", "front", type="ingress", replicas=1),
        service("by-group", {"tailscale.com/proxy-group": "front", "tailscale.com/expose": "true"}, ipFamilyPolicy="RequireDualStack"),
    ]


def endpoints(name):
    """Of a Service without selector: the server beside the node."""
    for family, address in (("IPv4", "10.77.0.1"), ("IPv6", "fd00:77::1")):
        yield {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": family,
               "metadata": {"name": f"{name}-{family.lower()}", "namespace": "apps", "labels": {"kubernetes.io/service-name": name}},
               "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
               "ports": [{"name": protocol.lower(), "port": PORT, "protocol": protocol} for protocol in ("TCP", "UDP")]}


class World:
    def __init__(self, lab, tailrender, folder):
        self.lab, self.tailrender, self.folder = lab, tailrender, folder
        self.client = lab.run("tailscale", "ip", on="client").split()
        (folder / "tree").mkdir()
        (folder / "tree/all.yaml").write_text(yaml.safe_dump_all(inputs(self.client[0])), encoding="utf-8")
        (folder / "tree/fleet.yaml").write_text("defaultNamespace: apps\n", encoding="utf-8")

    def settings(self, dataplane):
        ours = {"dataplane": dataplane, "operatorVersion": RELEASE, "tailnetDomain": self.lab.inner["LAB_DOMAIN"],
                **{f"proxyImage.{key}": value for key, value in IMAGE.items()}}
        return ["--set=loginServer=" + self.lab.tailnet.url, *(f"--set=tailrender.{key}={value}" for key, value in ours.items())]

    def render(self, dataplane):
        return documents(run(self.tailrender, "render", self.folder / "tree", "--quiet", *self.settings(dataplane)))

    def roll_out(self, dataplane):
        objects = self.render(dataplane)
        namespaces_first(self.lab, objects)
        for name in (item["metadata"]["name"] for item in objects if item["kind"] == "StatefulSet"):
            self.lab.wait(f"{name} is rolled out", lambda name=name: self.is_rolled_out(name))
        return objects

    def is_rolled_out(self, name):
        """containerboot 1.104.5 now and then does not end when it is told to, before its grace period is over: 360 s in an egress group."""
        found = self.lab.get("statefulset", name, "-n", NAMESPACE)
        status, wanted = found["status"], found["spec"]["replicas"]
        for pod in self.lab.items("pod", "-n", NAMESPACE):
            meta = pod["metadata"]
            late = "deletionTimestamp" in meta and \
                time.time() - moment(meta["deletionTimestamp"]) + meta["deletionGracePeriodSeconds"] > END_SECONDS
            stuck = late and self.processes(meta["uid"]).get("containerboot")
            if stuck:
                print(f"containerboot of {meta['name']} does not end")
                self.lab.run("kill", "-KILL", str(stuck))
        return status.get("observedGeneration") == found["metadata"]["generation"] and \
            status.get("currentRevision") == status.get("updateRevision") and status.get("readyReplicas") == status["replicas"] == wanted

    def devices(self, objects):
        """Device and addresses of every pod that has joined."""
        def joined(pod):
            data = data_of(self.lab, pod)
            return data.get("device_fqdn") and (data["device_id"], data["device_fqdn"], data["device_ips"])
        return {pod: self.lab.wait(f"{pod} joins", lambda pod=pod: joined(pod)) for pod in self.pods(objects)}

    @staticmethod
    def pods(objects):
        return [f"{item['metadata']['name']}-{number}" for item in objects if item["kind"] == "StatefulSet"
                for number in range(item["spec"]["replicas"])]

    def pod_of(self, parent):
        [name] = [item["metadata"]["name"] for item in self.render("native") if item["kind"] == "StatefulSet" and
                  item["metadata"]["labels"]["tailscale.com/parent-resource"] == parent]
        return name + "-0"

    def ips(self, pod):
        """Of the pod in the cluster, IPv4 first."""
        return [item["ip"] for item in self.lab.get("pod", pod, "-n", NAMESPACE)["status"]["podIPs"]]

    def addresses(self, pod):
        """Of its device."""
        return json.loads(data_of(self.lab, pod)["device_ips"])

    def ask(self, address, port=PORT, on=None):
        """What the server says over TCP and over UDP."""
        return self.lab.run("python3", "-c", CLIENT, address, str(port), on=on).splitlines()

    def answers(self, what, address, wanted, port=PORT, on=None):
        """Waits for it over both."""
        def found():
            said = self.ask(address, port, on)
            assert said == [wanted] * 2, f"{said}, not {wanted}"
            return True
        self.lab.wait(what, found, 60)

    def in_pod(self, pod, *command):
        return self.lab.kubectl("exec", pod, "-n", NAMESPACE, "--", *command)

    def uid(self, pod):
        return self.lab.get("pod", pod, "-n", NAMESPACE)["metadata"]["uid"]

    def processes(self, uid):
        """Of a pod. Name: process id beside the node."""
        script = 'for p in $(grep -ls "$1" /proc/[0-9]*/cgroup | cut -d/ -f3); do echo "$p $(cat /proc/$p/comm)"; done'
        lines = self.lab.run("sh", "-c", script, "sh", uid).splitlines()
        return {name: int(number) for number, name in (line.split(" ", 1) for line in lines)}

    def restarts(self, pod):
        return self.lab.get("pod", pod, "-n", NAMESPACE)["status"]["containerStatuses"][0]["restartCount"]


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime, proxy):
    with lab_with_runtime(runtime) as found:
        found.verb("release", RELEASE)
        found.verb("proxy", "lab/proxy:1.0.0", str(proxy), RELEASE)
        found.verb("image", "lab/curl:1", shutil.which("curl"))
        install_crds(found, run(tailrender, "install", "--quiet", "--set", f"tailrender.operatorVersion={RELEASE}",
                                "--set", "tailrender.customResources=emit"))
        install_controller(found, tailrender, {"tailrender": VALUES["tailrender"] | {"operatorVersion": RELEASE}})
        yield found


@pytest.fixture(scope="module")
def world(lab, tailrender, scratch):
    found = World(lab, tailrender, scratch)
    lab.run("ip", "address", "add", BEHIND + "/32", "dev", "lo")
    for name, addresses, on in (("backend", ["10.77.0.1", "fd00:77::1", BEHIND], None), ("client", found.client, "client")):
        words = " ".join((name, str(PORT), *addresses))
        lab.run("sh", "-c", f'setsid python3 -c "$1" {words} >/dev/null 2>&1 &', "sh", SERVER, on=on)
    return found


@pytest.fixture(scope="module")
def before(world):
    """The devices of stock containerboot."""
    world.lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps"}}])
    world.lab.apply([{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "hello", "namespace": "apps"},
                      "spec": {"selector": {"matchLabels": {"app": "hello"}}, "template": {
                          "metadata": {"labels": {"app": "hello"}},
                          "spec": {"containers": [{"name": "page", "image": "lab/hello:1", "imagePullPolicy": "Never"}]}}}}])
    for name in ("by-name", "pinned", "by-group"):
        world.lab.apply(list(endpoints(name)))
    return world.devices(world.roll_out("containerboot"))


@pytest.fixture(scope="module")
def native(world, before):
    """The same, of tailrender-proxy."""
    begun = time.monotonic()
    objects = world.roll_out("native")
    print(f"all pods run it after {time.monotonic() - begun:.0f} s")
    return world.devices(objects)


def test_all_join_and_keep_their_devices(lab, world, before, native):
    assert native == before
    images = {image for item in lab.get("pod", "-n", NAMESPACE)["items"] if item["metadata"]["labels"].get("app") != "operator"
              for image in [container["image"] for container in item["spec"]["containers"]]}
    assert images == {"lab/proxy:1.0.0"}
    assert usable_keys(lab) == []


def test_ingress_by_name(world, native):
    pod = world.pod_of("by-name")
    for address, ip in zip(world.addresses(pod), world.ips(pod)):
        world.answers(f"the backend answers at {address}", address, f"backend saw {ip}", on="client")


def test_ingress_by_address(world, native):
    pod = world.pod_of("pinned")
    world.answers("the backend answers", world.addresses(pod)[0], f"backend saw {world.ips(pod)[0]}", on="client")


def test_egress_by_address(world, native):
    pod = world.pod_of("to-address")
    world.answers("the client answers", world.ips(pod)[0], f"client saw {world.addresses(pod)[0]}")


def test_egress_by_name(world, native):
    pod = world.pod_of("to-name")
    for ip, address in zip(world.ips(pod), world.addresses(pod)):
        world.answers(f"the client answers at {ip}", ip, f"client saw {address}")


def test_egress_group(lab, world, native):
    found = lab.items("service", "-n", NAMESPACE, "-l", "tailscale.com/parent-resource=through-group")
    [one] = [item for item in found if item["spec"].get("clusterIPs")]
    seen = [{f"client saw {world.addresses(f'out-{number}')[family]}" for number in (0, 1)} for family in (0, 1)]
    assert len(one["spec"]["clusterIPs"]) == 2
    for address, wanted in zip(one["spec"]["clusterIPs"], seen):
        lab.wait(f"the client answers at {address}", lambda address=address, wanted=wanted: set(world.ask(address)) <= wanted)
        answers = [world.ask(address) for _ in range(20)]
        assert set(sum(answers, [])) == wanted, "both pods, and no failure"


def put_certificate(lab, world, name):
    """Of the lab's authority, where tailscaled keeps its own; it looks there when it starts."""
    fqdn, pod = f"{name}.{lab.inner['LAB_DOMAIN']}", world.pod_of(name)
    lab.run("sh", "-c", f"""cd "$LAB" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {name}.key -subj /CN={fqdn} \
        -addext subjectAltName=DNS:{fqdn} -days 2 -CA ca.crt -CAkey ca.key -out {name}.crt""")
    files = {f"{fqdn}.{end}": lab.run("sh", "-c", f'cat "$LAB/{name}.{end}"') for end in ("crt", "key")}
    lab.kubectl("patch", "secret", pod, "-n", NAMESPACE, "--type", "merge", "-p", json.dumps({"stringData": files}))
    lab.kubectl("delete", "pod", pod, "-n", NAMESPACE, "--grace-period", "1")
    return fqdn, pod


def secure_page(lab, name, *words, on=None):
    return lab.run("sh", "-c", f'curl -sSf --max-time 10 --cacert "$LAB/ca.crt" "$@" https://{name}/', "sh", *words, on=on)


def test_ingress_serves(lab, world, native):
    name, pod = put_certificate(lab, world, "site")
    assert lab.wait("a page by HTTPS", lambda: secure_page(lab, name, on="client")) == "hello from the lab\n"
    assert json.loads(world.in_pod(pod, "tailscale", "status", "--json"))["BackendState"] == "Running", "with a read-only root"


def test_ingress_takes_cluster_traffic(lab, world, native):
    name, pod = put_certificate(lab, world, "site-inside")
    assert lab.wait("a page by HTTPS", lambda: secure_page(lab, name, on="client")) == "hello from the lab\n"
    found = lab.wait("the same at the address of the pod", lambda: secure_page(lab, name, "--resolve", f"{name}:443:{world.ips(pod)[0]}"))
    assert found == "hello from the lab\n"


def approve_routes(lab, device, wanted):
    lab.tailnet.log_in()
    path = f"/api/v2/device/{device}/routes"
    lab.wait("the routes are advertised", lambda: sorted(lab.tailnet.ok("GET", path)["advertisedRoutes"]) == sorted(wanted))
    lab.tailnet.ok("POST", path, {"routes": wanted})


def test_connector(lab, world, native):
    pod = world.pod_of("router")
    approve_routes(lab, native[pod][0], [NETWORK])
    # Past the tailnet there is no way to it.
    lab.run("ip", "route", "add", "unreachable", NETWORK, on="client")
    world.answers("the backend answers behind the Connector", BEHIND, f"backend saw {world.ips(pod)[0]}", on="client")


def test_ingress_group(lab, world, native):
    addresses = lab.wait("the Tailscale Service is registered", lambda: lab.tailnet.state()["services"].get("svc:apps-by-group", {}).get("addrs"))
    routes = [f"{address}/{128 if ':' in address else 32}" for address in addresses]
    world.in_pod("front-0", "tailscale", "set", "--advertise-routes=" + ",".join(routes))
    approve_routes(lab, native["front-0"][0], routes)
    for address, ip in zip(sorted(addresses, key=lambda address: ":" in address), world.ips("front-0")):
        world.answers(f"the backend answers at {address}", address, f"backend saw {ip}", on="client")


def test_peer_relay(lab, world, native):
    prefs = json.loads(world.in_pod("peerrelay-edge-0", "tailscale", "debug", "prefs"))
    assert prefs["RelayServerPort"] == 41641


def rules(world, pod):
    """The words of our table, as our program reads it, which prints those of others behind it; and as nft(8) does."""
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


def killed(lab, world, pod, name):
    """Ends that process of the pod; waits until the pod is ready again."""
    before = world.restarts(pod)
    lab.run("kill", "-KILL", str(world.processes(world.uid(pod))[name]))

    def is_back():
        [status] = lab.get("pod", pod, "-n", NAMESPACE)["status"]["containerStatuses"]
        return status["restartCount"] > before and status["ready"]
    begun = time.monotonic()
    lab.wait(f"{pod} is ready again", is_back)
    return time.monotonic() - begun


@pytest.mark.parametrize("name", ("tailrender-prox", "tailscaled"))
def test_killed_processes_come_back(lab, world, native, name):
    pod = world.pod_of("to-name")
    before = rules(world, pod)
    print(f"ready again after {killed(lab, world, pod, name):.1f} s")
    assert data_of(lab, pod)["device_id"] == native[pod][0]
    for ip, address in zip(world.ips(pod), world.addresses(pod)):
        world.answers(f"the client answers at {ip}", ip, f"client saw {address}")
    assert rules(world, pod) == before


def test_changed_cluster_ip_is_followed(lab, world, native):
    pod = world.pod_of("by-name")
    [before] = [item for item in world.render("native") if item["kind"] == "Service" and item["metadata"]["name"] == "by-name"]
    old = lab.get("service", "by-name", "-n", "apps")["spec"]["clusterIP"]
    lab.kubectl("delete", "service", "by-name", "-n", "apps")
    # Else it could get the same one.
    lab.apply([service("in-its-place", clusterIP=old), before])
    lab.apply(list(endpoints("by-name")))
    begun = time.monotonic()
    for address, ip in zip(world.addresses(pod), world.ips(pod)):
        world.answers(f"the backend answers at {address}", address, f"backend saw {ip}", on="client")
    print(f"followed after {time.monotonic() - begun:.1f} s")
    new = lab.get("service", "by-name", "-n", "apps")["spec"]["clusterIP"]
    ours, _ = rules(world, pod)
    assert (new in ours, old in ours) == (True, False), "targets"


def seconds_to_change(lab, world, change, what, probe):
    """The inputs are edited, rendered and applied. Until it can be seen."""
    change()
    namespaces_first(lab, world.render("native"))
    begun = time.monotonic()
    lab.wait(what, probe, LIVE_SECONDS)
    return time.monotonic() - begun


def test_changes_are_live_at_once(lab, world, native):
    """Where the kubelet would take up to 90 seconds to bring the mounted files up to date."""
    tree = world.folder / "tree/all.yaml"
    text = tree.read_text(encoding="utf-8")
    more = yaml.safe_dump(egress("later", proxy_group="out", tailnet_ip=world.client[0]))

    def later():
        found = lab.items("service", "-n", NAMESPACE, "-l", "tailscale.com/parent-resource=later")
        [address] = {item["spec"]["clusterIPs"][0] for item in found if item["spec"].get("clusterIPs")}
        return [said.partition(" saw ")[0] for said in world.ask(address)] == ["client", "client"]
    seconds = {"a Service of the egress group": seconds_to_change(
        lab, world, lambda: tree.write_text(f"{text}---\n{more}", encoding="utf-8"), "the later Service leads to the client", later)}
    name = f"site.{lab.inner['LAB_DOMAIN']}"

    def moved():
        return lab.run("sh", "-c", f'curl -sS --max-time 5 --cacert "$LAB/ca.crt" -o /dev/null -w "%{{http_code}}" https://{name}/', on="client") == "404"
    path = {"host": "site", "http": {"paths": [{"path": "/elsewhere", "pathType": "Prefix", "backend": {"service": {"name": "hello", "port": {"number": 80}}}}]}}
    changed = ingress("site")
    changed["spec"]["rules"] = [path]
    del changed["spec"]["defaultBackend"]
    documents_now = [item if (item["kind"], item["metadata"]["name"]) != ("Ingress", "site") else changed
                     for item in yaml.safe_load_all(tree.read_text(encoding="utf-8"))]
    seconds["a path of an Ingress"] = seconds_to_change(
        lab, world, lambda: tree.write_text(yaml.safe_dump_all(documents_now), encoding="utf-8"), "the Ingress serves another path", moved)
    print(", ".join(f"{what} after {took:.1f} s" for what, took in seconds.items()))


# Connects again and again, until its input ends; says how often, and how often in vain.
LOAD = """
import select, socket, sys, time
address, port, good, bad = sys.argv[1], int(sys.argv[2]), 0, []
while not select.select([sys.stdin], [], [], 0.05)[0]:
    try:
        with socket.create_connection((address, port), timeout=5) as one:
            one.settimeout(5)
            good += one.recv(2048) != b""
    except OSError as error:
        bad.append(f"{time.strftime('%X')} {type(error).__name__}")
print(good, len(bad), *bad[:20], sep="\\n")
"""


def test_rolling_restart_of_a_group(lab, world, native):
    [one] = [item for item in lab.items("service", "-n", NAMESPACE, "-l", "tailscale.com/parent-resource=through-group") if item["spec"].get("clusterIPs")]
    load = subprocess.Popen([sys.executable, "-c", LOAD, one["spec"]["clusterIP"], str(PORT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True, preexec_fn=lab.enter)
    begun = time.monotonic()
    lab.kubectl("rollout", "restart", "statefulset", "out", "-n", NAMESPACE)
    lab.kubectl("rollout", "status", "statefulset", "out", "-n", NAMESPACE, "--timeout", "240s")
    said, _ = load.communicate("\n")
    good, bad, *failures = said.split("\n")
    print(f"{good} connections while both pods were replaced in {time.monotonic() - begun:.0f} s, {bad} in vain: {failures}")
    assert int(good) > 100 and int(bad) == 0


def test_deleted_device_comes_back(lab, world, native):
    """By a person, while it runs: with a key that the controller mints, as another one of the same name."""
    pod = world.pod_of("pinned")
    begun = time.monotonic()
    lab.tailnet.ok("DELETE", "/admin/devices/" + native[pod][0])
    device = joins(lab, pod, old=native[pod][0])
    print(f"joined again after {time.monotonic() - begun:.0f} s")
    assert lab.tailnet.device(device)["name"] + "." == native[pod][1]
    data = lab.wait("the new device is known", lambda: (found := data_of(lab, pod)).get("device_ips") != native[pod][2] and found)
    native[pod] = (data["device_id"], data["device_fqdn"], data["device_ips"])
    world.answers("the backend answers", world.addresses(pod)[0], f"backend saw {world.ips(pod)[0]}", on="client")


def test_back_to_containerboot(lab, world, native):
    objects = world.roll_out("containerboot")
    assert world.devices(objects) == native
    pod = world.pod_of("pinned")
    world.answers("the backend answers", world.addresses(pod)[0], f"backend saw {world.ips(pod)[0]}", on="client")
    assert usable_keys(lab) == []

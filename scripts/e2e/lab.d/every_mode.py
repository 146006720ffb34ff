"""A proxy of each mode, as test_native_proxies.py renders and reaches them: two programs that answer over TCP and UDP with the address that
they saw, a Service, Ingress, Connector, PeerRelay and group of each kind, and their clients.
"""
import collections.abc
import json
import pathlib
import subprocess
import time
import types
import typing

import yaml

from audit import moment
from harness import SCRIPT, Lab
from hello import namespaces_first
from installed import NAMESPACE, data_of
from shared.checks import Object, documents, run
from shared.images import PROXY

PINNED = "10.96.77.7"
BEHIND, NETWORK = "10.20.0.1", "10.20.0.0/16"
FUNNEL = {"tailscale.com/funnel": "true"}
PORT, PROBE_SECONDS = 8001, 5
END_SECONDS = 60
LIVE_SECONDS = 30  # usually much less than the kubelet takes for mounted files
# The server answers over TCP and UDP, with its name and the client's address. Datagrams are answered from the address that they were sent
# to.
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
# Prints what the server answers over TCP and over UDP, or the error.
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


def service(name: str, annotations: dict[str, str] | None = None, **spec: object) -> Object:
    """Returns a Service with the port of the server, over TCP and UDP."""
    ports = [{"name": protocol.lower(), "port": PORT, "protocol": protocol} for protocol in ("TCP", "UDP")]
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "apps", "annotations": annotations or {}},
            "spec": {"ports": ports, **spec}}


def egress(name: str, **annotations: str) -> Object:
    keys = {"tailscale.com/" + key.replace("_", "-"): value for key, value in annotations.items()}
    return service(name, keys, type="ExternalName", externalName="placeholder")


def ingress(name: str, **annotations: str) -> Object:
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name, "namespace": "apps", "annotations": annotations},
            "spec": {"ingressClassName": "tailscale", "tls": [{"hosts": [name]}],
                     "defaultBackend": {"service": {"name": "hello", "port": {"number": 80}}}}}


def resource(kind: str, name: str, **spec: object) -> Object:
    return {"apiVersion": "tailscale.com/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def with_acme_directory(url: str) -> Object:
    env = [{"name": "TS_DEBUG_ACME_DIRECTORY_URL", "value": url}]
    return resource("ProxyClass", "acme", statefulSet={"pod": {"tailscaleContainer": {"env": env}}})


def inputs(client: str, acme: str) -> list[Object]:
    expose = {"tailscale.com/expose": "true"}
    return [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hello", "namespace": "apps"},
         "spec": {"selector": {"app": "hello"}, "ports": [{"port": 80, "targetPort": 8080}]}},
        service("by-name", expose, ipFamilyPolicy="RequireDualStack"), service("pinned", expose, clusterIP=PINNED),
        egress("to-address", tailnet_ip=client), egress("to-name", tailnet_fqdn="client.lab.ts.net"),
        with_acme_directory(acme), ingress("site", **FUNNEL), ingress("site-inside", **{"tailscale.com/experimental-forward-cluster-traffic-via-ingress": "true"}),
        resource("Connector", "router", subnetRouter={"advertiseRoutes": [NETWORK]}),
        resource("PeerRelay", "edge"), resource("ProxyGroup", "out", type="egress", replicas=2),
        egress("through-group", proxy_group="out", tailnet_fqdn="client.lab.ts.net"),
        resource("ProxyGroup", "front", type="ingress", replicas=2),
        ingress("shared", **{"tailscale.com/proxy-group": "front"}),
        service("by-group", {"tailscale.com/proxy-group": "front", "tailscale.com/expose": "true"}, ipFamilyPolicy="RequireDualStack"),
    ]


def endpoints(name: str) -> collections.abc.Iterator[Object]:
    """Yields the endpoints of a Service without selector: the server beside the node."""
    for family, address in (("IPv4", "10.77.0.1"), ("IPv6", "fd00:77::1")):
        yield {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": family,
               "metadata": {"name": f"{name}-{family.lower()}", "namespace": "apps", "labels": {"kubernetes.io/service-name": name}},
               "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
               "ports": [{"name": protocol.lower(), "port": PORT, "protocol": protocol} for protocol in ("TCP", "UDP")]}


def start_server(lab: Lab, name: str, addresses: collections.abc.Iterable[str], on: str | None = None) -> None:
    words = " ".join((name, str(PORT), *addresses))
    lab.run("sh", "-c", f'setsid python3 -c "$1" {words} >/dev/null 2>&1 &', "sh", SERVER, on=on)


def ask(lab: Lab, address: str, port: int = PORT, on: str | None = None) -> list[str]:
    """Returns what the server answers over TCP and over UDP."""
    return lab.run("python3", "-c", CLIENT, address, str(port), on=on).splitlines()


class World:
    def __init__(self, lab: Lab, tailrender: pathlib.Path, folder: pathlib.Path) -> None:
        self.lab, self.tailrender, self.folder = lab, tailrender, folder
        self.more: dict[str, str] = {}  # further settings, which tests add
        self.client = lab.run("tailscale", "ip", on="client").split()
        (folder / "tree").mkdir()
        (folder / "tree/all.yaml").write_text(yaml.safe_dump_all(inputs(self.client[0], lab.inner["LAB_ACME"])), encoding="utf-8")
        (folder / "tree/fleet.yaml").write_text("defaultNamespace: apps\n", encoding="utf-8")

    def edit(self, change: collections.abc.Callable[[dict[tuple[str, str], Object]], list[Object] | None]) -> None:
        """Edits the inputs: `change` gets them by kind and name, and returns additional ones, if any."""
        path = self.folder / "tree/all.yaml"
        items = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        more = change({(item["kind"], item["metadata"]["name"]): item for item in items})
        path.write_text(yaml.safe_dump_all(items + (more or [])), encoding="utf-8")

    def settings(self, dataplane: str) -> list[str]:
        ours = {"dataplane": dataplane, "proxyImage.repository": PROXY, "tailnetDomain": self.lab.inner["LAB_DOMAIN"], **self.more}
        return ["--set=loginServer=" + self.lab.tailnet.url, "--set=proxyConfig.defaultProxyClass=acme", *(f"--set=tailrender.{key}={value}" for key, value in ours.items())]

    def render(self, dataplane: str) -> list[Object]:
        return documents(run(self.tailrender, "render", self.folder / "tree", "--quiet", *self.settings(dataplane)))

    def roll_out(self, dataplane: str) -> list[Object]:
        objects = self.render(dataplane)
        namespaces_first(self.lab, objects)
        for name in (item["metadata"]["name"] for item in objects if item["kind"] == "StatefulSet"):
            self.lab.wait(f"{name} is rolled out", lambda: self.is_rolled_out(name))
        return objects

    def is_rolled_out(self, name: str) -> bool:
        """Sometimes containerboot 1.104.5 ignores SIGTERM until its grace period is over, which is 360 s in an egress group."""
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

    def devices(self, objects: list[Object]) -> dict[str, tuple[str, str, str]]:
        """Returns the device and addresses of every pod that has joined."""
        def joined(pod: str) -> typing.Any:
            data = data_of(self.lab, pod)
            return data.get("device_fqdn") and (data["device_id"], data["device_fqdn"], data["device_ips"])
        return {pod: self.lab.wait(f"{pod} joins", lambda: joined(pod)) for pod in self.pods(objects)}

    @staticmethod
    def pods(objects: list[Object]) -> list[str]:
        return [f"{item['metadata']['name']}-{number}" for item in objects if item["kind"] == "StatefulSet"
                for number in range(item["spec"]["replicas"])]

    def pod_of(self, parent: str) -> str:
        [name] = [item["metadata"]["name"] for item in self.render("native") if item["kind"] == "StatefulSet" and
                  item["metadata"]["labels"]["tailscale.com/parent-resource"] == parent]
        return name + "-0"

    def ips(self, pod: str) -> list[str]:
        """Returns the addresses of the pod in the cluster, IPv4 first."""
        return [item["ip"] for item in self.lab.get("pod", pod, "-n", NAMESPACE)["status"]["podIPs"]]

    def addresses(self, pod: str) -> list[str]:
        """Returns the addresses of its device."""
        return json.loads(data_of(self.lab, pod)["device_ips"])

    def ask(self, address: str, port: int = PORT, on: str | None = None) -> list[str]:
        return ask(self.lab, address, port, on)

    def answers(self, what: str, address: str, wanted: str, port: int = PORT, on: str | None = None) -> None:
        """Waits for an answer over both TCP and UDP."""
        def found() -> bool:
            said = self.ask(address, port, on)
            assert said == [wanted] * 2, f"{said}, not {wanted}"
            return True
        self.lab.wait(what, found, 60)

    def prefs(self, pod: str) -> Object:
        """Returns the preferences of its tailscaled."""
        return json.loads(self.in_pod(pod, "tailscale", "debug", "prefs"))

    def in_pod(self, pod: str, *command: str) -> str:
        return self.lab.kubectl("exec", pod, "-n", NAMESPACE, "--", *command)

    def is_ready(self, pod: str) -> bool:
        found = self.lab.get("pod", pod, "-n", NAMESPACE) or {"status": {}}
        return any(item["type"] == "Ready" and item["status"] == "True" for item in found["status"].get("conditions", []))

    def uid(self, pod: str) -> str:
        return self.lab.get("pod", pod, "-n", NAMESPACE)["metadata"]["uid"]

    def processes(self, uid: str) -> dict[str, int]:
        """Maps the name of each process of a pod to its id beside the node."""
        script = 'for p in $(grep -ls "$1" /proc/[0-9]*/cgroup | cut -d/ -f3); do echo "$p $(cat /proc/$p/comm)"; done'
        lines = self.lab.run("sh", "-c", script, "sh", uid).splitlines()
        return {name: int(number) for number, name in (line.split(" ", 1) for line in lines)}

    def restarts(self, pod: str) -> int:
        return self.lab.get("pod", pod, "-n", NAMESPACE)["status"]["containerStatuses"][0]["restartCount"]


# Connects again and again until its input ends; prints how often, and how often it failed.
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


class Load:
    """Makes new connections while its block runs, one after the other, from beside the node or a machine; then `good` has the number of
    successes, `bad` that of failures."""
    good: int
    bad: int

    def __init__(self, lab: Lab, address: str, on: str | None = None) -> None:
        command: list[str | pathlib.Path] = [SCRIPT, "run", *(["--on", on] if on else []), "python3", "-c", LOAD, address, str(PORT)]
        self.process = subprocess.Popen(command, env=lab.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> typing.Self:
        self.begun = time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        said, _ = self.process.communicate("\n")
        lines: list[typing.Any] = [int(line) if line.isdigit() else line for line in said.splitlines()]
        self.good, self.bad, *failures = lines
        print(f"{self.good} connections in {time.monotonic() - self.begun:.0f} s, {self.bad} in vain: {failures}")

"""The lab of test_hostile_pods.py: the controller, two proxies with stock containerboot, others whose pods run nothing, and a machine.

    with world_in_a_lab(tailrender, runtime) as world:
        with world.nothing_else_changes("bad"):      than what belongs to the proxy of Service apps/bad, or only for the time being
            world.pods["bad"].write(…)
            world.says("bad", "CannotNoteDevice", id)

"bad", "bad-web" and "bad-recorder" are taken over; "good" and "good-web" belong to other tenants, as does what is called "elsewhere":
a Service that another load balancer serves.
"""
import collections.abc
import contextlib
import pathlib
import time

import yaml

from bystanders import differences, others, records, table
from harness import Lab
from hello import namespaces_first
from installed import NAMESPACE, VALUES, lab_with_controller
from shared import checks
from shared.checks import Object
from taken_pods import TakenPod, idle

STOCK = ("bad", "good")
ELSEWHERE = "203.0.113.7"
PARENT, HOSTNAME, TAGS = (f"tailrender.dev/{word}" for word in ("parent", "hostname", "tags"))


def service(name: str, tags: str = "tag:k8s", fqdn: str = "") -> Object:
    """Returns a Service that is published in the tailnet, or an egress to that name there."""
    meta = {"name": name, "namespace": "apps", "annotations": {"tailscale.com/tags": tags} | ({"tailscale.com/tailnet-fqdn": fqdn} if fqdn else {})}
    published = {"type": "LoadBalancer", "loadBalancerClass": "tailscale", "selector": {"app": name}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"type": "ExternalName", "externalName": "none"} if fqdn else published}


def web(name: str) -> Object:
    backend = {"service": {"name": "good", "port": {"number": 80}}}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name, "namespace": "apps"},
            "spec": {"ingressClassName": "tailscale", "defaultBackend": backend, "tls": [{"hosts": [name]}]}}


def custom(kind: str, name: str, spec: Object) -> Object:
    return {"apiVersion": "tailscale.com/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


INPUTS = [service("bad"), service("good"), web("bad-web"), web("good-web"), service("beat", tags="tag:hello"),
          custom("Recorder", "bad-recorder", {"tags": ["tag:recorder"], "storage": {"s3": {"endpoint": "none.example.com", "bucket": "none"}}}),
          custom("DNSConfig", "names", {"nameserver": {}})]


def elsewhere() -> Object:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "elsewhere", "namespace": "apps"},
            "spec": {"type": "LoadBalancer", "loadBalancerClass": "example.com/metal", "ports": [{"port": 80}]}}


class World:
    def __init__(self, lab: Lab, tailrender: pathlib.Path, runtime: pathlib.Path) -> None:
        self.lab, self.tailrender, self.runtime = lab, tailrender, runtime
        self.pods: dict[str, TakenPod] = {}
        self.hostnames: dict[str, str] = {}
        self.beats = 0

    def rendered(self, inputs: list[Object]) -> list[Object]:
        """Returns the objects by name of the parent, without those that no test needs; the pods of all but STOCK run nothing."""
        values = {"loginServer": self.lab.tailnet.url, "tailrender": VALUES["tailrender"] | {"dataplane": "containerboot"}}
        objects = [item for item in checks.rendered(self.tailrender, inputs, values) if item["kind"] != "Deployment"]
        for item in objects:
            if item["kind"] == "StatefulSet":
                name = item["metadata"]["annotations"][PARENT].rpartition("/")[2]
                self.pods[name] = TakenPod(self.lab, item["metadata"]["name"])
                self.hostnames[name] = item["metadata"]["annotations"][HOSTNAME]
                if name not in STOCK:
                    idle([item])
        return objects

    def annotate(self, name: str, **annotations: str) -> None:
        """Changes annotations, as a user does by rendering something else."""
        words = [f"tailrender.dev/{key}={value}" for key, value in annotations.items()]
        self.lab.kubectl("annotate", "--overwrite", "statefulset", self.pods[name].set, "-n", NAMESPACE, *words)

    def start(self) -> None:
        namespaces_first(self.lab, self.rendered(INPUTS) + [elsewhere()])
        status = {"status": {"loadBalancer": {"ingress": [{"ip": ELSEWHERE}]}}}
        self.lab.kubectl("patch", "service", "elsewhere", "-n", "apps", "--subresource", "status", "--type", "merge", "-p", yaml.safe_dump(status))
        for name in ("bad-web", "good-web"):
            self.play(name)
        recorder = self.pods["bad-recorder"]
        recorder.join(f"/etc/tailscaled/{recorder.name}/authkey")
        recorder.says_what_recorder_it_is()
        recorder.is_noted()
        for name in STOCK:
            pod = self.pods[name]
            noted = self.lab.wait(f"{name} has joined", pod.noted)
            pod.device = self.lab.tailnet.device(noted)
        self.lab.wait("the Service has its status", lambda: self.lab.get("service", "good", "-n", "apps")["status"]["loadBalancer"].get("ingress"))
        self.lab.wait("the records have good-web", lambda: ("ip4", self.pods["good-web"].device["name"]) in records(self.lab))
        self.beat()

    def play(self, name: str, **more: str) -> None:
        pod = self.pods[name]
        pod.join(f"/etc/tsauth/{pod.name}/authkey")
        more = more or ({"https_endpoint": pod.device["name"]} if name.endswith("-web") else {})
        pod.says_who_it_is(**more)
        pod.is_noted()

    def client(self) -> Object:
        """A machine of the tailnet, with tags that no proxy has."""
        [device] = [found for found in self.lab.tailnet.state()["devices"] if found["hostname"] == "client"]
        return device

    def beat(self) -> None:
        """Waits until the controller has looked at everything that was there before."""
        self.beats += 1
        name = f"beat-{self.beats}"
        self.annotate("beat", hostname=name)
        self.lab.wait(f"the controller notes {name}", lambda: table(self.lab).get(self.pods["beat"].name, {}).get("hostname") == name)

    def is_calm(self, *names: str) -> None:
        """Waits until no earlier attempt is pending, since it would delay the next one."""
        for name in names:
            self.lab.wait(f"nothing of {name} is pending", lambda: "problem" not in table(self.lab)[self.pods[name].name])

    @contextlib.contextmanager
    def nothing_else_changes(self, *names: str) -> collections.abc.Iterator[None]:
        self.beat()
        proxies = {self.hostnames[name]: self.pods[name].set for name in (*names, "beat") if name in self.pods}
        before = others(self.lab, proxies)
        assert {"line of " + self.pods["good"].name, "Service apps/good", "Pod " + NAMESPACE + "/" + self.pods["good"].name} <= before.keys()
        yield
        self.beat()
        proxies |= {self.hostnames[name]: self.pods[name].set for name in names if name in self.pods}
        assert differences(before, others(self.lab, proxies)) == {}, f"what has changed besides {names}"

    @contextlib.contextmanager
    def another(self, name: str, **more: str) -> collections.abc.Iterator[TakenPod]:
        """Runs a proxy that starts in the block and is deleted at the end."""
        objects = self.rendered([service(name, **more)])
        pod = self.pods[name]
        begun = time.monotonic()
        self.lab.apply(objects)
        try:
            self.lab.wait(f"{name} has a key", lambda: (self.lab.get("secret", pod.name + "-auth", "-n", NAMESPACE) or {}).get("data", {}).get("authkey"))
            pod.seconds = time.monotonic() - begun
            yield pod
        finally:
            self.lab.delete(objects)

            def is_gone() -> bool:
                self.lab.confirm_removals()
                return not any(self.lab.get("secret", pod.name + end, "-n", NAMESPACE) for end in ("", "-auth"))
            self.lab.wait(f"nothing is left of {name}", is_gone)

    def others_are_served(self, name: str) -> None:
        """Checks that a new proxy is served, whatever a pod does meanwhile."""
        with self.another(name, tags="tag:hello") as pod:
            print(f"{name} had its key after {pod.seconds:.1f} s")
            self.lab.wait(f"{name} is in the table", lambda: pod.name in table(self.lab))

    def events(self, name: str) -> list[Object]:
        """Returns the Events about an object, whatever its kind."""
        return [item for item in self.lab.items("events", "-A") if item["involvedObject"]["name"] == name]

    def says(self, name: str, reason: str, words: str = "") -> Object:
        return self.lab.wait(f"an Event {reason} about {name} that says {words}", lambda: next(
            (item for item in self.events(name) if item["reason"] == reason and words in item["message"]), None))


@contextlib.contextmanager
def world_in_a_lab(tailrender: pathlib.Path, runtime: pathlib.Path) -> collections.abc.Iterator[World]:
    with lab_with_controller(tailrender, runtime) as lab:
        world = World(lab, tailrender, runtime)
        world.start()
        yield world

"""How soon rules carry traffic in the lab's cluster, with tailrender-proxy and with stock containerboot beside it.

Of each dataplane there are an egress proxy, whose target is a machine of the tailnet by name, and an egress group, whose pods are replaced
under load at last. Prints rows of Markdown tables: medians, and the limit for ours; exits with 1 when it is missed.
"""
import argparse
import base64
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import yaml

from every_mode import PORT, ask, egress, resource, start_server
from harness import Lab
from hello import namespaces_first
from installed import NAMESPACE, give_proxy_image, install_controller
from shared.checks import documents, run
from shared.images import PROXY_IMAGE

DATAPLANES = ("native", "containerboot")
PARENT = "tailscale.com/parent-resource"
LIMIT_SECONDS = 1.0
REPLICAS, LIMIT_LOST, RATE = 3, 0.001, 500  # the last one is of new connections a second
# Connects until the server answers; prints when, and how often it was in vain.
PROBE = """
import socket, sys, time
address, port, vain = sys.argv[1], int(sys.argv[2]), 0
while True:
    try:
        with socket.create_connection((address, port), timeout=0.2) as one:
            one.settimeout(5)
            if one.recv(2048):
                break
    except OSError:
        vain += 1
        time.sleep(0.01)
print(time.time(), vain)
"""

# Connects at a rate, whatever becomes of it, until its input ends; prints how often, and how often in vain.
LOAD = """
import asyncio, socket, struct, sys
address, port, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
counts = {True: 0, False: 0}
async def connect():
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(address, port), 5)
        counts[bool(await asyncio.wait_for(reader.read(2048), 5))] += 1
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()
    except (OSError, asyncio.TimeoutError):
        counts[False] += 1
async def main():
    loop, running, number = asyncio.get_running_loop(), set(), 0
    ended = loop.run_in_executor(None, sys.stdin.read)
    begun = loop.time()
    while not ended.done():
        while number < (loop.time() - begun) * rate:
            number += 1
            task = asyncio.create_task(connect())
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.sleep(0.002)
    await asyncio.gather(*running)
    print(number, counts[False], loop.time() - begun)
asyncio.run(main())
"""


class Probe:
    """Runs beside the node, from now on."""

    def __init__(self, lab, address, port):
        self.process = subprocess.Popen(["python3", "-c", PROBE, address, str(port)], env=lab.inner, preexec_fn=lab.enter,
                                        stdout=subprocess.PIPE, text=True)

    def live_at(self):
        try:
            said, _ = self.process.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        moment, vain = said.split()
        assert int(vain) > 0, "it carried traffic before it was looked at"
        return float(moment)


class Bench:
    def __init__(self, lab, tailrender):
        self.lab, self.tailrender, self.services = lab, tailrender, []
        for dataplane in DATAPLANES:
            alone = egress("far-" + dataplane, tailnet_fqdn=self.name)
            group = resource("ProxyGroup", "out-" + dataplane, type="egress", replicas=REPLICAS)
            for item in (alone, group):
                item["metadata"].setdefault("annotations", {})["tailrender.dev/dataplane"] = dataplane
                self.services.append(item)
            self.add_to_group(dataplane, "first")

    @property
    def name(self):
        return "client." + self.lab.inner["LAB_DOMAIN"]

    def add_to_group(self, dataplane, name):
        self.services.append(egress(f"{name}-{dataplane}", proxy_group="out-" + dataplane, tailnet_fqdn=self.name))

    def render(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "all.yaml").write_text(yaml.safe_dump_all(self.services), encoding="utf-8")
            return documents(run(self.tailrender, "render", folder, "--quiet", "--set", PROXY_IMAGE, "--set=loginServer=" + self.lab.tailnet.url))

    def pod_of(self, parent):
        [name] = [item["metadata"]["name"] for item in self.render() if item["kind"] == "StatefulSet" and
                  item["metadata"]["labels"][PARENT] == parent]
        return name + "-0"

    def pod(self, name):
        return self.lab.get("pod", name, "-n", NAMESPACE)

    def address(self, name, but=None):
        """Of the pod, once it has one; of another one than `but`, a uid."""
        def found():
            pod = self.pod(name) or {"metadata": {"uid": but}}
            return pod["metadata"]["uid"] != but and pod["status"].get("podIP")
        return self.lab.wait(f"{name} has an address", found)

    def seconds_to_start(self, name):
        """From tailscaled's word that it runs."""
        old = self.pod(name)["metadata"]["uid"]
        self.lab.kubectl("delete", "pod", name, "-n", NAMESPACE, "--grace-period", "1")
        live = Probe(self.lab, self.address(name, old), PORT).live_at()

        def running():  # the kubelet shows the log a second after the start
            lines = self.lab.kubectl("logs", "--timestamps", name, "-n", NAMESPACE, "-c", "tailscale").splitlines()
            return next((line for line in lines if "Starting -> Running" in line), None)
        return live - datetime.datetime.fromisoformat(self.lab.wait("it runs", running).split()[0][:26] + "+00:00").timestamp()

    def seconds_to_change(self, number):
        """From the start of kubectl, which applies the ConfigMaps with a Service more."""
        for dataplane in DATAPLANES:
            self.add_to_group(dataplane, f"more-{number}")
        objects, probes = self.render(), {}
        for dataplane in DATAPLANES:
            [config] = [item for item in objects if item["metadata"]["name"] == f"out-{dataplane}-egress-config"]
            services = json.loads(base64.b64decode(config["binaryData"]["egress-services"]))
            [port] = [port["matchPort"] for port in services[f"apps-more-{number}-{dataplane}"]["ports"] if port["protocol"] == "TCP"]
            probes[dataplane] = Probe(self.lab, self.address(f"out-{dataplane}-0"), port)
        self.lab.apply([item for item in objects if item["kind"] != "ConfigMap"])
        begun = datetime.datetime.now().timestamp()
        self.lab.apply([item for item in objects if item["kind"] == "ConfigMap"])
        return {dataplane: probe.live_at() - begun for dataplane, probe in probes.items()}

    def roll_out_under_load(self, dataplane):
        """The pods of the group are replaced. How many connections there were, how many in vain, and in how many seconds."""
        group = "out-" + dataplane
        found = self.lab.items("service", "-n", NAMESPACE, "-l", f"{PARENT}=first-{dataplane}")
        [address] = [item["spec"]["clusterIP"] for item in found if item["spec"].get("clusterIP") not in (None, "None")]
        self.lab.wait("the client is reached", lambda: "client saw" in ask(self.lab, address)[0])
        self.lab.kubectl("rollout", "status", "statefulset/" + group, "-n", NAMESPACE, "--timeout=4m")
        before = {self.pod(f"{group}-{number}")["metadata"]["uid"] for number in range(REPLICAS)}
        load = subprocess.Popen(["python3", "-c", LOAD, address, str(PORT), str(RATE)], env=self.lab.inner, preexec_fn=self.lab.enter,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.lab.kubectl("rollout", "restart", "statefulset/" + group, "-n", NAMESPACE)
            self.lab.kubectl("rollout", "status", "statefulset/" + group, "-n", NAMESPACE, "--timeout=20m")
        finally:
            said, _ = load.communicate("")
        assert not before & {self.pod(f"{group}-{number}")["metadata"]["uid"] for number in range(REPLICAS)}, "pods that were not replaced"
        made, vain, seconds = said.split()
        return int(made), int(vain), float(seconds)


def table(what, seconds):
    medians = {dataplane: statistics.median(seconds[dataplane]) for dataplane in DATAPLANES}
    met = medians["native"] <= LIMIT_SECONDS
    print(f"| {what} | {medians['native']:.2f} s | {medians['containerboot']:.2f} s | {LIMIT_SECONDS:.0f} s{'' if met else ', missed'} |", flush=True)
    return met


def until_live(bench, pods, given):
    """Whether the limits are met."""
    print("| until rules carry traffic, medians | native | containerboot | limit |\n|---|---|---|---|", flush=True)
    starts = {dataplane: [] for dataplane in DATAPLANES}
    for _ in range(given.starts):
        for dataplane, pod in pods.items():
            starts[dataplane].append(bench.seconds_to_start(pod))
    changes = [bench.seconds_to_change(number) for number in range(given.changes)]
    return [table("tailscaled runs", starts),
            table("a Service more in an egress group", {dataplane: [one[dataplane] for one in changes] for dataplane in DATAPLANES})]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tailrender", "runtime", "proxy"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    parser.add_argument("--starts", type=int, default=9)
    parser.add_argument("--changes", type=int, default=5)
    parser.add_argument("--only-restart", action="store_true", help="only replace the pods of the groups")
    given = parser.parse_args()
    with Lab() as lab:
        lab.verb("image", "lab/runtime:1", str(given.runtime))
        give_proxy_image(lab, given.tailrender, given.proxy)
        install_controller(lab, given.tailrender)
        start_server(lab, "client", lab.run("tailscale", "ip", on="client").split(), "client")
        bench = Bench(lab, given.tailrender)
        namespaces_first(lab, bench.render())
        pods = {dataplane: bench.pod_of("far-" + dataplane) for dataplane in DATAPLANES}
        for dataplane, pod in pods.items():
            lab.wait("the client is reached", lambda pod=pod: "client saw" in ask(lab, bench.address(pod))[0])
            lab.wait("the group has joined", lambda dataplane=dataplane: bench.address(f"out-{dataplane}-0"))
        met = [True] if given.only_restart else until_live(bench, pods, given)
        print(f"\n| {REPLICAS} pods of an egress group replaced, {RATE} new connections a second | connections | lost | seconds |\n|---|---|---|---|")
        for dataplane in DATAPLANES:
            made, vain, seconds = bench.roll_out_under_load(dataplane)
            met.append(dataplane != "native" or vain <= LIMIT_LOST * made)
            print(f"| {dataplane} | {made} | {vain} ({100 * vain / made:.2f} %){'' if met[-1] else ', missed'} | {seconds:.0f} |", flush=True)
    sys.exit(not all(met))


main()

"""Thousands of proxies on a real API server: what is rendered for them, and what controller, kubelet and containerboot would have left."""
import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import ssl
import tempfile
import threading
import time
import urllib.parse
import uuid

import yaml

from shared.checks import run
from shared.controller_process import NAMESPACE
from shared.kube_api import PATCHES

CORE, APPS = f"/api/v1/namespaces/{NAMESPACE}", f"/apis/apps/v1/namespaces/{NAMESPACE}"
CONNECTIONS = 8
IDLE = 30  # seconds
AT_ONCE = 20  # copies; etcd takes 128 operations
WIDTH = 60  # of a list of addresses
UUID = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# What the controller reads and writes; the API server writes others by itself.
RESOURCES = "configmaps events ingresses pods secrets services statefulsets".split()
WRITES = "APPLY DELETE PATCH POST PUT".split()


class Connections:
    """Requests to one server, over one connection for each thread."""

    def __init__(self, url, context=None):
        self.url, self.context, self.mine = urllib.parse.urlsplit(url), context, threading.local()

    def open(self):
        if self.context is None:
            return http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=120)
        return http.client.HTTPSConnection(self.url.hostname, self.url.port, timeout=120, context=self.context)

    def text(self, method, path, body=None):
        if time.monotonic() - getattr(self.mine, "used", 0) > IDLE:  # the server may have closed it
            self.mine.connection = self.open()
        self.mine.connection.request(method, path, None if body is None else json.dumps(body),
                                     {"Content-Type": PATCHES.get(method, "application/json")})
        answer = self.mine.connection.getresponse()
        self.mine.used = time.monotonic()
        text = answer.read().decode()
        assert answer.status in (200, 201), f"{method} {path}: {answer.status} {text[:500]}"
        return text

    def ask(self, path, body=None):
        return json.loads(self.text("POST" if body else "GET", path, body))

    def patch(self, path, body):
        return json.loads(self.text("PATCH", path, body))


def cluster():
    """The API server of KUBECONFIG, as its administrator."""
    config = yaml.safe_load(pathlib.Path(os.environ["KUBECONFIG"]).read_text(encoding="utf-8"))
    server, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    context = ssl.create_default_context(cafile=server["certificate-authority"])
    context.load_cert_chain(user["client-certificate"], user["client-key"])
    return Connections(server["server"], context)


def writes(api):
    """How many requests have changed something that the controller looks at."""
    total = 0
    for line in api.text("GET", "/metrics").splitlines():
        if line.startswith("apiserver_request_total{"):
            labels = dict(re.findall(r'(\w+)="([^"]*)"', line))
            total += float(line.rsplit(" ", 1)[1]) if labels["verb"] in WRITES and labels["resource"] in RESOURCES else 0
    return total


def for_each(what, items):
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        return list(pool.map(what, items))


def service(name, namespace="shop"):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace},
            "spec": {"type": "LoadBalancer", "loadBalancerClass": "tailscale", "allocateLoadBalancerNodePorts": False,
                     "selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": 8080}]}}


def render(tailrender, services):
    """The StatefulSet of the first, and the names of all, in the same order."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "services.yaml").write_text("\n---\n".join(map(json.dumps, services)), encoding="utf-8")
        text = run(tailrender, "render", folder, "--quiet", "--set", "loginServer=http://127.0.0.1:1")
    found = {}
    for document in text.split("\n---\n"):
        if "\nkind: StatefulSet\n" in document:
            found[re.search(r"tailrender\.dev/parent: Service/(\S+)", document)[1]] = document
    mine = [found[f"{item['metadata']['namespace']}/{item['metadata']['name']}"] for item in services]
    return yaml.safe_load(mine[0]), [re.search(r"^  name: (\S+)", document, re.MULTILINE)[1] for document in mine]


def encoded(value):
    return base64.b64encode(value.encode()).decode()


def secret(stateful_set, name, role, data, **notes):
    labels = {"tailrender.dev/secret": role, **stateful_set["metadata"]["labels"]}
    notes = {"tailrender.dev/" + key.replace("_", "-"): value for key, value in notes.items()}
    return {"apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels,
                         "annotations": {"tailrender.dev/statefulset": stateful_set["metadata"]["name"], **notes}},
            "data": {key: encoded(value) for key, value in data.items()}}


def create_wanted(api, parent, stateful_set):
    """What its user and the renderer have written: a Service, and its StatefulSet."""
    api.ask(f"/api/v1/namespaces/{parent['metadata']['namespace']}/services", parent)
    api.ask(APPS + "/statefulsets", stateful_set)


def addresses_of(device):
    """As its pod says them. The spaces are in no address."""
    return json.dumps(device["addresses"][:1]).ljust(WIDTH)


def notes_of(device):
    """As the controller notes them. The spaces are in the last one, which no Service of the bench gets."""
    return ",".join(device["addresses"]).ljust(WIDTH)


def create_joined(api, stateful_set, device):
    """What is left by the others of a proxy whose device has joined."""
    pod, template = stateful_set["metadata"]["name"] + "-0", stateful_set["spec"]["template"]
    made = api.ask(CORE + "/pods", {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
                                    "metadata": {"name": pod, "namespace": NAMESPACE, "labels": template["metadata"]["labels"]}})
    state = {"device_id": device["nodeId"], "device_fqdn": device["name"] + ".", "device_ips": addresses_of(device),
             "pod_uid": made["metadata"]["uid"], "tailscale_capver": "131", "_machinekey": "x" * 150, "_profiles": "y" * 600,
             "profile-1": "z" * 3000}
    api.ask(CORE + "/secrets", secret(stateful_set, pod, "state", state))
    api.ask(CORE + "/secrets", secret(stateful_set, pod + "-auth", "auth", {"authkey": ""}, hostname=device["hostname"],
                                      device=device["nodeId"], device_tags=",".join(device["tags"]), device_name=device["name"],
                                      device_addresses=notes_of(device), device_words="as noted"))


class Copies:
    """Copies of what the API server has stored for one proxy, put into etcd right beside it: a hundred times as fast as requests to the
    API server, which see them like any other. Each word that differs has the length of that in the model, since lengths stand before
    the fields."""

    def __init__(self, model):
        """`model`: what is in its place for the model: its names and addresses."""
        self.etcd = Connections("http://127.0.0.1:2379")
        self.model = model
        own, name, address = model
        keys = [f"services/specs/shop/{own}", f"ipaddresses/{address}", f"statefulsets/{NAMESPACE}/{name}",
                f"pods/{NAMESPACE}/{name}-0", f"secrets/{NAMESPACE}/{name}-0", f"secrets/{NAMESPACE}/{name}-0-auth"]
        self.stored = {}
        for key in keys:
            path = "/registry/" + key
            found = self.etcd.ask("/v3/kv/range", {"key": encoded(path)}).get("kvs")
            if found:
                self.stored[path.encode()] = base64.b64decode(found[0]["value"])

    def put(self, others):
        """`others`: lists of (word of the model, word instead), a list for each copy."""
        others = list(others)
        for_each(self.put_some, [others[start:start + AT_ONCE] for start in range(0, len(others), AT_ONCE)])

    def put_some(self, others):
        copies = [[base64.b64encode(changed(text, changes)).decode() for text in pair] for changes in others for pair in self.stored.items()]
        self.etcd.ask("/v3/kv/txn", {"success": [{"requestPut": {"key": key, "value": value}} for key, value in copies]})


def changed(text, changes):
    for word, instead in changes:
        assert len(word) == len(instead), f"{word!r} and {instead!r} differ in length"
        text = text.replace(word.encode(), instead.encode())
    return UUID.sub(lambda found: str(uuid.uuid5(uuid.NAMESPACE_OID, found[0].decode() + changes[0][1])).encode(), text)

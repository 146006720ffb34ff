"""A real API server and the reference operator behind a recorder: the result of a batch of inputs, before it is evaluated."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

import yaml

from shared.fleet import ROOT
from shared.operator_source import operator_source

RECORDER_PORT, TAILNET_PORT = 9081, 9080
LOGIN_SERVERS = [f"http://127.0.0.{number}:{TAILNET_PORT}" for number in range(1, 200)]  # all are the same server
SCOPES = ["auth_keys", "devices:core", "devices:routes", "services"]
START_SECONDS, QUIET_SECONDS, LEAST_SECONDS, MOST_SECONDS = 120, 1.2, 2.5, 300
# Two Services of an egress group may drop each other from its configuration again and again, each from a cache that lacks what the other
# has written. It ends when the operator reads everything before it writes again.
RESTLESS_SECONDS, PAUSE_SECONDS = 20, 3
METRICS = "http://127.0.0.1:8080/metrics"  # of the operator
AT_WORK = re.compile(r"(?m)^(?:workqueue_depth|controller_runtime_active_workers)\{[^}]*\} [^0]")
SYSTEM = {"kube-system", "kube-public", "kube-node-lease"}
MONITORS = "customresourcedefinitions/servicemonitors.monitoring.coreos.com"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
SWEPT = [("v1", "services"), ("v1", "pods"), ("v1", "secrets"), ("v1", "configmaps"), ("v1", "serviceaccounts"), ("v1", "events"), ("v1", "nodes"),
         ("apps/v1", "statefulsets"), ("apps/v1", "deployments"), ("networking.k8s.io/v1", "ingresses"),
         ("networking.k8s.io/v1", "ingressclasses"), ("discovery.k8s.io/v1", "endpointslices"),
         ("rbac.authorization.k8s.io/v1", "roles"), ("rbac.authorization.k8s.io/v1", "rolebindings"),
         ("admissionregistration.k8s.io/v1", "validatingadmissionpolicies"),
         ("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings"), ("monitoring.coreos.com/v1", "servicemonitors"),
         *(("tailscale.com/v1alpha1", kind) for kind in ("connectors", "dnsconfigs", "proxyclasses", "proxygroups", "proxygrouppolicies",
                                                        "recorders", "tailnets", "peerrelays"))]


class Api:
    """The API server; each thread has a connection."""

    def __init__(self):
        self.process = subprocess.Popen(["kubectl", "proxy", "--port=0"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.own, self.kinds = threading.local(), {}

    def send(self, method, path, body=None, kind="application/json"):
        """Returns status and object of the answer."""
        if not hasattr(self.own, "connection"):
            self.own.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.own.connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": kind})
        answer = self.own.connection.getresponse()
        text = answer.read()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, {"message": text.decode("utf-8", "replace")}

    def base(self, version):
        return f"/api/{version}" if "/" not in version else f"/apis/{version}"

    def resource(self, version, kind):
        """Returns (its name in paths, whether it has a namespace), or None."""
        if version not in self.kinds:
            status, found = self.send("GET", self.base(version))
            found = {r["kind"]: (r["name"], r["namespaced"]) for r in found["resources"] if "/" not in r["name"]} if status == 200 else {}
            if not found:
                return None
            self.kinds[version] = found
        return self.kinds[version].get(kind)

    def path(self, obj, named=False):
        found = self.resource(obj.get("apiVersion", ""), obj.get("kind"))
        if not found:
            return None
        space = f"/namespaces/{obj['metadata'].get('namespace') or 'default'}" if found[1] else ""
        return self.base(obj["apiVersion"]) + space + "/" + found[0] + (f"/{obj['metadata']['name']}" if named else "")

    def create(self, obj):
        path = self.path(obj)
        return self.send("POST", path, obj) if path else (404, {"message": f"no kind {obj.get('kind')} in {obj.get('apiVersion')}"})

    def listed(self, version, plural):
        status, found = self.send("GET", f"{self.base(version)}/{plural}")
        return found.get("items") or [] if status == 200 else []

    def sweep(self):
        """Deletes what a batch left, even with finalizers. No controller may run."""
        def delete(entry):
            version, plural, item = entry
            space = item["metadata"].get("namespace")
            path = f"{self.base(version)}" + (f"/namespaces/{space}" if space else "") + f"/{plural}/{item['metadata']['name']}"
            if item["metadata"].get("finalizers"):
                self.send("PATCH", path, {"metadata": {"finalizers": None}}, "application/merge-patch+json")
            self.send("DELETE", path, {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})
        found = [(version, plural, item) for version, plural in SWEPT for item in self.listed(version, plural)
                 if item["metadata"].get("namespace") not in SYSTEM and item["metadata"]["name"] != "kubernetes"]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(delete, found))


class OperatorFailed(Exception):
    """The operator ended, or never became quiet."""


class Lab:
    """The programs around the operator, and the operator itself while a batch runs."""

    def __init__(self, folder, tags, release, program):
        self.folder, self.api, self.processes, self.testnet = pathlib.Path(folder), Api(), [], None
        self.release, self.program = release, program
        self.spaces = set()
        self.client = {"id": "c1", "secret": "s1", "scopes": SCOPES, "tags": sorted({"tag:k8s-operator", *tags}), "expiresIn": 86400}
        for name, text in (("clients.json", json.dumps([self.client])), ("id", "c1"), ("secret", "s1"), ("resolv.conf", "")):
            (self.folder / name).write_text(text, encoding="utf-8")
        self.write_kubeconfig()
        self.new_tailnet()
        self.start("recorder", "kube-recorder", "--kubeconfig", os.environ["KUBECONFIG"], "--listen", f"127.0.0.1:{RECORDER_PORT}")
        subprocess.run(["mount", "--bind", self.folder / "resolv.conf", "/etc/resolv.conf"], check=True)

    def write_kubeconfig(self):
        context = {"apiVersion": "v1", "kind": "Config", "current-context": "recorded", "users": [],
                   "clusters": [{"name": "recorded", "cluster": {"server": f"http://127.0.0.1:{RECORDER_PORT}"}}],
                   "contexts": [{"name": "recorded", "context": {"cluster": "recorded", "user": ""}}]}
        (self.folder / "kubeconfig").write_text(json.dumps(context), encoding="utf-8")

    def start(self, name, *command, env=None):
        with open(self.folder / f"{name}.out", "wb") as out, open(self.folder / f"{name}.err", "wb") as err:
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err, env={**os.environ, **(env or {})})
        self.processes.append(process)
        return process

    def new_tailnet(self):
        """Starts the tailnet, in place of one in which an operator has left what would belong to nobody."""
        if self.testnet:
            self.testnet.kill()
            self.testnet.wait()
            self.processes.remove(self.testnet)
        self.testnet = self.start("testnet", "testnet", "--listen", f"0.0.0.0:{TAILNET_PORT}", "--clients", self.folder / "clients.json")

    def end(self):
        for process in [*self.processes, self.api.process]:
            process.kill()
            process.wait()

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8", errors="replace")

    def services(self):
        """Returns the Tailscale Services of the tailnet."""
        with urllib.request.urlopen(json.loads(self.text("testnet.out"))["admin"] + "/admin/state", timeout=60) as answer:
            return list((json.load(answer)["services"] or {}).values())

    def add_client(self, client, secret):
        """Adds the OAuth client of a Tailnet."""
        while not (told := self.text("testnet.out")).endswith("\n"):
            assert self.testnet.poll() is None, self.text("testnet.err")
            time.sleep(0.05)
        body = json.dumps(self.client | {"id": client, "secret": secret}).encode()
        request = urllib.request.Request(json.loads(told)["admin"] + "/admin/clients", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60):
            pass

    # ---- one batch

    def space(self, name):
        if name not in self.spaces:
            self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            self.spaces.add(name)

    def prepare(self, settings):
        """Makes the cluster have the properties in settings.yaml."""
        namespace = settings["operatorNamespace"]
        self.space(namespace)
        domain = settings["clusterDomain"]
        (self.folder / "resolv.conf").write_text(f"search {namespace}.svc.{domain} svc.{domain} {domain}\n", encoding="utf-8")
        if settings["authProxyServiceAccount"]:
            self.api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "kube-apiserver-auth-proxy", "namespace": namespace}})
        if settings["serviceMonitorCRD"]:
            for crd in yaml.load_all((ROOT / "testdata" / "e2e" / "crds.yaml").read_text(encoding="utf-8"), LOADER):
                self.api.create(crd)
        else:
            self.api.send("DELETE", f"/apis/apiextensions.k8s.io/v1/{MONITORS}")
        if settings["ingressClassPresent"]:
            self.api.create({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": {"name": settings["ingressClassName"]},
                             "spec": {"controller": "tailscale.com/ts-ingress"}})

    def environment(self, settings):
        return {
            "KUBECONFIG": str(self.folder / "kubeconfig"), "HOME": str(self.folder), "OPERATOR_NAMESPACE": settings["operatorNamespace"],
            "OPERATOR_LOGIN_SERVER": LOGIN_SERVERS[0], "OPERATOR_INGRESS_CLASS_NAME": settings["ingressClassName"],
            "OPERATOR_DEFAULT_LOAD_BALANCER": str(settings["isDefaultLoadBalancer"]).lower(),
            "CLIENT_ID_FILE": str(self.folder / "id"), "CLIENT_SECRET_FILE": str(self.folder / "secret"),
            "PROXY_IMAGE": settings["proxyImage"], "K8S_PROXY_IMAGE": settings["k8sProxyImage"],
            "PROXY_TAGS": ",".join(settings["defaultTags"]), "PROXY_FIREWALL_MODE": settings["firewallMode"],
            "PROXY_DEFAULT_CLASS": settings["defaultProxyClass"], "PROXY_PRIORITY_CLASS_NAME": settings["priorityClassName"],
            "OPERATOR_SHARED_ACME_ACCOUNT_KEY": str(settings["sharedACMEAccountKey"]).lower(),
        }

    @contextlib.contextmanager
    def operator(self, settings, least=LEAST_SECONDS):
        """Runs the operator during the block, which begins when the operator is quiet, at least `least` seconds after its start."""
        self.recorded = os.path.getsize(self.folder / "recorder.out")
        self.running = process = self.start("operator", self.program, env=self.environment(settings))
        try:
            self.wait_until_quiet(least)
            yield
        finally:
            process.kill()
            process.wait()
            self.processes.remove(process)

    def entries(self):
        """Returns the requests of the operator since it began."""
        with open(self.folder / "recorder.out", "rb") as handle:
            handle.seek(self.recorded)
            return [json.loads(line) for line in handle if line.endswith(b"\n")]

    def written(self):
        """Returns the paths that the operator wrote, once for each time."""
        return [entry["path"] for entry in self.entries() if entry["method"] != "GET" and entry["status"] < 300]

    def must(self, holds, otherwise):
        if not holds:
            raise OperatorFailed(f"{otherwise}:\n{self.text('operator.err')[-3000:]}")

    def wait_until_written(self, paths):
        paths, end = set(paths), time.monotonic() + START_SECONDS
        while missing := paths - set(self.written()):
            self.must(time.monotonic() < end, f"the operator does not look at {missing}")
            time.sleep(0.1)

    def wait_until_quiet(self, least=LEAST_SECONDS, most=MOST_SECONDS):
        begin, process = time.monotonic(), self.running
        while "Startup complete" not in self.text("operator.err"):
            assert process.poll() is None and time.monotonic() < begin + START_SECONDS, (
                f"the operator does not start:\n{self.text('operator.err')[-3000:]}")
            time.sleep(0.1)
        begin = last = time.monotonic()
        seen, pauses = 0, 0
        while (now := time.monotonic()) < begin + most:
            if now > begin + RESTLESS_SECONDS * (pauses + 1):
                process.send_signal(signal.SIGSTOP)
                time.sleep(PAUSE_SECONDS)
                process.send_signal(signal.SIGCONT)
                last = time.monotonic()
                pauses += 1
            self.must(process.poll() is None, "the operator ended")
            if now > begin + least and now > last + min(QUIET_SECONDS, least):
                if not self.is_busy():
                    return
                last = time.monotonic()
            time.sleep(0.2)
            if (written := len(self.written())) != seen:
                seen, last = written, time.monotonic()
        self.must(most < MOST_SECONDS, f"the operator is not done after {most} s")

    def is_busy(self):
        """Returns whether a controller of the operator has not begun yet, or has an object in its queue."""
        log = self.text("operator.err")
        if log.count('"Starting workers"') < log.count('"Starting Controller"'):
            return True
        try:
            with urllib.request.urlopen(METRICS, timeout=60) as answer:
                return bool(AT_WORK.search(answer.read().decode()))
        except urllib.error.URLError:
            return True  # its metrics server starts last


@contextlib.contextmanager
def started(tags, release, program):
    with tempfile.TemporaryDirectory(prefix="reference-") as folder:
        lab = Lab(folder, tags, release, program)
        try:
            for path in sorted((operator_source(release)[1] / "deploy" / "crds").glob("*.yaml")):
                status, answer = lab.api.create(yaml.load(path.read_text(encoding="utf-8"), LOADER))
                assert status == 201, f"{path.name}: {answer}"
            yield lab
        finally:
            lab.end()

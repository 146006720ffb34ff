"""The API server is killed and starts again, and the controller goes on where it was.

200 proxies have joined, or as many as API_RESTART_PROXIES says. The audit log shows what the controller requests when the server is back:
no kind of object is listed more than once, and later changes are seen in time.
"""
import collections
import contextlib
import json
import os
import subprocess
import time
import urllib.parse

import bench_cluster
from bench_cluster import CORE, Copies, addresses_of, create_joined, create_wanted, encoded, notes_of, render, service
from shared.controller_process import NAMESPACE, access, environment, install

COVERS = ["runtime/controller"]
PROGRAMS = ["apiserver"]
COUNT = int(os.environ.get("API_RESTART_PROXIES", "200"))
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:operator"
POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
          "rules": [{"level": "Metadata", "users": [ACCOUNT]}, {"level": "None"}]}
PATIENCE = 300  # seconds
# Without an API server the controller loses its Lease, and ends; the kubelet would start it again.
AGAIN = 'while :; do "$0" controller; sleep 1; done'


def wait_until(what, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"{what}: not after {PATIENCE} s"
        time.sleep(0.5)


def device_of(number):
    return {"nodeId": f"n{number:05}CNTRL", "name": f"web-{number:05}.example.ts.net", "hostname": f"shop-web-{number:05}",
            "addresses": [f"100.{64 + number // 62500}.{number // 250 % 250}.{number % 250}", f"fd7a:115c:a1e0::{number:x}"], "tags": ["tag:k8s"]}


def address_of(number):
    """Returns the address of a Service; all have the same length."""
    return f"10.96.{100 + number // 150}.{100 + number % 150}"


def create_proxies(api, tailrender):
    api.ask("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    parents = [service(f"web-{number:05}") for number in range(COUNT)]
    stateful_set, names = render(tailrender, parents)
    parents[0]["spec"]["clusterIP"] = address_of(0)
    create_wanted(api, parents[0], stateful_set)
    create_joined(api, stateful_set, device_of(0))
    own = (parents[0]["metadata"]["name"], names[0], address_of(0))
    Copies(own).put([(names[0], names[number]), (own[0], parents[number]["metadata"]["name"]), (own[2], address_of(number)),
                     (device_of(0)["nodeId"], device_of(number)["nodeId"]), (addresses_of(device_of(0)), addresses_of(device_of(number))),
                     (notes_of(device_of(0)), notes_of(device_of(number)))]
                    for number in range(1, COUNT))
    return names


class Audit:
    """The requests of the controller, by the server's log."""

    def __init__(self, folder):
        self.policy, self.log = folder / "policy.json", folder / "audit.log"
        self.policy.write_text(json.dumps(POLICY), encoding="utf-8")
        self.flags = ["--audit-policy-file", self.policy, "--audit-log-path", self.log, "--audit-log-mode", "blocking-strict"]

    def end(self):
        return self.log.stat().st_size

    def requests(self, verb, since=0):
        """Returns (path, query) of each request that was answered after that place in the log."""
        with open(self.log, encoding="utf-8") as log:
            log.seek(since)
            entries = [json.loads(line) for line in log if line.endswith("\n")]
        urls = [urllib.parse.urlsplit(entry["requestURI"]) for entry in entries
                if entry["verb"] == verb and entry["stage"] in ("ResponseStarted", "ResponseComplete") and entry["responseStatus"]["code"] == 200]
        return [(url.path, dict(urllib.parse.parse_qsl(url.query))) for url in urls]

    def watched(self, since=0):
        return {(path, query.get("labelSelector", "")) for path, query in self.requests("watch", since)}

    def chains(self, since=0):
        """Counts how often each was listed from its beginning. A request for one object only asks for the server's version."""
        return collections.Counter((path, query.get("labelSelector", "")) for path, query in self.requests("list", since)
                                   if "continue" not in query and query.get("limit") != "1")


@contextlib.contextmanager
def controller(runtime, folder):
    server, files = access(("client", "none"))
    with open(folder / "controller.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(["sh", "-c", AGAIN, runtime], stdout=log, stderr=log, start_new_session=True,
                                   env={"PATH": os.environ["PATH"],
                                        **environment(folder, server, "http://127.0.0.1:1", files, POD_NAME="controller")})
    try:
        yield
    finally:
        os.killpg(process.pid, 9)
        process.wait()
        print((folder / "controller.log").read_text(encoding="utf-8")[-5000:])


def told(api):
    """Returns the number of Services with a status."""
    return sum(1 for item in api.ask("/api/v1/namespaces/shop/services")["items"] if item["status"]["loadBalancer"])


def test_nothing_is_listed_twice(cluster, tailrender, runtime, tmp_path):
    install(tailrender)
    api = bench_cluster.cluster()
    names = create_proxies(api, tailrender)
    audit = Audit(tmp_path)
    cluster.restart(*audit.flags)
    with controller(runtime, tmp_path):
        api = bench_cluster.cluster()
        wait_until("every Service has its status", lambda: told(api) == COUNT)
        watched = audit.watched()
        assert len(watched) > 5
        assert set(audit.chains().values()) == {1}, "each kind is listed once in the beginning"
        begin = audit.end()
        cluster.restart(*audit.flags)
        api = bench_cluster.cluster()
        wait_until("all watches go on", lambda: watched <= audit.watched(begin))
        chains = audit.chains(begin)
        print(f"listed again: {dict(chains)}")
        api.patch(f"{CORE}/secrets/{names[COUNT // 2]}-0", {"data": {"pod_uid": encoded("another")}})
        path = f"/api/v1/namespaces/shop/services/web-{COUNT // 2:05}"
        wait_until("a changed Service has its status", lambda: not api.ask(path)["status"]["loadBalancer"])
        assert all(count == 1 for count in audit.chains(begin).values()), audit.chains(begin)

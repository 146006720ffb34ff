"""Compromised pods of proxies and Recorders: they ask the API server with the token that the kubelet gave them.

    pod = TakenPod(lab, "ts-bad-5lxml")          of StatefulSet ts-bad-5lxml
    pod.write({"device_id": "nVictim"})          into its state Secret; None takes a key off
    status, value = pod.send("DELETE", path)     anything else
    with pod.undone(): ...                       its state Secret is as before at the end

Those of `idle()` run nothing, so that nothing but the test writes for them: join() does what their program would have done. They are ready
at once, for nothing would answer their probe: who is not ready is in no DNS record.
"""
import base64
import collections.abc
import contextlib
import http.client
import json
import ssl
import typing

from harness import Lab
from installed import NAMESPACE
from shared.checks import Object

SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets/"
TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"
MERGE = "application/merge-patch+json"
NOTED = "tailrender.dev/device"
REFUSED = 403


Data = collections.abc.Mapping[str, str | bytes | None]


def encoded(value: str | bytes | None) -> str | None:
    return value if value is None else base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()


def profile(device: str, name: str) -> dict[str, str]:
    """The profile of tailscaled in a state Secret."""
    return {"_current-profile": "profile-1", "profile-1": json.dumps({"Config": {"NodeID": device, "UserProfile": {"LoginName": name + "."}}})}


def idle(sets: list[Object]) -> None:
    for item in sets:
        container = item["spec"]["template"]["spec"]["containers"][0]
        container |= {"image": "lab/hello:1", "imagePullPolicy": "Never", "command": ["/bin/busybox", "sleep", "infinity"]}
        container.pop("readinessProbe", None)
        item["spec"]["template"]["spec"] |= {"initContainers": [], "terminationGracePeriodSeconds": 1}


class TakenPod:
    device: Object
    seconds: float  # until it had its key

    def __init__(self, lab: Lab, statefulset: str) -> None:
        self.lab, self.set, self.name = lab, statefulset, statefulset + "-0"
        self.account = f"system:serviceaccount:{NAMESPACE}:{statefulset}"
        self.context = ssl.create_default_context(cadata=lab.run("sh", "-c", 'cat "$LAB/ca.crt"'))
        self.token = ""
        self.connection: typing.Any = None  # an HTTPSConnection, once there is one

    def read(self, path: str) -> str:
        """Returns a file of the pod that runs now."""
        return self.lab.wait(f"{path} of {self.name}", lambda: self.lab.kubectl("exec", self.name, "-n", NAMESPACE, "--", "cat", path))

    def uid(self) -> str:
        """Returns the uid of the pod that the token is for."""
        claims = self.token.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["kubernetes.io"]["pod"]["uid"]

    def connect(self) -> None:
        self.connection = http.client.HTTPSConnection("127.0.0.1", 6443, context=self.context, timeout=30)
        with self.lab.network():
            self.connection.connect()

    def send(self, method: str, path: str, body: object | None = None, kind: str = "") -> tuple[int, typing.Any]:
        """Returns status and object of the answer. The token expires with its pod; an attacker who has taken one can take the next one as
        well."""
        status, value = self.send_once(method, path, body, kind) if self.token else (401, {})
        while status == 401:
            self.token = self.read(TOKEN)
            status, value = self.send_once(method, path, body, kind)
        return status, value

    def send_once(self, method: str, path: str, body: object, kind: str) -> tuple[int, typing.Any]:
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": kind or (MERGE if method == "PATCH" else "application/json")}
        text = None if body is None else json.dumps(body)
        try:
            self.connection.request(method, path, text, headers)
            answer = self.connection.getresponse()
        except (AttributeError, http.client.HTTPException, OSError):  # there is no connection yet, or it was idle for too long
            self.connect()
            self.connection.request(method, path, text, headers)
            answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def refused(self, method: str, path: str, body: object | None = None, kind: str = "") -> None:
        status, value = self.send(method, path, body, kind)
        assert status == REFUSED, f"{method} {path} says {value}"

    def attempt(self, data: Data | None = None, **metadata: object) -> int:
        """Returns the status of a write to its own state Secret."""
        change = {"metadata": metadata, "data": {key: encoded(value) for key, value in (data or {}).items()}}
        return self.send("PATCH", SECRETS + self.name, change)[0]

    def write(self, data: Data | None = None, **metadata: object) -> None:
        assert self.attempt(data, **metadata) == 200, f"answer to {self.name}, which writes {[*(data or {}), metadata]}"

    def state(self) -> Object:
        status, value = self.send("GET", SECRETS + self.name)
        assert status == 200, f"{self.name} reads its state: {value}"
        return value

    def put(self, labels: Object, annotations: Object, data: Object) -> None:
        """Replaces everything in its state Secret."""
        body = {"apiVersion": "v1", "kind": "Secret", "data": data,
                "metadata": {"name": self.name, "namespace": NAMESPACE, "labels": labels, "annotations": annotations}}
        status, value = self.send("PUT", SECRETS + self.name, body)
        assert status == 200, f"{self.name} writes its state: {value}"

    @contextlib.contextmanager
    def undone(self) -> collections.abc.Iterator[Object]:
        before = self.state()
        try:
            yield before
        finally:
            self.put(before["metadata"]["labels"], before["metadata"]["annotations"], before["data"])

    def noted(self) -> str | None:
        """Returns the device that the controller has noted for it."""
        return (self.lab.get("secret", self.name + "-auth", "-n", NAMESPACE) or {"metadata": {}})["metadata"].get("annotations", {}).get(NOTED)

    def join(self, key_file: str) -> Object:
        """An idle pod joins with the mounted key, under the rendered hostname. Returns its device."""
        found = self.lab.get("statefulset", self.set, "-n", NAMESPACE)
        hostname = found["metadata"]["annotations"]["tailrender.dev/hostname"]
        self.device = self.lab.tailnet.join(hostname, self.read(key_file))
        return self.device

    def says_who_it_is(self, **more: str) -> None:
        """Writes the identity of its device, as containerboot does."""
        uid = self.lab.get("pod", self.name, "-n", NAMESPACE)["metadata"]["uid"]
        self.write({"device_id": self.device["nodeId"], "device_fqdn": self.device["name"] + ".",
                    "device_ips": json.dumps(self.device["addresses"]), "pod_uid": uid, "tailscale_capver": "131", **more})

    def says_what_recorder_it_is(self) -> None:
        """Writes the profile, as tailscaled does; a Recorder has nothing else."""
        self.write(profile(self.device["nodeId"], self.device["name"]))

    def is_noted(self) -> None:
        self.lab.wait(f"the device of {self.name} is noted", lambda: self.noted() == self.device["nodeId"])
        assert self.lab.tailnet.device(self.device["nodeId"]).get("deletedBy") is None, f"the device of {self.name} was deleted"

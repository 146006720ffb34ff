"""What the pods and tenants of test_hostile_pods.py write. Generators do not end; they yield pod, data and metadata for
TakenPod.write()."""
import collections.abc
import itertools
import json
import time

from hostile_world import web
from shared.checks import Object
from taken_pods import Data, TakenPod, profile

MEBIBYTE = 1 << 20
LONGEST = "names as long as can be"


Attempt = tuple[TakenPod, Data, Object]  # what a pod writes into its Secret: data and metadata


def asks(pod: TakenPod, seconds: float) -> collections.abc.Iterator[Attempt]:
    """Requests keys, first without a device; then the pod shows its own device in between, so that no key is needed; then as a later
    version."""
    begun, own = time.monotonic(), pod.device["nodeId"]
    while True:
        part = 3 * (time.monotonic() - begun) / seconds
        yield pod, {"reissue_authkey": "file:/etc/tsauth", "device_id": None}, {}
        yield pod, {"device_id": None if part < 1 else own, **({} if part < 2 else {"tailscale_capver": "999"})}, {}


def garbage() -> dict[str, tuple[Data, Data]]:
    """Invalid values and their replacements: for the proxy of a Service, and for that of an Ingress."""
    deep, paths = "[" * 100_000, {"device_id": "../../../tailnet/-/keys/kNone", "device_fqdn": "../..", "https_endpoint": "/../%2e%2e"}
    no_text = {"device_id": b"\xff\xfe", "device_fqdn": b"\xc0\x80.lab.ts.net.", "device_ips": b'["\xff"]', "https_endpoint": b"\xed\xa0\x80"}
    return {
        "what is not text, and paths": (no_text, paths),
        "paths, and what is not text": (paths, no_text),
        "other JSON, and deep one": ({"device_ips": '[{"a": 1}, null, 7, ["x"], "none", ""]', "tailscale_capver": "9" * 1000},
                                     {"device_ips": deep, "_current-profile": "profile-1", "profile-1": '{"Config":' + deep}),
        "many addresses, and a profile of itself": ({"device_ips": json.dumps([f"100.64.{number // 250}.{number % 250}" for number in range(20_000)])},
                                                    {"_current-profile": "_current-profile", "reissue_authkey": "x" * 100_000}),
        "names of half a MiB": ({"device_fqdn": "a." * (MEBIBYTE // 4)}, {"https_endpoint": "b" * (MEBIBYTE // 2)}),
        "names of 900 KB, many keys": ({"device_fqdn": "c" * 900_000}, {f"key-{number}": "x" * 900 for number in range(1000)}),
        LONGEST: ({"device_fqdn": "d" * (MEBIBYTE - 10_000)}, {"https_endpoint": "e" * (MEBIBYTE - 10_000)}),
    }


def hidings() -> dict[str, Object]:
    """Ways in which a pod hides its state Secret, or prevents its deletion: data and metadata for TakenPod.attempt()."""
    label = "tailrender.dev/secret"
    deep: Object = {}
    for _ in range(200):
        deep = {"f:x": deep}
    fields = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": deep}, "manager": "none", "operation": "Update", "time": "2026-01-01T00:00:00Z"}
    return {
        "label": {"labels": {label: None}},
        "kind": {"labels": {label: "certificate"}},
        "bare": {"labels": None, "annotations": None},
        "held": {"finalizers": ["example.com/mine"]},
        "owned": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": "00000000-0000-0000-0000-000000000000"}]},
        "deep": {"managedFields": [fields], "annotations": {"none/codes": "\x1b[2J\u202e\x00", "tailrender.dev/gone-since": "2020-01-01T00:00:00Z"}},
        "full": {"data": {"none": "x" * (MEBIBYTE - 20_000)}, "labels": {label: None}, "annotations": {"none/full": "x" * 255_000}},
    }


def flips(pod: TakenPod, recorder: TakenPod, other: str) -> collections.abc.Iterator[Attempt]:
    """Changes everything that a pod can claim; a Recorder names another device each time."""
    own = pod.device["nodeId"]
    for number in itertools.count():
        yield pod, {"device_id": other}, {}
        yield pod, {"device_id": own}, {}
        yield pod, {"pod_uid": f"none-{number}", "device_fqdn": f"name-{number}.lab.ts.net."}, {}
        yield pod, {"pod_uid": pod.uid(), "device_ips": json.dumps([f"100.64.0.{number % 250}"])}, {}
        yield recorder, profile(f"nNobody-{number}-CNTRL", "none.lab.ts.net"), {}
        yield pod, {}, {"annotations": {"tailrender.dev/gone-since": "2020-01-01T00:00:00Z"}}
        yield pod, {"device_id": f"nNobody{number}CNTRL"}, {}
        yield pod, {"device_id": own, "reissue_authkey": str(number)}, {}
        yield recorder, profile(f"nNobody-{number}-too-CNTRL", "none.lab.ts.net"), {}


def lures(good: TakenPod, victim: str, name: str) -> list[Object]:
    """Returns objects in a tenant's namespace that the controller would use in other namespaces, by kind and name: as if they belonged to
    the proxy `good`, about the device `victim` and another one's name."""
    def thing(version: str, kind: str, name: str, meta: Object, **more: object) -> Object:
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "apps"} | meta} | more
    contract = {"tailrender.dev/contract": "v1"}
    ours = {"annotations": contract | {"tailrender.dev/parent": "Service/apps/good", "tailrender.dev/hostname": "good-web", "tailrender.dev/tags": "tag:lab"}}
    egress = {"labels": {"tailscale.com/svc-type": "egress", "tailscale.com/proxy-group": "none", "tailscale.com/parent-resource": "theirs",
                         "tailscale.com/parent-resource-ns": "apps"}}
    pod = {"selector": {"matchLabels": {"app": "lure"}}, "serviceName": "lure", "replicas": 0, "template": {
        "metadata": {"labels": {"app": "lure"}}, "spec": {"containers": [{"name": "lure", "image": "lab/hello:1"}]}}}
    return [
        thing("v1", "ConfigMap", "tailrender-tailnet-theirs", {"annotations": contract}, data={"loginUrl": "http://none", "secretName": "operator-oauth"}),
        thing("v1", "ConfigMap", "tailrender-group-theirs", {"annotations": contract}),
        thing("v1", "ConfigMap", "tailrender-devices", {}, data={"owner": "tailrender-0000000000000000"}),
        thing("v1", "ConfigMap", "dnsrecords", {}, data={"records.json": "{}"}),
        thing("v1", "Secret", good.name + "-auth", {"labels": {"tailrender.dev/secret": "auth"},
                                                    "annotations": {"tailrender.dev/device": victim}}),
        thing("apps/v1", "StatefulSet", good.set, ours, spec=pod),
        thing("v1", "Service", "nameserver", ours, spec={"ports": [{"port": 53}]}),
        thing("v1", "Service", "lure", egress, spec={"ports": [{"port": 80}]}),
        thing("v1", "Service", "theirs", {"annotations": {"tailscale.com/tailnet-fqdn": name}}, spec={"ports": [{"port": 80}]}),
        thing("networking.k8s.io/v1", "Ingress", "twin", {}, spec=web("good-web")["spec"]),
    ]

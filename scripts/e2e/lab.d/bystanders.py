"""The objects in a lab besides those of some proxies: an attacker who takes their pods over must not be able to change them.

    others(lab, {"apps-bad": "ts-bad-5lxml"})    by name; the proxies' hostnames and StatefulSets

Of the fields that pods write themselves, only those count that identify a device.
"""
import base64
import collections.abc
import json

from harness import Lab
from installed import NAMESPACE
from shared.checks import Object

KINDS = "secrets,configmaps,services,ingresses,serviceaccounts,statefulsets,deployments,roles,rolebindings,clusterroles,clusterrolebindings,pods"
LEDGER, RECORDS = "tailrender-devices", "dnsrecords"
IDENTITY = ("device_id", "device_fqdn", "device_ips", "pod_uid", "https_endpoint", "reissue_authkey")
PARENT = "tailrender.dev/parent"
CONFIRMED = "tailrender.dev/confirm-removals"  # what Lab.confirm_removals writes


def devices(lab: Lab, hostnames: collections.abc.Container[str]) -> dict[str, object]:
    """Returns the devices, without those that a person has deleted."""
    return {f"device {device['nodeId']}": (device["name"], sorted(device["tags"]), device.get("deletedBy"))
            for device in lab.tailnet.state()["devices"] if device["hostname"] not in hostnames and device.get("deletedBy") != "admin"}


def content(item: Object) -> object:
    """Returns the parts of an object that may not change."""
    kind, name, meta = item["kind"], item["metadata"]["name"], item["metadata"]
    if kind == "Pod":
        return meta["uid"], sum(found["restartCount"] for found in item["status"].get("containerStatuses", []))
    data: Object | None
    if kind == "Secret" and meta.get("labels", {}).get("tailrender.dev/secret") == "state":
        data = {key: base64.b64decode(item["data"][key]).decode() for key in IDENTITY if key in item.get("data", {})}
    else:
        data = item.get("data")
    if name in (LEDGER, RECORDS):
        data = None  # compared below, without the entries of these proxies
    status = item.get("status") if kind in ("Service", "Ingress") else None
    annotations = {key: text for key, text in meta.get("annotations", {}).items() if key != CONFIRMED}
    return [meta.get("labels"), annotations, data, item.get("spec"), status, item.get("rules"), item.get("subjects")]


def table(lab: Lab) -> dict[str, Object]:
    """Returns the lines of tailrender-devices by pod."""
    data = (lab.get("configmap", LEDGER, "-n", NAMESPACE) or {}).get("data", {})
    lines = [json.loads(line) for line in data.get("devices.jsonl", "").splitlines()]
    return {line.get("pod", "omitted"): line for line in lines}


def records(lab: Lab) -> dict[tuple[str, str], list[str]]:
    """Returns the addresses by name."""
    data = (lab.get("configmap", RECORDS, "-n", NAMESPACE) or {}).get("data", {})
    found = json.loads(data.get("records.json", "{}"))
    return {(family, name): sorted(addresses) for family in ("ip4", "ip6") for name, addresses in found.get(family, {}).items()}


def others(lab: Lab, proxies: dict[str, str]) -> dict[str, object]:
    found = devices(lab, proxies)
    parents = {item["metadata"]["annotations"][PARENT] for item in lab.items("statefulsets", "-n", NAMESPACE)
               if item["metadata"]["name"] in proxies.values()}
    for item in lab.items(KINDS, "-A"):
        kind, space, name = item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]
        is_own = space == NAMESPACE and any(name == its or name.startswith(its + "-") for its in proxies.values())
        if not is_own and f"{kind}/{space}/{name}" not in parents:
            found[f"{kind} {space}/{name}"] = content(item)
    found |= {f"line of {pod}": line for pod, line in table(lab).items() if pod.rpartition("-")[0] not in proxies.values()}
    return found | {f"record {name}": addresses for name, addresses in records(lab).items() if name[1].split(".")[0] not in proxies}


def differences(before: dict[str, object], after: dict[str, object]) -> dict[str, tuple[object, object]]:
    return {name: (before.get(name), after.get(name)) for name in before.keys() | after.keys() if before.get(name) != after.get(name)}

"""Plays what a cluster adds to the operator's objects: devices of egress and ingress groups, with their pods and with what tailscaled
would write into the state Secrets, and the load balancers of PeerRelays.
"""
import base64
import json

from parity_case import TS, meta

MERGE = "application/merge-patch+json"
PLAYED = {"egress", "ingress"}


def played(api, made, settings):
    """Plays the devices of groups and returns the paths of their state Secrets. `made` is a record.Made."""
    groups = {live["metadata"]["name"]: live["spec"]["type"] for live in api.listed("tailscale.com/v1alpha1", "proxygroups")}
    secrets = []
    for obj in list(made.objects.values()):
        labels = meta(obj).get("labels") or {}
        if obj["kind"] == "StatefulSet" and labels.get(TS + "parent-resource-type") == "proxygroup" and groups.get(meta(obj)["name"]) in PLAYED:
            for replica in range(obj["spec"]["replicas"]):
                secrets.append(play(api, obj, replica, len(secrets) + 1, settings))
    return secrets


def balanced(api, made):
    """Gives every replica of a PeerRelay a public address, and every third one also an IPv6 address. Returns whether there is any."""
    services = [obj for obj in made.objects.values()
                if obj["kind"] == "Service" and (meta(obj).get("labels") or {}).get(TS + "parent-resource-type") == "peerrelay"]
    for number, obj in enumerate(services, 1):
        addresses = [f"198.51.100.{number % 250 + 1}", *([f"2001:db8::{number:x}"] if number % 3 == 0 else [])]
        status = {"loadBalancer": {"ingress": [{"ip": address} for address in addresses]}}
        api.send("PATCH", api.path(obj, named=True) + "/status", {"status": status}, MERGE)
    return bool(services)


def seen_again(api, secrets):
    """Changes the state Secrets: the operator looks at a Service of a group when one changes, not when the group becomes available."""
    for path in secrets:
        api.send("PATCH", path, {"metadata": {"labels": {"example.org/seen": "again"}}}, MERGE)


def play(api, stateful_set, replica, number, settings):
    namespace, name = meta(stateful_set)["namespace"], f"{meta(stateful_set)['name']}-{replica}"
    template = stateful_set["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": meta(template)["labels"]},
           "spec": {"containers": [{"name": "tailscale", "image": "tailscale/tailscale"}]}}
    status, answer = api.create(pod)
    if status != 201:
        raise RuntimeError(answer)
    address = f"10.244.{number // 250}.{number % 250 + 1}"
    ready = [{"type": "Ready", "status": "True"}]
    api.send("PATCH", api.path(pod, named=True) + "/status", {"status": {"podIP": address, "podIPs": [{"ip": address}], "conditions": ready}}, MERGE)
    fqdn, device = f"{name}.{settings['tailnetDomain']}.", f"nDEV{number:03}CNTRL"
    profile = {"AdvertiseServices": [], "Config": {"NodeID": device, "UserProfile": {"LoginName": fqdn.rstrip(".")}}}
    state = {"_current-profile": "profile-0001", "device_fqdn": fqdn, "device_id": device, "pod_uid": meta(answer)["uid"],
             "device_ips": json.dumps([f"100.64.{number // 250}.{number % 250 + 1}"]), "profile-0001": json.dumps(profile), "tailscale_capver": "133"}
    data = {key: base64.b64encode(text.encode()).decode() for key, text in state.items()}
    secret = f"/api/v1/namespaces/{namespace}/secrets/{name}"
    api.send("PATCH", secret, {"data": data}, MERGE)
    return secret

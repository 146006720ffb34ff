"""The rows of renderer/PARITY.md about PeerRelays."""
import hashlib
import json
import re

from parity_case import CONTROL, TS, Case, is_kind, meta
from parity_group_rows import keys_in_files
from parity_release import is_within
from parity_rows import OURS, Model, hashed, row, server_of
from parity_yaml import Object

LONGEST, LABEL, MAX_REPLICAS = 42, 63, 1000


class Relay:
    """The reference's objects of one PeerRelay."""

    def __init__(self, model: Model, stateful_set: Object) -> None:
        self.set, self.name = stateful_set, meta(stateful_set)["labels"][TS + "parent-resource"]
        self.spec = (model.case.find(f"PeerRelay/{self.name}")[0].get("spec")) or {}
        self.pods = [f"{meta(stateful_set)['name']}-{n}" for n in range(stateful_set["spec"]["replicas"])]
        self.template = stateful_set["spec"]["template"]
        self.pod = self.template["spec"]
        self.container = self.pod["containers"][0]
        self.secrets = [model.get("Secret", f"{pod}-config") for pod in self.pods]

    def server(self, case: Case) -> str:
        """Returns the control server, which all configurations of the release share."""
        return server_of(case, self.spec.get("tailnet") or "") or CONTROL

    def labels(self) -> dict[str, str]:
        return {key: value for key, value in meta(self.set)["labels"].items() if key.startswith(TS)}


def relays(model: Model) -> list[Relay]:
    labels = [(obj, meta(obj).get("labels") or {}) for obj in model.objects if obj["kind"] == "StatefulSet"]
    return [Relay(model, obj) for obj, have in labels if have.get(TS + "parent-resource-type") == "peerrelay"]


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# ---- configuration; rows that read it come before the row that removes it

@row(5)
def auth_key_reference(model: Model) -> bool:
    return keys_in_files(relays(model))


@row(71)
def server_in_configuration(model: Model) -> bool:
    hit = False
    for relay in relays(model):
        for secret in relay.secrets:
            for key, text in secret["data"].items():
                config = json.loads(text)
                begin = {name: config.pop(name) for name in ("Version", "Locked")}
                secret["data"][key] = _json(begin | {"ServerURL": relay.server(model.case)} | config)
                hit = True
    return hit


@row(8)
def config_hash(model: Model) -> bool:
    for relay in relays(model):
        text = hashed(model.case, {"ServerURL": relay.server(model.case), "acceptDNS": False}, relay.spec.get("tailnet"))
        notes = relay.template["metadata"].setdefault("annotations", {})
        notes[OURS + "config-hash"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return bool(relays(model))


@row(9)
def contract_annotations(model: Model) -> bool:
    for relay in relays(model):
        tags = relay.spec.get("tags") or model.case.settings["defaultTags"]
        names = [json.loads(text)["Hostname"] for secret in relay.secrets for text in secret["data"].values()]
        notes = meta(relay.set).setdefault("annotations", {})
        notes.update({OURS + "contract": "v1", OURS + "parent": f"PeerRelay/{relay.name}", OURS + "tags": ",".join(tags),
                      OURS + "hostname": ",".join(names)})
        if relay.spec.get("tailnet"):
            notes[OURS + "tailnet"] = relay.spec["tailnet"]
    return bool(relays(model))


@row(68)
def configuration_is_the_controllers(model: Model) -> bool:
    found = relays(model)
    for relay in found:
        data = {}
        for pod, secret in zip(relay.pods, relay.secrets):
            for key, text in secret["data"].items():
                config = json.loads(text)
                config.pop("RelayServerStaticEndpoints", None)
                data[f"{pod}.{key}"] = _json(config)
        if relay.spec.get("staticEndpoints") and is_within(model.case.release, "1.104"):
            data["static-endpoints"] = _json(relay.spec["staticEndpoints"])
        model.objects.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": f"tailrender-relay-{relay.name}", "namespace": meta(relay.set)["namespace"], "labels": relay.labels(),
            "annotations": {OURS + "contract": "v1", OURS + "parent": f"PeerRelay/{relay.name}"}}, **({"data": data} if data else {})})
    names = {name for relay in found for pod in relay.pods for name in (pod, f"{pod}-config")}
    model.objects = [obj for obj in model.objects if obj["kind"] != "Secret" or meta(obj)["name"] not in names]
    return bool(found)


# ---- the pods

@row(6)
def auth_volume(model: Model) -> bool:
    for relay in relays(model):
        items = [{"key": "authkey", "path": "authkey"}]
        for number, pod in enumerate(relay.pods):
            relay.pod["volumes"].append({"name": f"auth-{number}", "secret": {"secretName": f"{pod}-auth", "items": items}})
            relay.container["volumeMounts"].append({"name": f"auth-{number}", "mountPath": f"/etc/tsauth/{pod}", "readOnly": True})
    return bool(relays(model))


@row(7)
def rights(model: Model) -> bool:
    for relay in relays(model):
        name, namespace = meta(relay.set)["name"], meta(relay.set)["namespace"]
        head = {"name": name, "namespace": namespace, "labels": relay.labels()}
        rbac = "rbac.authorization.k8s.io"
        rule = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": relay.pods, "verbs": ["get", "update", "patch"]}
        model.objects += [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": head},
            {"apiVersion": rbac + "/v1", "kind": "Role", "metadata": head, "rules": [rule] if relay.pods else []},
            {"apiVersion": rbac + "/v1", "kind": "RoleBinding", "metadata": head, "roleRef": {"apiGroup": rbac, "kind": "Role", "name": name},
             "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}]}]
        relay.pod["serviceAccountName"] = name
    return bool(relays(model))


@row(69)
def pod_uid(model: Model) -> bool:
    for relay in relays(model):
        relay.container["env"].insert(1, {"name": "POD_UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}})
    return bool(relays(model))


# ---- what we refuse although the reference accepts it

def joining(obj: Object) -> list[tuple[str, str]]:
    """Returns (tailnet, hostname) of each of its devices."""
    spec = obj.get("spec") or {}
    prefix = spec.get("hostnamePrefix") or meta(obj).get("name")
    return [(spec.get("tailnet") or "", f"{prefix}-{n}") for n in range(spec.get("replicas", 1))]


def bad_relay(case: Case, name: str, rule: str) -> bool:
    for obj in (found for found in case.find(name) if is_kind(found, "tailscale.com", "PeerRelay")):
        own = meta(obj).get("name", "")
        bad = {"name-too-long": len(own) > LONGEST,
               "invalid-object": "." in own or (obj.get("spec") or {}).get("replicas", 1) > MAX_REPLICAS,
               "invalid-hostname": any(len(host) > LABEL or "." in host for _, host in joining(obj))}
        if bad[rule]:
            return True
    return False


def old_image(case: Case, name: str, _: str) -> bool:
    """Returns whether the image, of the class or of the settings, is older than the first release of PeerRelays."""
    for obj in (found for found in case.find(name) if is_kind(found, "tailscale.com", "PeerRelay")):
        pods = [(spec.get("statefulSet") or {}).get("pod") or {} for spec in (item.get("spec") or {} for item in case.find(
            f"ProxyClass/{(obj.get('spec') or {}).get('proxyClass')}"))]
        images = [(pod.get("tailscaleContainer") or {}).get("image") for pod in pods]
        image = next(filter(None, images), case.settings["proxyImage"])
        found = re.search(r":v?1\.(\d+)(?:\.\d+)?$", image)
        if found and int(found[1]) < int(case.release.split(".")[1]):
            return True
    return False

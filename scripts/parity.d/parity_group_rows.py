"""The rows of renderer/PARITY.md about ProxyGroups: their StatefulSets, and the Services that go through them."""
import collections.abc
import hashlib
import json
import re
import typing

from parity_case import TS, Case, annotations, is_kind, meta
from parity_chance import endpoints_in_order
from parity_rows import OURS, PROBE, Model, _insert_after, hashed, map_strings, pull_once, row, server_of
from parity_yaml import Object

FIRST_PORT, PORTS = 10000, 1000
ACCOUNTS = "tailscale-acme-accounts"


class Configured(typing.Protocol):
    """The reference's objects whose pods read tailscaled's own configuration."""
    pods: list[str]
    secrets: list[Object]


class Group:
    """The reference's objects of one ProxyGroup whose pods read tailscaled's own configuration."""

    def __init__(self, model: Model, stateful_set: Object) -> None:
        self.set, self.name = stateful_set, meta(stateful_set)["name"]
        self.input = model.case.find(f"ProxyGroup/{self.name}")[0]
        self.type, self.replicas = self.input["spec"]["type"], stateful_set["spec"]["replicas"]
        self.template = stateful_set["spec"]["template"]
        self.pod = self.template["spec"]
        self.container = next(c for c in self.pod["containers"] if c["name"] == "tailscale")
        self.pods = [f"{self.name}-{n}" for n in range(self.replicas)]
        self.secrets = [model.get("Secret", f"{pod}-config") for pod in self.pods]

    def configs(self) -> list[Object]:
        return [json.loads(text) for secret in self.secrets for text in secret["data"].values()]

    def spec(self, key: str, default: typing.Any) -> typing.Any:
        return self.input["spec"].get(key, default)


def all_groups(model: Model) -> list[Group]:
    labels = [(obj, meta(obj).get("labels") or {}) for obj in model.objects if obj["kind"] == "StatefulSet"]
    return [Group(model, obj) for obj, have in labels if have.get(TS + "parent-resource-type") == "proxygroup"]


def groups(model: Model) -> list[Group]:
    """Returns all groups but those of kube-apiserver, which have no volumes and another kind of configuration."""
    return [group for group in all_groups(model) if group.type != "kube-apiserver"]


def _of_group(obj: Object, kind: str) -> bool:
    labels = meta(obj).get("labels") or {}
    return obj["kind"] == kind and labels.get(TS + "parent-resource-type") == "proxygroup"


def _drop(model: Model, unwanted: collections.abc.Callable[[Object], bool]) -> bool:
    kept = [obj for obj in model.objects if not unwanted(obj)]
    hit = len(kept) != len(model.objects)
    model.objects = kept
    return hit


# ---- what belongs to the runtime or to the cluster

@row(42)
def no_owner(model: Model) -> bool:
    found = [obj for obj in model.objects if any(owner["kind"] == "ProxyGroup" for owner in meta(obj).get("ownerReferences") or [])]
    for obj in found:
        del meta(obj)["ownerReferences"]
    return bool(found)


@row(43)
def no_state_secrets(model: Model) -> bool:
    return _drop(model, lambda obj: _of_group(obj, "Secret")
                 and meta(obj)["labels"].get(TS + "secret-type") == "state")


@row(44)
def selector_service(model: Model) -> bool:
    for obj in model.objects:
        labels = meta(obj).get("labels") or {}
        if obj["kind"] == "Service" and labels.get(TS + "svc-type") == "egress":
            obj["spec"]["selector"] = {TS + "managed": "true", TS + "parent-resource-type": "proxygroup",
                                       TS + "parent-resource": labels[TS + "proxy-group"]}
    return _drop(model, lambda obj: obj["kind"] == "EndpointSlice")


# ---- ports

def _home(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest(), "big") % PORTS


def _members(case: Case, group: str) -> list[Object]:
    found = []
    for obj in (item.object for item in case.inputs):
        notes = annotations(obj)
        if is_kind(obj, "", "Service") and notes.get(TS + "proxy-group") == group \
                and (notes.get(TS + "tailnet-ip") or notes.get(TS + "tailnet-fqdn")):
            found.append(obj)
    return found


def match_ports(case: Case, group: str) -> dict[str, int]:
    """Returns {placeholder: port}, in order of namespace, name, number and protocol."""
    keys = [(meta(obj)["namespace"], meta(obj)["name"], port["port"], port.get("protocol", "TCP"))
            for obj in _members(case, group) for port in (obj.get("spec") or {}).get("ports") or []]
    given, taken = {}, set()
    for namespace, name, port, protocol in sorted(keys):
        slot = _home(f"{group}/{namespace}/{name}/{port}/{protocol}")
        while slot in taken:
            slot = (slot + 1) % PORTS
        taken.add(slot)
        given[f"<PORT:{namespace}/{name}/{port}/{protocol}>"] = FIRST_PORT + slot
    return given


def _sorted_ports(text: str) -> str:
    services = json.loads(text)
    for service in services.values():
        service["ports"].sort(key=lambda port: (port["targetPort"], port["protocol"]))
    return json.dumps(services, separators=(",", ":"), ensure_ascii=False)


@row(45)
def computed_ports(model: Model) -> bool:
    given, hit = {}, False
    for item in model.case.inputs:
        if is_kind(item.object, "tailscale.com", "ProxyGroup"):
            given.update(match_ports(model.case, meta(item.object)["name"]))

    def fill(text: str) -> str | int:
        if text in given:
            return given[text]
        return re.sub(r"<PORT:[^<>]+>", lambda found: str(given.get(found[0], found[0])), text)

    before, model.objects = model.objects, map_strings(model.objects, fill)
    for obj in (o for o in model.objects if _of_group(o, "ConfigMap")):
        text = obj.get("binaryData", {}).get("egress-services")
        if text:
            obj["binaryData"]["egress-services"] = _sorted_ports(text)
            hit = True
    return hit or before != model.objects


def tailscaled_port(group: str) -> int:
    """Returns a port outside the range of the match ports of egress groups."""
    key = f"tailscaled-port/{group}"
    while True:
        port = 1024 + int.from_bytes(hashlib.sha256(key.encode()).digest(), "big") % (65536 - 1024)
        if not FIRST_PORT <= port < FIRST_PORT + PORTS:
            return port
        key += "/"


@row(51)
def static_endpoints(model: Model) -> bool:
    reordered = endpoints_in_order(model.case, model.objects)
    return computed_tailscaled_port(model) or reordered


def computed_tailscaled_port(model: Model) -> bool:
    def fill(text: str) -> str | int:
        found = re.fullmatch(r"<PORT:tailscaled/([^<>]+)>", text)
        return tailscaled_port(found[1]) if found else text

    before, model.objects = model.objects, map_strings(model.objects, fill)
    for group in all_groups(model):
        for entry in group.container.get("env", []):
            if entry["name"] == "PORT":
                entry["value"] = str(entry["value"])
    return before != model.objects


# ---- the pods

def keys_in_files(owners: collections.abc.Iterable[Configured]) -> bool:
    """Makes the pods' configurations name the file of the auth key; returns whether one had the key."""
    hit = False
    for owner in owners:
        for pod, secret in zip(owner.pods, owner.secrets):
            for key, text in secret["data"].items():
                secret["data"][key] = text.replace('"AuthKey":"<AUTHKEY>"', f'"AuthKey":"file:/etc/tsauth/{pod}/authkey"')
                hit = hit or secret["data"][key] != text
    return hit


@row(5)
def auth_key_reference(model: Model) -> bool:
    return keys_in_files(groups(model))


@row(6)
def auth_volume(model: Model) -> bool:
    for group in groups(model):
        items = [{"key": "authkey", "path": "authkey"}]
        _insert_after(group.pod["volumes"], [
            {"name": f"auth-{n}", "secret": {"secretName": f"{pod}-auth", "items": items}}
            for n, pod in enumerate(group.pods)], "tailscaledconfig-")
        _insert_after(group.container["volumeMounts"], [
            {"name": f"auth-{n}", "mountPath": f"/etc/tsauth/{pod}", "readOnly": True}
            for n, pod in enumerate(group.pods)], "tailscaledconfig-")
    return bool(groups(model))


@row(7)
def rights(model: Model) -> bool:
    for group in groups(model):
        role = model.get("Role", group.name)
        shared = [ACCOUNTS] if any(ACCOUNTS in (rule.get("resourceNames") or []) for rule in role["rules"]) else []
        rule = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": group.pods + shared,
                "verbs": ["get", "update", "patch"]}
        role["rules"] = [rule] if group.pods else []
    return bool(groups(model))


@row(8)
def config_hash(model: Model) -> bool:
    for group in groups(model):
        server = server_of(model.case, group.spec("tailnet", ""))
        config = (group.configs() or [{"ServerURL": server, "acceptDNS": False} if server else {"acceptDNS": False}])[0]
        text = hashed(model.case, config, group.spec("tailnet", ""))
        notes = group.template["metadata"].setdefault("annotations", {})
        notes[OURS + "config-hash"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return bool(groups(model))


def add_contract(model: Model, group: Group) -> None:
    tags = group.spec("tags", None) or model.case.settings["defaultTags"]
    notes = meta(group.set).setdefault("annotations", {})
    notes.update({OURS + "contract": "v1", OURS + "parent": f"ProxyGroup/{group.name}",
                  OURS + "tags": ",".join(tag.strip() for tag in tags),
                  OURS + "hostname": ",".join(config["Hostname"] for config in group.configs())})
    if group.spec("tailnet", ""):
        notes[OURS + "tailnet"] = group.spec("tailnet", "")


@row(9)
def contract_annotations(model: Model) -> bool:
    for group in groups(model):
        add_contract(model, group)
    return bool(groups(model))


@row(14)
def pull_policy(model: Model) -> bool:
    return any([pull_once(model, group.container, group.input) for group in groups(model)])


@row(17)
def unique_env(model: Model) -> bool:
    hit = False
    for group in all_groups(model):
        for container in group.pod["containers"] + group.pod.get("initContainers", []):
            entries = container.get("env", [])
            last = {entry["name"]: index for index, entry in enumerate(entries)}
            unique = [entry for index, entry in enumerate(entries) if last[entry["name"]] == index]
            if unique != entries:
                container["env"], hit = unique, True
    return hit


def _draining(model: Model) -> list[Group]:
    return [group for group in groups(model) if (group.container.get("lifecycle") or {}).get("preStop")]


@row(46)
def readiness_probe(model: Model) -> bool:
    for group in _draining(model):
        group.container["readinessProbe"] = PROBE
    return bool(_draining(model))


@row(65)
def no_readiness_gate(model: Model) -> bool:
    return any([group.pod.pop("readinessGates", None) for group in groups(model)])


@row(66)
def no_shared_account(model: Model) -> bool:
    there = [obj for obj in model.objects if (obj["kind"], meta(obj)["name"]) == ("Secret", ACCOUNTS)]
    model.objects = [obj for obj in model.objects if obj not in there]
    return bool(there)


@row(47)
def grace_period(model: Model) -> bool:
    for group in _draining(model):
        group.pod["terminationGracePeriodSeconds"] = group.template["metadata"]["deletionGracePeriodSeconds"]
    return bool(_draining(model))

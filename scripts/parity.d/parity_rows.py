"""The rows of renderer/PARITY.md that are about objects.

Each row turns the reference's objects into exactly what we must render, value by value, and returns whether it changed anything. After all
rows the two sides must be equal: no row leaves a field out of the comparison.
"""
import collections.abc
import copy
import hashlib
import ipaddress
import json
import re
import typing

from parity_case import CONTROL, TS, Case, ident, is_connector, is_kind, meta, pinned_address
from parity_release import row_holds
from parity_yaml import Object

OURS = "tailrender.dev/"
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
PARENT_KINDS = {"svc": "Service", "ingress": "Ingress", "connector": "Connector"}
LAST_SET = TS + "operator-last-set-"
HARDENED = {
    "runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532, "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}, "readOnlyRootFilesystem": True,
}
Row = collections.abc.Callable[["Model"], bool]  # changes the objects, and returns whether it had something to change
ROWS: list[tuple[int, Row]] = []


def row(number: int) -> collections.abc.Callable[[Row], Row]:
    def register(function: Row) -> Row:
        ROWS.append((number, function))
        return function
    return register


class RowError(Exception):
    """The reference's objects do not have the form that a row expects."""


def suffix(kind: str, namespace: str, name: str) -> str:
    number = int.from_bytes(hashlib.sha256(f"{kind}/{namespace}/{name}".encode()).digest(), "big")
    number %= len(ALPHABET) ** 5
    letters = []
    for _ in range(5):
        number, digit = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[digit])
    return "".join(reversed(letters))


def map_strings(value: typing.Any, change: collections.abc.Callable[[str], object]) -> typing.Any:
    """Returns the same tree with every string (but no key) passed through `change`."""
    if isinstance(value, dict):
        return {key: map_strings(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [map_strings(item, change) for item in value]
    return change(value) if isinstance(value, str) else value


class Proxy:
    """The reference's objects of one parent: a StatefulSet and the objects that belong to it."""

    def __init__(self, model: "Model", stateful_set: Object) -> None:
        self.set, self.name = stateful_set, meta(stateful_set)["name"]
        labels = meta(stateful_set)["labels"]
        self.labels = {key: labels[key] for key in labels if key.startswith(TS)}
        kind, namespace = PARENT_KINDS[labels[TS + "parent-resource-type"]], labels[TS + "parent-resource-ns"]
        self.parent_key = "/".join(part for part in (kind, namespace, labels[TS + "parent-resource"]) if part)
        found = model.case.find(self.parent_key)
        if not found:
            raise RowError(f"{self.parent_key} is not in the input, yet the reference made {self.name} for it")
        self.parent = found[0]
        self.service: Object = model.get("Service", self.name)
        secrets = {meta(obj)["name"]: obj for obj in reversed(model.objects) if obj["kind"] == "Secret"}
        self.secrets = [secrets[name] for n in range(1000) if (name := f"{self.name}-{n}") in secrets]
        self.template = stateful_set["spec"]["template"]
        self.pod = self.template["spec"]
        self.container = next(c for c in self.pod["containers"] if c["name"] == "tailscale")

    def env(self, name: str) -> Object | None:
        return next((e for e in self.container["env"] if e["name"] == name), None)

    def config(self, secret: Object) -> Object:
        files = {int(re.findall(r"\d+", key)[0]): key for key in secret["stringData"] if key.endswith(".hujson")}
        return json.loads(secret["stringData"][files[max(files)]])


class Model:
    """The reference's objects of a case, which the rows turn into what we must render."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.objects: list[Object] = copy.deepcopy(case.expected)
        self.user_changes: list[Object] = copy.deepcopy(case.changed)
        self.hit: set[int] = set()
        self.proxies: list[Proxy] = []

    def get(self, kind: str, name: str) -> typing.Any:
        return next((o for o in self.objects if o["kind"] == kind and meta(o)["name"] == name), None)

    def apply(self) -> "Model":
        for number, function in ROWS:
            if row_holds(number, self.case.release) and function(self):
                self.hit.add(number)
        return self


# ---- names

def _generated_parents(model: Model) -> dict[str, str]:
    found = {}
    for obj in model.objects:
        labels = meta(obj).get("labels") or {}
        if "generateName" in meta(obj) and labels.get(TS + "parent-resource-type") in PARENT_KINDS:
            kind = PARENT_KINDS[labels[TS + "parent-resource-type"]]
            key = (kind, labels.get(TS + "parent-resource-ns", ""), labels[TS + "parent-resource"])
            found["/".join(part for part in key if part)] = suffix(*key)
    return found


@row(1)
def computed_suffix(model: Model) -> bool:
    parents = _generated_parents(model)

    def fill(match: re.Match[str]) -> str:
        key = match[1] or match[2]
        if key is None and len(parents) == 1:
            return next(iter(parents.values()))
        return parents.get(key, match[0])

    def change(text: str) -> str:
        return re.sub(r"<SFX(?::([^<>]+))?>|\{SFX(?::([^{}]+))?\}", fill, text)

    before = model.objects, model.user_changes
    model.objects, model.user_changes = map_strings(model.objects, change), map_strings(model.user_changes, change)
    for obj in model.objects:
        meta(obj).pop("generateName", None)
    model.proxies = [Proxy(model, obj) for obj in model.objects if _is_proxy(obj)]
    return before != (model.objects, model.user_changes)


def _is_proxy(obj: Object) -> bool:
    labels = meta(obj).get("labels") or {}
    return obj["kind"] == "StatefulSet" and labels.get(TS + "parent-resource-type") in PARENT_KINDS


@row(2)
def selector_label(model: Model) -> bool:
    for proxy in model.proxies:
        uid = f"<UID:{proxy.parent_key}>"
        for place in (proxy.service["spec"]["selector"], proxy.set["spec"]["selector"]["matchLabels"],
                      proxy.template["metadata"]["labels"]):
            if place.get("app") == uid:
                place["app"] = proxy.name
    return bool(model.proxies)


# ---- the pod; these rows run while the operator's names of Secrets are still there

def server_of(case: Case, tailnet: str) -> str:
    """Returns the control server of pods without a configuration."""
    for obj in case.find(f"Tailnet/{tailnet}"):
        return obj["spec"].get("loginUrl") or CONTROL
    return case.settings["loginServer"].removesuffix("/")


def hashed(case: Case, config: Object, tailnet: str | None) -> str:
    """Returns the fields of a configuration that are hashed: the control server only if a setting or a Tailnet names one."""
    named = case.settings["loginServer"] or tailnet
    fixed = {key: config[key] for key in ("ServerURL", "acceptDNS", "NoStatefulFiltering") if key in config and (named or key != "ServerURL")}
    return json.dumps(fixed, separators=(",", ":"), ensure_ascii=False)


@row(8)
def config_hash(model: Model) -> bool:
    for proxy in model.proxies:
        text = hashed(model.case, proxy.config(proxy.secrets[0]), (proxy.parent.get("spec") or {}).get("tailnet"))
        notes = proxy.template["metadata"].setdefault("annotations", {})
        notes[OURS + "config-hash"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return bool(model.proxies)


@row(9)
def contract_annotations(model: Model) -> bool:
    for proxy in model.proxies:
        names = [proxy.config(secret)["Hostname"] for secret in proxy.secrets]
        notes = meta(proxy.set).setdefault("annotations", {})
        notes.update({OURS + "contract": "v1", OURS + "parent": proxy.parent_key,
                      OURS + "tags": ",".join(model.case.tags(proxy.parent)), OURS + "hostname": ",".join(names)})
        if is_connector(proxy.parent) and proxy.parent["spec"].get("tailnet"):
            notes[OURS + "tailnet"] = proxy.parent["spec"]["tailnet"]
    return bool(model.proxies)


@row(29)
def remembered_target(model: Model) -> bool:
    hit = False
    for proxy in model.proxies:
        target, notes = proxy.env("TS_EXPERIMENTAL_DEST_DNS_NAME"), proxy.template["metadata"]["annotations"]
        if target and LAST_SET + "cluster-dns-name" not in notes:
            notes[LAST_SET + "cluster-dns-name"], hit = target["value"], True
    return hit


@row(10)
def dns_target(model: Model) -> bool:
    hit = False
    for proxy in model.proxies:
        target, space = proxy.env("TS_DEST_IP"), meta(proxy.parent).get("namespace")
        short = f"{space}/{meta(proxy.parent)['name']}"
        if not target or target["value"] != f"<CLUSTER_IP:{short}>":
            continue
        name = f"{meta(proxy.parent)['name']}.{space}.svc.{model.case.settings['clusterDomain']}"
        target.update(name="TS_EXPERIMENTAL_DEST_DNS_NAME", value=name)
        notes = proxy.template["metadata"]["annotations"]
        if notes.pop(LAST_SET + "cluster-ip", None) == f"<CLUSTER_IP:{short}>":
            notes[LAST_SET + "cluster-dns-name"] = name
        hit = True
    return hit


@row(5)
def auth_key_reference(model: Model) -> bool:
    hit = False
    for proxy in model.proxies:
        for secret in proxy.secrets:
            ours = f'"AuthKey":"file:/etc/tsauth/{meta(secret)["name"]}/authkey"'
            for key, text in secret["stringData"].items():
                secret["stringData"][key] = text.replace('"AuthKey":"<AUTHKEY>"', ours)
                hit = hit or secret["stringData"][key] != text
    return hit


def _insert_after(items: list[Object], new: list[Object], prefix: str) -> None:
    last = max((i for i, item in enumerate(items) if item["name"].startswith(prefix)), default=len(items) - 1)
    items[last + 1:last + 1] = new


@row(6)
def auth_volume(model: Model) -> bool:
    for proxy in model.proxies:
        names = [meta(secret)["name"] for secret in proxy.secrets]
        items = [{"key": "authkey", "path": "authkey"}]
        volumes = [{"name": f"auth-{n}", "secret": {"secretName": f"{name}-auth", "items": items}}
                   for n, name in enumerate(names)]
        mounts = [{"name": f"auth-{n}", "mountPath": f"/etc/tsauth/{name}", "readOnly": True}
                  for n, name in enumerate(names)]
        _insert_after(proxy.pod["volumes"], volumes, "tailscaledconfig-")
        _insert_after(proxy.container["volumeMounts"], mounts, "tailscaledconfig-")
    return bool(model.proxies)


# ---- targets of an Ingress

def _each_serve_config(model: Model, change: collections.abc.Callable[[Proxy, str], str]) -> bool:
    hit = False
    for proxy in model.proxies:
        for secret in proxy.secrets:
            text = secret["stringData"].get("serve-config")
            if text is not None:
                secret["stringData"]["serve-config"] = change(proxy, text)
                hit = hit or secret["stringData"]["serve-config"] != text
    return hit


@row(11)
def backend_dns_name(model: Model) -> bool:
    domain = model.case.settings["clusterDomain"]

    def change(proxy: Proxy, text: str) -> str:
        space = meta(proxy.parent)["namespace"]
        return re.sub(rf"//<CLUSTER_IP:{re.escape(space)}/([^<>/]+)>:", rf"//\1.{space}.svc.{domain}:", text)

    return _each_serve_config(model, change)


def _ipv6(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).version == 6
    except ValueError:
        return False


@row(12)
def ipv6_backend_brackets(model: Model) -> bool:
    pinned = {pinned_address(i.object) for i in model.case.inputs if is_kind(i.object, "", "Service")}

    def change(_: Proxy, text: str) -> str:
        for address in filter(_ipv6, pinned):
            text = text.replace(f"//{address}:", f"//[{address}]:")
        return text

    return _each_serve_config(model, change)


# ---- Secrets and rights

@row(3)
def secret_split(model: Model) -> bool:
    for proxy in model.proxies:
        names = {meta(secret)["name"] for secret in proxy.secrets}
        for secret in proxy.secrets:
            meta(secret)["name"] += "-config"
        for volume in proxy.pod["volumes"]:
            if (volume.get("secret") or {}).get("secretName") in names:
                volume["secret"]["secretName"] += "-config"
    return bool(model.proxies)


@row(4)
def secret_data(model: Model) -> bool:
    found = [obj for obj in model.objects if obj["kind"] == "Secret" and "stringData" in obj]
    for secret in found:
        secret["data"] = secret.pop("stringData")
    return bool(found)


@row(7)
def rights(model: Model) -> bool:
    for proxy in model.proxies:
        proxy.pod["serviceAccountName"] = proxy.name
        model.objects += _rights_of(proxy, model.case.settings["operatorNamespace"])
    return bool(model.proxies)


def _rights_of(proxy: Proxy, namespace: str) -> list[Object]:
    def head(version: str, kind: str) -> Object:
        return {"apiVersion": version, "kind": kind,
                "metadata": {"name": proxy.name, "namespace": namespace, "labels": dict(proxy.labels)}}

    rbac, states = "rbac.authorization.k8s.io", [f"{proxy.name}-{n}" for n in range(len(proxy.secrets))]
    return [
        head("v1", "ServiceAccount"),
        head(rbac + "/v1", "Role") | {"rules": [
            {"apiGroups": [""], "resources": ["secrets"], "resourceNames": states,
             "verbs": ["get", "update", "patch"]}]},
        head(rbac + "/v1", "RoleBinding") | {
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": proxy.name},
            "subjects": [{"kind": "ServiceAccount", "name": proxy.name, "namespace": namespace}]},
    ]


# ---- the container

@row(13)
def hardened(model: Model) -> bool:
    found = [proxy for proxy in model.proxies if (proxy.env("TS_USERSPACE") or {})["value"] == "true"]
    for proxy in found:
        proxy.container.setdefault("securityContext", copy.deepcopy(HARDENED))  # a class may have set another one
        proxy.container["volumeMounts"].append({"name": "tmp", "mountPath": "/tmp"})
        proxy.pod["volumes"].append({"name": "tmp", "emptyDir": {}})
    return bool(found)


def pull_once(model: Model, container: Object, parent: Object) -> bool:
    """Returns whether that changed anything."""
    pod = (model.case.class_of(parent).get("statefulSet") or {}).get("pod") or {}
    asked = (pod.get("tailscaleContainer") or {}).get("imagePullPolicy")
    pinned = "@sha256:" in container["image"] or re.search(r":v?\d+\.\d+\.\d+$", container["image"])
    if container.get("imagePullPolicy") != "Always" or not pinned or asked:
        return False
    container["imagePullPolicy"] = "IfNotPresent"
    return True


@row(14)
def pull_policy(model: Model) -> bool:
    return any([pull_once(model, proxy.container, proxy.parent) for proxy in model.proxies])


@row(15)
def single_stack_egress(model: Model) -> bool:
    found = [(proxy, target["value"]) for proxy in model.proxies if (target := proxy.env("TS_TAILNET_TARGET_IP"))]
    for proxy, address in found:
        family = "IPv6" if _ipv6(address.split("%")[0]) else "IPv4"
        proxy.service["spec"].update(ipFamilyPolicy="SingleStack", ipFamilies=[family])
    return bool(found)


HEALTH = {"name": "TS_ENABLE_HEALTH_CHECK", "value": "true"}
HEALTH_PLACES = {HEALTH["name"], "TS_LOCAL_ADDR_PORT", "TS_HEALTHCHECK_ADDR_PORT"}
PROBE = {"httpGet": {"path": "/healthz", "port": 9002}, "periodSeconds": 1, "failureThreshold": 10}
INSIDE_PROBE = {"exec": {"command": ["wget", "-q", "-O", "/dev/null", "http://localhost:9002/healthz"]},
                "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 10}


def _forwards_its_address(proxy: Proxy) -> bool:
    return any(proxy.env(name) for name in ("TS_TAILNET_TARGET_IP", "TS_TAILNET_TARGET_FQDN",
                                            "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS"))


@row(67)
def single_proxies_are_asked(model: Model) -> bool:
    hit = False
    for proxy in model.proxies:
        pod = (model.case.class_of(proxy.parent).get("statefulSet") or {}).get("pod") or {}
        if HEALTH_PLACES & {entry["name"] for entry in (pod.get("tailscaleContainer") or {}).get("env") or []}:
            continue
        names = [entry["name"] for entry in proxy.container["env"]]
        proxy.container["env"].insert(names.index("TS_INTERNAL_APP") + 1, dict(HEALTH))
        proxy.container["readinessProbe"] = copy.deepcopy(INSIDE_PROBE if _forwards_its_address(proxy) else PROBE)
        proxy.service["spec"]["publishNotReadyAddresses"], hit = True, True
    return hit


@row(28)
def priority_class_stays(model: Model) -> bool:
    hit, default = False, model.case.settings["priorityClassName"]
    for proxy in model.proxies:
        if default and "priorityClassName" not in proxy.pod:
            proxy.pod["priorityClassName"], hit = default, True
    return hit


@row(17)
def unique_env(model: Model) -> bool:
    hit = False
    for pod in (o["spec"]["template"]["spec"] for o in model.objects if o["kind"] == "StatefulSet"):
        for container in pod["containers"] + pod.get("initContainers", []):
            entries = container.get("env", [])
            last = {entry["name"]: index for index, entry in enumerate(entries)}
            unique = [entry for index, entry in enumerate(entries) if last[entry["name"]] == index]
            if unique != entries:
                container["env"], hit = unique, True
    return hit


# ---- metrics

@row(30)
def no_metrics_behind_forwarding(model: Model) -> bool:
    silent = {proxy.name + "-metrics" for proxy in model.proxies
              if proxy.env("EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS")}
    kept = [obj for obj in model.objects if meta(obj)["name"] not in silent]
    hit, model.objects = len(kept) < len(model.objects), kept
    return hit


@row(31)
def monitor_without_owner(model: Model) -> bool:
    owned = [meta(obj) for obj in model.objects if obj["kind"] == "ServiceMonitor" and "ownerReferences" in meta(obj)]
    for found in owned:
        del found["ownerReferences"]
    return bool(owned)


@row(62)
def literal_variables(model: Model) -> bool:
    """Only clear text is changed: base64 has no "$"."""
    def is_clear(obj: Object, key: str) -> bool:
        return key != "binaryData" and not (obj["kind"] == "Secret" and key == "data")

    found = [obj for obj in model.objects if "${" in json.dumps({k: v for k, v in obj.items() if is_clear(obj, k)})]
    for obj in found:
        meta(obj)["annotations"] = {"kustomize.toolkit.fluxcd.io/substitute": "disabled", **(meta(obj).get("annotations") or {})}
    return bool(found)


# ---- the user's own objects

@row(16)
def no_finalizers(model: Model) -> bool:
    hit = False
    for entry in model.user_changes:
        kept = [change for change in entry["changes"] if change["path"] != "metadata.finalizers"]
        hit = hit or len(kept) != len(entry["changes"])
        entry["changes"] = kept
    return hit


@row(27)
def selector_stays(model: Model) -> bool:
    """Applies only if the Service was an ExternalName before: a change of type is refused."""
    hit = False
    for entry in model.user_changes:
        kept = [c for c in entry["changes"] if (c["path"], c["after"]) != ("spec.selector", None)]
        if any(change["path"] == "spec.type" for change in entry["changes"]):
            continue
        hit = hit or len(kept) != len(entry["changes"])
        entry["changes"] = kept
    return hit


def user_object(model: Model, obj: Object) -> Object:
    """Returns the user's object as it must be rendered: with the changes that the reference makes to its spec, and no others."""
    obj = copy.deepcopy(obj)
    for entry in model.user_changes:
        if entry["object"] == ident(obj):
            for change in entry["changes"]:
                _set_path(obj, change["path"].split("."), change["after"])
    return obj


def _set_path(obj: Object, path: list[str], value: object) -> None:
    for key in path[:-1]:
        obj = obj.setdefault(key, {})
    if value is None:
        obj.pop(path[-1], None)
    else:
        obj[path[-1]] = value

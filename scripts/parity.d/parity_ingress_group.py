"""The rows of renderer/PARITY.md about ProxyGroups that the tailnet reaches: ingress and kube-apiserver.

What such a group offers is computed from the input, since the reference writes it only once devices run; if it has done so (running.yaml,
tailscale-services.yaml), both must agree.
"""
import copy
import hashlib
import ipaddress
import json

from parity_case import TS, Case, annotations, is_kind, meta, tls_hosts
from parity_group_rows import Group, add_contract, all_groups, groups
from parity_rows import HEALTH, OURS, PROBE, Model, RowError, hashed, row, server_of
from parity_yaml import Object

REDIRECT = "301:https://${HOST}${REQUEST_URI}"
VERBS = ["get", "update", "patch"]


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _spec(obj: Object) -> Object:
    return obj.get("spec") or {}


# ---- what a group offers

class Service:
    """A Tailscale Service."""

    def __init__(self, case: Case, parent: Object) -> None:
        self.case, self.parent, notes = case, parent, annotations(parent)
        kind, name, namespace = parent["kind"], meta(parent)["name"], meta(parent).get("namespace")
        self.key = "/".join(part for part in (kind, namespace, name) if part)
        tags = notes[TS + "tags"].split(",") if TS + "tags" in notes else case.settings["defaultTags"]
        self.ports, self.plain = ["tcp:443"], ""
        if kind == "ProxyGroup":
            self.hostname = (_spec(parent).get("kubeAPIServer") or {}).get("hostname") or name
            tags = _spec(parent).get("tags") or case.settings["defaultTags"]
        elif kind == "Service":
            self.hostname, self.ports = notes.get(TS + "hostname", f"{namespace}-{name}"), ["do-not-validate"]
        else:
            hosts = tls_hosts(parent)
            self.hostname = hosts[0].split(".")[0] if hosts else f"{namespace}-{name}-ingress"
            self.plain = "same" if notes.get(TS + "http-endpoint") == "enabled" else \
                "redirect" if notes.get(TS + "http-redirect") == "true" else ""
            self.ports += ["tcp:80"] if self.plain else []
        self.tags = [tag.strip() for tag in tags]
        self.name = f"svc:{self.hostname}"
        self.domain = "" if kind == "Service" else f"{self.hostname}.{case.settings['tailnetDomain']}"

    def description(self) -> Object:
        found = {"name": self.name, "parent": self.key, "ports": self.ports, "tags": self.tags}
        return found | ({"certificate": self.domain} if self.domain else {})

    def served(self) -> Object:
        """Returns the serve config of an Ingress."""
        handlers = {path: {"Proxy": self._url(backend) + path} for path, backend in self._mounts()}
        found: Object = {"TCP": {"443": {"HTTPS": True}}, "Web": {f"{self.domain}:443": {"Handlers": handlers}}}
        if self.plain:
            found["TCP"]["80"] = {"HTTP": True}
            plain = {path: {"Redirect": REDIRECT} for path in handlers} if self.plain == "redirect" else handlers
            found["Web"][f"{self.domain}:80"] = {"Handlers": plain}
        return found

    def _mounts(self) -> list[tuple[str, Object]]:
        spec = _spec(self.parent)
        found: dict[str, Object] = {}
        if spec.get("defaultBackend"):
            found["/"] = spec["defaultBackend"]
        for rule in spec.get("rules") or []:
            for path in (rule.get("http") or {}).get("paths") or []:
                found[path.get("path") or "/"] = path["backend"]
        return sorted(found.items())

    def _url(self, backend: Object) -> str:
        name, port = backend["service"]["name"], backend["service"]["port"]
        namespace = meta(self.parent)["namespace"]
        spec = _spec(self.case.service(namespace, name) or {})
        number = port.get("number") or next(p["port"] for p in spec["ports"] if p.get("name") == port["name"])
        secure = number == 443 or port.get("name") == "https"
        host = spec.get("clusterIP") or f"{name}.{namespace}.svc.{self.case.settings['clusterDomain']}"
        return f"{'https+insecure' if secure else 'http'}://{_bracketed(host)}:{number}"


def _bracketed(host: str) -> str:
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host


def offered(case: Case, group: Group) -> list[Service]:
    """Returns the Tailscale Services of a group, by hostname."""
    parents = [item.object for item in case.inputs if case.group_ingress(item.object)
               and annotations(item.object)[TS + "proxy-group"] == group.name]
    if group.type == "kube-apiserver":
        parents = [group.input]
    return sorted((Service(case, parent) for parent in parents), key=lambda service: service.hostname)


def _certificates(services: list[Service]) -> list[str]:
    return [service.domain for service in services if service.domain]


def api_groups(model: Model) -> list[Group]:
    return [group for group in all_groups(model) if group.type == "kube-apiserver"]


def ingress_groups(model: Model) -> list[Group]:
    return [group for group in groups(model) if group.type == "ingress"]


# ---- what the operator has written about it

def _running(case: Case, kind: str, name: str) -> Object | None:
    return next((obj for obj in case.running if obj["kind"] == kind and meta(obj)["name"] == name), None)


def _in_our_words(case: Case, text: str) -> str:
    """Applies rows 11 and 12 to the text."""
    by_address = {}
    for obj in (item.object for item in case.inputs if is_kind(item.object, "", "Service")):
        namespace, name = meta(obj).get("namespace"), meta(obj)["name"]
        by_address[f"//<CLUSTER_IP:{namespace}/{name}>:"] = f"//{name}.{namespace}.svc.{case.settings['clusterDomain']}:"
        address = _spec(obj).get("clusterIP") or ""
        by_address[f"//{address}:"] = f"//{_bracketed(address)}:"
    for theirs, ours in by_address.items():
        text = text.replace(theirs, ours)
    return text


def _agree(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise RowError(f"{what}: computed {_json(ours)}, but the reference has {_json(theirs)}")


def check_serve_config(case: Case, group: Group, services: list[Service]) -> None:
    config = _running(case, "ConfigMap", f"{group.name}-ingress-config") or {}
    text = (config.get("binaryData") or {}).get("serve-config.json")
    theirs = json.loads(_in_our_words(case, text))["Services"] if text else {}
    for service in services:
        if service.name in theirs:
            _agree(service.name, service.served(), theirs[service.name])


def check_registered(case: Case, services: list[Service]) -> None:
    for service in (service for service in services if service.name in case.registered):
        found = case.registered[service.name]
        _agree(service.name, [service.ports, service.tags], [found["ports"], [tag.strip() for tag in found["tags"]]])
        if service.domain and not _running(case, "Secret", service.domain):
            raise RowError(f"{service.domain}: the reference has no certificate for it")


# ---- rows

def _advertising(config: Object, services: list[Service]) -> Object:
    endpoints = {key: config.pop(key) for key in ("StaticEndpoints",) if key in config}  # StaticEndpoints is the last field
    return config | {"AdvertiseServices": [service.name for service in services]} | endpoints


@row(52)
def served_from_the_start(model: Model) -> bool:
    hit = False
    for group in ingress_groups(model):
        services = offered(model.case, group)
        check_serve_config(model.case, group, services)
        web = {service.name: service.served() for service in services if service.parent["kind"] == "Ingress"}
        if web:
            config = model.get("ConfigMap", f"{group.name}-ingress-config")
            config["binaryData"] = {"serve-config.json": _json({"Services": web})}
        for secret in group.secrets if services else []:
            for key, text in secret["data"].items():
                secret["data"][key] = _json(_advertising(json.loads(text), services))
        hit = hit or bool(services)
    return hit


@row(53)
def requests_for_the_controller(model: Model) -> bool:
    found = ingress_groups(model) + api_groups(model)
    for group in found:
        services = offered(model.case, group)
        check_registered(model.case, services)
        head = copy.deepcopy(meta(group.set)["labels"])
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": f"tailrender-group-{group.name}", "namespace": meta(group.set)["namespace"],
            "labels": {key: head[key] for key in head if key.startswith(TS)},
            "annotations": {OURS + "contract": "v1", OURS + "parent": f"ProxyGroup/{group.name}"}}}
        data = {f"{service.hostname}.json": _json(service.description()) for service in services}
        for pod, secret in zip(group.pods, group.secrets) if group.type == "kube-apiserver" else []:
            data[f"{pod}.hujson"] = _api_config(secret, services[0])
        model.objects.append(made | ({"data": data} if data else {}))
    return bool(found)


def _api_config(secret: Object, service: Service) -> str:
    config = json.loads(secret["data"]["config.hujson"])
    config.pop("AuthKey", None)
    proxy = config["APIServerProxy"]
    config["APIServerProxy"] = {"Enabled": proxy["Enabled"], "Mode": proxy["Mode"], "ServiceName": service.name} | proxy
    return _json(config)


@row(54)
def addresses_beside_it(model: Model) -> bool:
    found = ingress_groups(model)
    for group in found:
        name = f"{group.name}-ingress-config"
        volume = next(volume for volume in group.pod["volumes"] if volume["name"] == name)
        volume["projected"] = {"sources": [
            {"configMap": volume.pop("configMap")},
            {"configMap": {"name": "tailrender-ingress-addresses", "optional": True,
                           "items": [{"key": f"{group.name}.json", "path": "ingress-config.json"}]}}]}
    return bool(found)


@row(55)
def shared_certificates(model: Model) -> bool:
    found = [(group, names) for group in ingress_groups(model) if (names := _certificates(offered(model.case, group))) and group.pods]
    for group, names in found:
        model.get("Role", group.name)["rules"][0]["resourceNames"] += names
    return bool(found)


@row(56)
def api_rights(model: Model) -> bool:
    found = api_groups(model)
    for group in found:
        names = group.pods + _certificates(offered(model.case, group))
        secrets = {"apiGroups": [""], "resources": ["secrets"]}
        model.get("Role", group.name)["rules"] = [
            secrets | {"resourceNames": names, "verbs": VERBS},
            secrets | {"resourceNames": [f"{pod}-config" for pod in group.pods], "verbs": ["get", "watch"]},
        ] if group.pods else []
    return bool(found)


@row(57)
def health_of_ingress(model: Model) -> bool:
    found = ingress_groups(model)
    for group in found:
        at = next(n for n, entry in enumerate(group.container["env"]) if entry["name"] == "TS_EXPERIMENTAL_CERT_SHARE")
        group.container["env"].insert(at + 1, dict(HEALTH))
    return bool(found)


@row(46)
def readiness_probe(model: Model) -> bool:
    found = api_groups(model) + [group for group in ingress_groups(model) if not _moves_port(model.case, group)]
    for group in found:
        group.container["readinessProbe"] = PROBE
    return bool(found)


def _moves_port(case: Case, group: Group) -> bool:
    """Returns whether its class gives the pods another address for health checks."""
    name = group.spec("proxyClass", "") or case.settings["defaultProxyClass"]
    pods = [(_spec(obj).get("statefulSet") or {}).get("pod") or {} for obj in case.find(f"ProxyClass/{name}")]
    entries = [entry for pod in pods for entry in (pod.get("tailscaleContainer") or {}).get("env") or []]
    return any(entry["name"] == "TS_LOCAL_ADDR_PORT" for entry in entries)


# ---- pods of type kube-apiserver

@row(8)
def api_config_hash(model: Model) -> bool:
    found = api_groups(model)
    for group in found:
        server = server_of(model.case, group.spec("tailnet", ""))
        config = (group.configs() or [{"ServerURL": server} if server else {}])[0]
        text = hashed(model.case, {key: config[key] for key in ("ServerURL",) if key in config}, group.spec("tailnet", ""))
        notes = group.template["metadata"].setdefault("annotations", {})
        notes[OURS + "config-hash"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return bool(found)


@row(9)
def api_contract(model: Model) -> bool:
    found = api_groups(model)
    for group in found:
        add_contract(model, group)
    return bool(found)


@row(58)
def api_config_is_the_controllers(model: Model) -> bool:
    unwanted = {id(secret) for group in api_groups(model) for secret in group.secrets}
    model.objects = [obj for obj in model.objects if id(obj) not in unwanted]
    return bool(unwanted)

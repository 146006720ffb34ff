"""The rows of renderer/PARITY.md about refusals: what we refuse although the reference accepts it.

Each row finds in the input, by itself, the fault that the error names. An error that names a fault which the input does not have is a
difference.
"""
import ipaddress
import re

import parity_group_ontop as groups
import parity_ingress_ontop as ingress_groups
import parity_peer_relay as relays
from parity_case import FIREWALL_MODES, TS, Case, annotations, is_connector, is_kind, meta, pinned_address, replicas, tls_hosts
from parity_yaml import Object

LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DNS_NAME = r"(?:\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
MAX_REPLICAS = 1000
PATH_TYPES = {"Exact", "Prefix", "ImplementationSpecific"}
SERVICE_TYPES = {None, "ClusterIP", "NodePort", "LoadBalancer", "ExternalName"}


def _spec(obj: Object) -> Object:
    return obj.get("spec") or {}


def _paths(ingress: Object) -> list[Object]:
    rules = _spec(ingress).get("rules") or []
    return [path for rule in rules for path in ((rule.get("http") or {}).get("paths") or [])]


def _backends(ingress: Object) -> list[Object]:
    default = _spec(ingress).get("defaultBackend")
    return ([default] if default else []) + [path.get("backend") or {} for path in _paths(ingress)]


def _is_port(value: object) -> bool:
    return type(value) is int and 1 <= value <= 65535


def port_not_on_service(case: Case, name: str, _: str) -> bool:
    for ingress in case.find(name):
        for backend in _backends(ingress) if case.claimed(ingress) or case.group_ingress(ingress) else []:
            named = backend.get("service") or {}
            service = case.service(meta(ingress).get("namespace"), named.get("name"))
            number = (named.get("port") or {}).get("number")
            if service and number and number not in [p.get("port") for p in _spec(service).get("ports") or []]:
                return True
    return False


def ipv6_only_target(case: Case, name: str, _: str) -> bool:
    return any(case.exposed(obj) and _spec(obj).get("type") != "ExternalName" and not pinned_address(obj)
               and _spec(obj).get("ipFamilies") == ["IPv6"] for obj in case.find(name))


def duplicate_hostname(case: Case, name: str, _: str) -> bool:
    taken = [(item.ident, host) for item in case.inputs for host in set(_joining(case, item.object))]
    mine = {host for ident, host in taken if ident == name}
    return any(sum(host == other for _, other in taken) > 1 for host in mine)


def _joining(case: Case, obj: Object) -> list[tuple[str, str]]:
    """Returns (tailnet, hostname) of each device that an object makes."""
    spec, name = _spec(obj), meta(obj).get("name")
    if is_kind(obj, "tailscale.com", "Recorder"):
        return [(spec.get("tailnet") or "", f"{name}-{n}") for n in range(spec.get("replicas", 1))]
    if is_kind(obj, "tailscale.com", "ProxyGroup"):
        prefix = spec.get("hostnamePrefix") or name
        return [(spec.get("tailnet") or "", f"{prefix}-{n}") for n in range(spec.get("replicas", 2))]
    if is_kind(obj, "tailscale.com", "PeerRelay"):
        return relays.joining(obj)
    tailnet = (spec.get("tailnet") or "") if is_connector(obj) else ""
    return [(tailnet, host.lower()) for host in case.hostnames(obj)] if case.is_parent(obj) else []


def duplicate_object(case: Case, name: str, _: str) -> bool:
    return len(case.find(name)) > 1


def hostname_or_tag(case: Case, name: str, rule: str) -> bool:
    for parent in (obj for obj in case.find(name) if case.claimed(obj) or is_connector(obj)):
        label = LABEL.replace("A-Z", "") if is_connector(parent) else LABEL
        bad = {"invalid-hostname": any(not re.fullmatch(label, host) for host in case.hostnames(parent)),
               "invalid-tag": any(not re.fullmatch(r"tag:[A-Za-z][A-Za-z0-9-]*", t) for t in case.tags(parent))}
        if bad[rule]:
            return True
    return False


def firewall_mode_of_others(case: Case, name: str, _: str) -> bool:
    return case.settings["firewallMode"] not in FIREWALL_MODES and any(case.claimed(obj) or is_connector(obj) for obj in case.find(name))


def egress_of_another_type(case: Case, name: str, _: str) -> bool:
    return any(case.egress(obj) and _spec(obj).get("type") != "ExternalName" for obj in case.find(name))


def old_egress_address(case: Case, name: str, _: str) -> bool:
    notes = [annotations(obj) for obj in case.find(name) if case.egress(obj)]
    return any(not note.get(TS + "tailnet-ip") and not _is_address(note.get(TS + "ts-tailnet-target-ip") or "::")
               for note in notes)


def _is_address(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def reserved(case: Case, name: str, rule: str) -> bool:
    for spec in (_spec(obj) for obj in case.find(name) if is_kind(obj, "tailscale.com", "ProxyClass")):
        stateful_set = spec.get("statefulSet") or {}
        pod = stateful_set.get("pod") or {}
        keys = [key for part in (stateful_set, pod) for group in ("labels", "annotations") for key in part.get(group) or {}]
        names = [entry.get("name") for entry in (pod.get("tailscaleContainer") or {}).get("env") or []]
        if rule == "reserved-key" and any(key.startswith("tailrender.dev/") for key in keys):
            return True
        if rule == "reserved-env" and {"POD_IP", "POD_NAME", "TS_DEBUG_ADDR_PORT"} & set(names):
            return True
    for spec in (_spec(obj) for obj in case.find(name) if is_kind(obj, "tailscale.com", "Recorder")):
        container = ((spec.get("statefulSet") or {}).get("pod") or {}).get("container") or {}
        if rule == "reserved-env" and any(entry.get("name") == "POD_NAME" for entry in container.get("env") or []):
            return True
    return False


def replicas_out_of_range(case: Case, name: str, _: str) -> bool:
    return any(is_connector(obj) and not 1 <= replicas(obj) <= MAX_REPLICAS for obj in case.find(name))


def api_server_refuses(case: Case, name: str, rule: str) -> bool:
    if rule == "no-routes":
        return any(is_connector(obj) and (_spec(obj).get("appConnector") or {}).get("routes") == []
                   for obj in case.find(name))
    if rule == "path-without-type":
        return any(not path.get("pathType") for obj in case.find(name) for path in _paths(obj))
    return any(_service_broken(obj) or _ingress_broken(obj) for obj in case.find(name))


def _service_broken(obj: Object) -> bool:
    if not is_kind(obj, "", "Service"):
        return False
    ports, kind = _spec(obj).get("ports") or [], _spec(obj).get("type")
    keys = [(port.get("port"), port.get("protocol", "TCP")) for port in ports]
    names = [port.get("name") for port in ports]
    return (kind not in SERVICE_TYPES or len(set(keys)) < len(keys) or (len(names) > 1 and len(set(names)) < len(names))
            or (kind == "ExternalName" and (not re.fullmatch(DNS_NAME + r"\.?", _spec(obj).get("externalName") or "")
                                            or _spec(obj).get("clusterIP")))
            or not all(map(_is_address, set(_addresses(_spec(obj)))))
            or (kind != "ExternalName" and not ports and _spec(obj).get("clusterIP") != "None")
            or not all(map(_port_fine, ports)))


def _addresses(spec: Object) -> list[str]:
    return [address for address in [spec.get("clusterIP"), *(spec.get("clusterIPs") or [])] if address not in (None, "", "None")]


def _port_fine(port: Object) -> bool:
    node, target = port.get("nodePort", 0), port.get("targetPort", 1)
    return (_is_port(port.get("port")) and port.get("protocol", "TCP") in ("TCP", "UDP", "SCTP")
            and (node == 0 or _is_port(node)) and (_is_port_name(target) if isinstance(target, str) else _is_port(target)))


def _is_port_name(text: str) -> bool:
    return bool(re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?", text) and re.search("[a-z]", text) and "--" not in text)


def _ingress_broken(obj: Object) -> bool:
    if not is_kind(obj, "networking.k8s.io", "Ingress"):
        return False
    hosts = [rule.get("host") for rule in _spec(obj).get("rules") or [] if rule.get("host")] + tls_hosts(obj)
    rules = _spec(obj).get("rules") or []
    return (not (rules or _spec(obj).get("defaultBackend"))
            or any(_is_address(rule["host"]) for rule in rules if rule.get("host"))
            or any((rule.get("http") or {}).get("paths") == [] for rule in rules)
            or not all(re.fullmatch(DNS_NAME, host) for host in hosts)
            or not all(map(_path_fine, _paths(obj))) or not all(map(_backend_fine, _backends(obj))))


def _path_fine(path: Object) -> bool:
    text, kind = path.get("path") or "", path.get("pathType")
    if kind == "ImplementationSpecific":
        return not text or text.startswith("/")
    plain = text.startswith("/") and not re.search(r"//|/\.\.?(/|$)|%2[fF]", text)
    return kind in PATH_TYPES and plain


def _backend_fine(backend: Object) -> bool:
    service, port = backend.get("service"), (backend.get("service") or {}).get("port") or {}
    if not service:
        return bool(backend.get("resource"))
    one = ("number" in port) != ("name" in port) and not backend.get("resource")
    return bool(one and service.get("name") and ("name" in port or _is_port(port["number"])))


def recorder_name(case: Case, name: str, rule: str) -> bool:
    for recorder in (obj for obj in case.find(name) if is_kind(obj, "tailscale.com", "Recorder")):
        own = meta(recorder).get("name", "")
        taken: set[str | None] = {"operator", "proxies", "kube-apiserver-auth-proxy"}
        taken |= {meta(item.object).get("name") for item in case.inputs if _is_in_the_way(case, item.object, own)}
        bad = {"name-too-long": len(own) > 52, "invalid-object": "." in own,
               "name-collision": bool(taken & {own, _account(recorder)})}
        if bad[rule]:
            return True
    return False


def _account(recorder: Object) -> str | None:
    pod = (_spec(recorder).get("statefulSet") or {}).get("pod") or {}
    return (pod.get("serviceAccount") or {}).get("name") or meta(recorder).get("name")


def _is_in_the_way(case: Case, obj: Object, own: str) -> bool:
    if is_kind(obj, "tailscale.com", "Recorder"):
        return meta(obj).get("name") != own
    kinds = ("Role", "RoleBinding", "Service", "ServiceAccount", "StatefulSet")
    return obj.get("kind") in kinds and meta(obj).get("namespace") == case.settings["operatorNamespace"]


# (row, rule ids, does the input have the fault?)
ON_TOP = [
    (18, {"backend-port-not-found"}, port_not_on_service),
    (19, {"ipv6-dns-target"}, ipv6_only_target),
    (20, {"duplicate-hostname"}, duplicate_hostname),
    (20, {"duplicate-hostname"}, groups.duplicate_hostname),
    (20, {"duplicate-hostname"}, ingress_groups.duplicate_hostname),
    (21, {"duplicate-object"}, duplicate_object),
    (22, {"invalid-hostname", "invalid-tag"}, hostname_or_tag),
    (23, {"invalid-object", "path-without-type", "no-routes"}, api_server_refuses),
    (23, {"invalid-object"}, groups.api_server_refuses),
    (24, {"invalid-firewall-mode"}, firewall_mode_of_others),
    (24, {"invalid-firewall-mode"}, groups.firewall_mode),
    (25, {"egress-not-external-name"}, egress_of_another_type),
    (26, {"invalid-tailnet-ip"}, old_egress_address),
    (32, {"reserved-key", "reserved-env"}, reserved),
    (38, {"name-too-long", "invalid-object", "name-collision"}, recorder_name),
    (48, {"reserved-name", "invalid-group-name", "too-many-replicas", "invalid-hostname"}, groups.bad_group),
    (49, {"unsupported-protocol", "reserved-port-name", "ambiguous-group-key"}, groups.bad_member),
    (50, {"replicas-out-of-range"}, replicas_out_of_range),
    (59, {"missing-proxy-group"}, ingress_groups.missing_group),
    (60, {"headless-service", "external-name-in-group"}, ingress_groups.without_address),
    (61, {"no-tailnet-domain", "name-too-long"}, ingress_groups.certificate_name),
    (70, {"name-too-long", "invalid-object", "invalid-hostname"}, relays.bad_relay),
    (72, {"version-skew"}, relays.old_image),
]

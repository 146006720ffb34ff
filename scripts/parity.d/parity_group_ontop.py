"""What we refuse of ProxyGroups and their Services although the reference accepts it (rows of renderer/PARITY.md)."""
import re

from parity_case import FIREWALL_MODES, TS, Case, annotations, is_kind, meta
from parity_yaml import Object

NAME = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
LONGEST = {"egress": 49, "ingress": 48, "kube-apiserver": 52}  # the longest names that fit into the names of volumes and labels
MAX_REPLICAS = 1000


def _spec(obj: Object) -> Object:
    return obj.get("spec") or {}


def _groups(case: Case, name: str) -> list[Object]:
    return [obj for obj in case.find(name) if is_kind(obj, "tailscale.com", "ProxyGroup")]


def _replicas(group: Object) -> int:
    wanted = _spec(group).get("replicas")
    return 2 if wanted is None else wanted


def _prefix(group: Object) -> str:
    return _spec(group).get("hostnamePrefix") or meta(group)["name"]


def _hostnames(group: Object) -> list[str]:
    return [f"{_prefix(group)}-{n}" for n in range(_replicas(group))]


def duplicate_hostname(case: Case, name: str, _: str) -> bool:
    """Returns whether a replica of a group has the hostname of another device."""
    every = [obj for item in case.inputs for obj in _groups(case, item.ident)]
    taken = [case.hostname(obj).lower() for obj in case.parents()] + [host for obj in every for host in _hostnames(obj)]
    mine = [host for obj in _groups(case, name) for host in _hostnames(obj)]
    mine += [case.hostname(obj).lower() for obj in case.find(name) if case.is_parent(obj)]
    return any(taken.count(host) > 1 for host in mine)


def api_server_refuses(case: Case, name: str, _: str) -> bool:
    return any(not re.fullmatch(NAME, meta(obj).get("name") or "") or not isinstance(_replicas(obj), int)
               or _replicas(obj) < 0 or _spec(obj).get("type") not in LONGEST for obj in _groups(case, name))


def firewall_mode(case: Case, name: str, _: str) -> bool:
    return case.settings["firewallMode"] not in FIREWALL_MODES and bool(_groups(case, name))


def bad_group(case: Case, name: str, rule: str) -> bool:
    """Returns whether a group has a fault that the reference finds too late, or never."""
    faults = {
        "reserved-name": lambda g: meta(g)["name"] in ("operator", "proxies", "kube-apiserver-auth-proxy"),
        "invalid-group-name": lambda g: "." in meta(g)["name"] or len(meta(g)["name"]) > LONGEST[_spec(g)["type"]],
        "too-many-replicas": lambda g: _replicas(g) > MAX_REPLICAS,
        "invalid-hostname": lambda g: any(len(host) > 63 for host in _hostnames(g)[-1:]),
    }
    return any(faults[rule](group) for group in _groups(case, name))


def _key(service: Object) -> tuple[str | None, str]:
    return annotations(service).get(TS + "proxy-group"), f"{meta(service)['namespace']}-{meta(service)['name']}"


def bad_member(case: Case, name: str, rule: str) -> bool:
    services = [obj for obj in case.find(name) if case.group_egress(obj)]
    ports = [port for obj in services for port in _spec(obj).get("ports") or []]
    keys = [_key(item.object) for item in case.inputs if case.group_egress(item.object)]
    return {
        "unsupported-protocol": any(port.get("protocol") == "SCTP" for port in ports),
        "reserved-port-name": any(port.get("name") == "tailscale-health-check" for port in ports),
        "ambiguous-group-key": any(keys.count(_key(obj)) > 1 for obj in services),
    }[rule]

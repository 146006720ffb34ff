"""Makes random choices of the operator comparable: it lists Nodes in no defined order, and it may look first at either of two objects that
exclude each other.

Two results that the operator can have for one input compare equal here; a result that it cannot have stays different.
"""
import collections.abc
import ipaddress
import itertools
import json
import re

from parity_case import TS, Case, is_kind, meta
from parity_yaml import Object

ENDPOINTS = re.compile(r'(?<="StaticEndpoints":)\[(?:"[^"]*",?)*\]')
CLASH = re.compile(r'port ranges for ProxyClass "([^"]*)" clash with existing ProxyClass "([^"]*)"')
MOST_ENDPOINTS = 2  # for each replica


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _external(node: Object) -> list[Address]:
    """Returns the external addresses of a Node, in its own order."""
    listed = (node.get("status") or {}).get("addresses") or []
    return [found for entry in listed if entry.get("type") == "ExternalIP" and (found := _address(entry.get("address") or ""))]


def _nodes(case: Case, group: Object) -> list[list[Address]]:
    """Returns the addresses of each Node that a group's class selects, in the order of the Nodes' names; Nodes without an address are left
    out."""
    selector = (((case.class_of(group).get("staticEndpoints") or {}).get("nodePort") or {}).get("selector") or {}).items()
    nodes = sorted((item.object for item in case.inputs if is_kind(item.object, "", "Node")), key=lambda node: meta(node)["name"])
    return [found for node in nodes if selector <= (meta(node).get("labels") or {}).items() and (found := _external(node))]


def _possible(nodes: list[list[Address]]) -> collections.abc.Iterator[list[Address]]:
    """Yields the addresses that the operator can choose: from Nodes in any order, and later kept in another order."""
    for order in itertools.permutations(nodes, min(len(nodes), MOST_ENDPOINTS)):
        chosen = [found for addresses in order for found in addresses][:MOST_ENDPOINTS]
        yield chosen
        if order and len(order[0]) < MOST_ENDPOINTS:
            yield chosen[::-1]


def _in_order(nodes: list[list[Address]], text: str) -> str:
    """Returns a list of endpoints with the addresses of the first Nodes by name, if the list is a possible choice."""
    given = [endpoint.rpartition(":") for endpoint in json.loads(text)]
    if [_address(host.strip("[]")) for host, *_ in given] not in list(_possible(nodes)):
        return text
    first = [f"[{found}]" if found.version == 6 else str(found) for found in sum(nodes, [])]
    return json.dumps([f"{host}:{port}" for host, (*_, port) in zip(first, given)], separators=(",", ":"))


def endpoints_in_order(case: Case, objects: list[Object]) -> bool:
    """Rewrites the operator's objects to have the endpoints of Nodes in the order of their names. Returns whether that changed anything."""
    hit = False
    for obj in objects:
        labels = meta(obj).get("labels") or {}
        groups = case.find(f"ProxyGroup/{labels.get(TS + 'parent-resource')}") if labels.get(TS + "parent-resource-type") == "proxygroup" else []
        texts = obj.get("stringData") or obj.get("data") or {} if obj["kind"] == "Secret" and groups else {}
        for key, text in texts.items():
            nodes = _nodes(case, groups[0])
            texts[key] = ENDPOINTS.sub(lambda found: _in_order(nodes, found[0]), text)
            hit = hit or texts[key] != text
    return hit


def is_of_several(case: Case, obj: Object) -> bool:
    """Returns whether the object is the nameserver of several DNSConfigs, which overwrite it in turn forever."""
    several = sum(is_kind(item.object, "tailscale.com", "DNSConfig") for item in case.inputs) > 1
    return several and any(owner["kind"] == "DNSConfig" for owner in meta(obj).get("ownerReferences") or [])


def clashing(text: str) -> frozenset[str]:
    """Returns the ProxyClasses whose port ranges clash: one is refused for the ports of the other, depending on which was looked at
    last."""
    return frozenset(f"ProxyClass/{name}" for names in CLASH.findall(text) for name in names)

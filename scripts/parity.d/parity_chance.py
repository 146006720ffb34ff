"""What the operator leaves to chance: it asks for Nodes in no order, and it looks first at either of two objects that exclude each other.

Two things that it could have done with one input are the same here; what it could not have done stays as it is.
"""
import ipaddress
import itertools
import json
import re

from parity_case import TS, is_kind, meta

ENDPOINTS = re.compile(r'(?<="StaticEndpoints":)\[(?:"[^"]*",?)*\]')
CLASH = re.compile(r'port ranges for ProxyClass "([^"]*)" clash with existing ProxyClass "([^"]*)"')
MOST_ENDPOINTS = 2  # of a replica


def _address(text):
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _external(node):
    """Its addresses, in its own order."""
    listed = (node.get("status") or {}).get("addresses") or []
    return [found for entry in listed if entry.get("type") == "ExternalIP" and (found := _address(entry.get("address") or ""))]


def _nodes(case, group):
    """The addresses of each Node that a group's class selects and that has some, in the order of the Nodes' names."""
    selector = (((case.class_of(group).get("staticEndpoints") or {}).get("nodePort") or {}).get("selector") or {}).items()
    nodes = sorted((item.object for item in case.inputs if is_kind(item.object, "", "Node")), key=lambda node: meta(node)["name"])
    return [found for node in nodes if selector <= (meta(node).get("labels") or {}).items() and (found := _external(node))]


def _possible(nodes):
    """The choices of addresses that the operator can make: of Nodes in any order, and kept later in another one."""
    for order in itertools.permutations(nodes, min(len(nodes), MOST_ENDPOINTS)):
        chosen = sum(order, [])[:MOST_ENDPOINTS]
        yield chosen
        if order and len(order[0]) < MOST_ENDPOINTS:
            yield chosen[::-1]


def _in_order(nodes, text):
    """A list of endpoints with the addresses of the first Nodes by name, if it is a possible one."""
    given = [endpoint.rpartition(":") for endpoint in json.loads(text)]
    if [_address(host.strip("[]")) for host, *_ in given] not in list(_possible(nodes)):
        return text
    first = [f"[{found}]" if found.version == 6 else str(found) for found in sum(nodes, [])]
    return json.dumps([f"{host}:{port}" for host, (*_, port) in zip(first, given)], separators=(",", ":"))


def endpoints_in_order(case, objects):
    """Writes into the operator's objects the endpoints that it would have chosen of Nodes in the order of their names. Whether others were there."""
    hit = False
    for obj in objects:
        labels = meta(obj).get("labels") or {}
        groups = case.find(f"ProxyGroup/{labels.get(TS + 'parent-resource')}") if labels.get(TS + "parent-resource-type") == "proxygroup" else []
        texts = obj.get("stringData") or obj.get("data") or {} if obj["kind"] == "Secret" and groups else {}
        for key, text in texts.items():
            nodes = _nodes(case, groups[0])
            texts[key] = ENDPOINTS.sub(lambda found, nodes=nodes: _in_order(nodes, found[0]), text)
            hit = hit or texts[key] != text
    return hit


def is_of_several(case, obj):
    """Whether it is the one nameserver of several DNSConfigs, which write it in turn for ever."""
    several = sum(is_kind(item.object, "tailscale.com", "DNSConfig") for item in case.inputs) > 1
    return several and any(owner["kind"] == "DNSConfig" for owner in meta(obj).get("ownerReferences") or [])


def clashing(text):
    """The ProxyClasses of which one is refused for the ports of the other, whichever was looked at last."""
    return frozenset(f"ProxyClass/{name}" for names in CLASH.findall(text) for name in names)

"""What we refuse of Services that groups offer to the tailnet although the reference accepts it (rows of renderer/PARITY.md)."""
from parity_case import TS, Case, annotations, is_kind, meta
from parity_ingress_group import Service
from parity_release import is_within
from parity_yaml import Object

LONGEST_LABEL = 63


def _spec(obj: Object) -> Object:
    return obj.get("spec") or {}


def _parents(case: Case, objects: list[Object]) -> list[Object]:
    """Returns the objects that become a Tailscale Service."""
    return [obj for obj in objects if case.group_ingress(obj) or is_kind(obj, "tailscale.com", "ProxyGroup")
            and _spec(obj).get("type") == "kube-apiserver"]


def _tailnet(case: Case, obj: Object) -> str:
    group = obj if obj["kind"] == "ProxyGroup" else \
        next(iter(case.find(f"ProxyGroup/{annotations(obj)[TS + 'proxy-group']}")), {})
    return _spec(group).get("tailnet") or ""


def _devices(case: Case, obj: Object) -> list[tuple[str, str]]:
    if is_kind(obj, "tailscale.com", "ProxyGroup"):
        replicas, prefix = _spec(obj).get("replicas"), _spec(obj).get("hostnamePrefix") or meta(obj)["name"]
        return [(_tailnet(case, obj), f"{prefix}-{n}") for n in range(2 if replicas is None else replicas)]
    own = _spec(obj).get("tailnet") or ""
    return [(own, host.lower()) for host in set(case.hostnames(obj))] if case.is_parent(obj) else []


def duplicate_hostname(case: Case, name: str, _: str) -> bool:
    """Returns whether a Tailscale Service has the hostname of another one or of a device."""
    objects = [item.object for item in case.inputs]
    services = [(obj, (_tailnet(case, obj), Service(case, obj).hostname.lower())) for obj in _parents(case, objects)]
    taken = [host for _, host in services] + [host for obj in objects for host in _devices(case, obj)]
    found = case.find(name)
    mine = {host for obj, host in services if obj in found} | {host for obj in found for host in _devices(case, obj)}
    return any(taken.count(host) > 1 and any(host == other for _, other in services) for host in mine)


def missing_group(case: Case, name: str, _: str) -> bool:
    """Returns whether the group does not exist. The reference waits for it silently."""
    return any(case.group_ingress(obj) and not case.find(f"ProxyGroup/{annotations(obj)[TS + 'proxy-group']}")
               for obj in case.find(name))


def without_address(case: Case, name: str, rule: str) -> bool:
    for obj in (obj for obj in case.find(name) if obj["kind"] == "Service" and case.group_ingress(obj)):
        spec = _spec(obj)
        if rule == ("headless-service" if spec.get("clusterIP") == "None" else "external-name-in-group") \
                and (spec.get("clusterIP") == "None" or spec.get("type") == "ExternalName"):
            return True
    return False


def certificate_name(case: Case, name: str, rule: str) -> bool:
    if rule == "name-too-long" and any(case.group_ingress(obj) and len(meta(obj)["name"]) > LONGEST_LABEL
                                       for obj in case.find(name)):
        return True
    for service in (Service(case, obj) for obj in _parents(case, case.find(name))):
        if service.domain and rule == "no-tailnet-domain" and not case.settings["tailnetDomain"]:
            return True
        if rule == "name-too-long" and len(service.domain) > LONGEST_LABEL and is_within(case.release, until="1.96"):
            return True
    return False

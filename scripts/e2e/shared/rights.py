"""The rules of the controller's account, one for each verb of each resource."""
import collections.abc
import itertools

from shared.checks import Object

NAMESPACE = "tailscale"
ROLES = {("ClusterRole", "tailscale-operator"), ("Role", "operator")}


Rule = tuple[str, str, str, str, str]


def rules(objects: collections.abc.Iterable[Object], roles: collections.abc.Container[tuple[str, str]]) -> set[Rule]:
    """(namespace, group, resource, verb, name) of every rule; namespace "" is everywhere, name "" is any."""
    found = set()
    for item in objects:
        if (item["kind"], item["metadata"]["name"]) in roles:
            namespace = "" if item["kind"] == "ClusterRole" else item["metadata"].get("namespace", NAMESPACE)
            for rule in item["rules"]:
                found |= {(namespace, group, resource, verb, name) for group, resource, verb, name in itertools.product(
                    rule["apiGroups"], rule["resources"], rule["verbs"], rule.get("resourceNames", [""]))}
    return found

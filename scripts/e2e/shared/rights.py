"""The rules of the controller's account, one for each verb of each resource."""
import itertools

NAMESPACE = "tailscale"
ROLES = {("ClusterRole", "tailscale-operator"), ("Role", "operator")}


def rules(objects, roles):
    """(namespace, group, resource, verb, name) of every rule; namespace "" is everywhere, name "" is any."""
    found = set()
    for item in objects:
        if (item["kind"], item["metadata"]["name"]) in roles:
            namespace = "" if item["kind"] == "ClusterRole" else item["metadata"].get("namespace", NAMESPACE)
            for rule in item["rules"]:
                found |= {(namespace, *words) for words in itertools.product(rule["apiGroups"], rule["resources"], rule["verbs"],
                                                                              rule.get("resourceNames", [""]))}
    return found

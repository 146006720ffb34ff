"""Whose the fields of rendered objects are in a cluster, and that nobody changes them.

    applied_again_nothing_changes(lab, objects, apply)   `apply` applies the objects as manager "gitops", or as kubectl does; "by-hand" may have made
                                                     their Namespace
"""
import json

from shared.checks import demand, expect

MANAGERS, BEFORE = ("gitops", "kubectl-client-side-apply"), "by-hand"


def leaves(fields, path=()):
    """Paths of the fields that a manager sets; "." says only that a map is there."""
    inner = {name: value for name, value in fields.items() if name != "."}
    if not inner:
        return {path}
    return {leaf for name, value in inner.items() for leaf in leaves(value, (*path, name))}


def live(lab, objects):
    """By kind, namespace and name, without what is status."""
    text = lab.kubectl("get", "--show-managed-fields", "-o", "json", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    found = {}
    for item in json.loads(text)["items"]:
        meta = item["metadata"]
        meta["managedFields"] = [entry for entry in meta.get("managedFields", []) if entry.get("subresource") != "status"]
        del meta["resourceVersion"]
        item.pop("status", None)
        # The API server notes a time for the first apply that follows its check of the policy's types, and changes nothing else.
        if item["kind"] == "ValidatingAdmissionPolicy":
            for entry in meta["managedFields"]:
                del entry["time"]
        found[item["kind"], meta.get("namespace", ""), meta["name"]] = item
    return found


def check_owners(name, item):
    """No field that was rendered is set by another manager."""
    entries = [entry for entry in item["metadata"]["managedFields"] if entry["manager"] != BEFORE]
    rendered = {leaf for entry in entries if entry["manager"] in MANAGERS for leaf in leaves(entry["fieldsV1"])}
    for entry in entries:
        if entry["manager"] not in MANAGERS:
            shared = rendered & leaves(entry["fieldsV1"])
            demand(not shared, f"{name}: {entry['manager']} has set {sorted(shared)}")


def applied_again_nothing_changes(lab, objects, apply):
    before = live(lab, objects)
    expect(len(before), len(objects), "objects in the cluster")
    for name, item in before.items():
        check_owners(name, item)
    apply()
    after = live(lab, objects)
    for name, item in before.items():
        for field in item.keys() | after[name].keys():
            expect(after[name].get(field), item.get(field), f"{field} of {name} after a second apply")

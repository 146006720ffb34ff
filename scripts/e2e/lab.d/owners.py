"""Checks which field manager owns each field of the rendered objects in a cluster, and that no other one changes them.

    applied_again_nothing_changes(lab, objects, apply)   `apply` applies the objects as manager "gitops", or as kubectl does; "by-hand" may have made
                                                     their Namespace
    the_controller_wrote_none(lab, objects)          by the audit log: not even a field that was not rendered, but for what is status
"""
import collections.abc
import json

import audit

from harness import Lab
from shared.checks import Object

MANAGERS, BEFORE, CONTROLLER = ("gitops", "kubectl-client-side-apply"), "by-hand", "tailrender"


def leaves(fields: Object, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Returns the paths of the fields that a manager sets; "." only means that a map is there."""
    inner = {name: value for name, value in fields.items() if name != "."}
    if not inner:
        return {path}
    return {leaf for name, value in inner.items() for leaf in leaves(value, (*path, name))}


def is_status(entry: Object) -> bool:
    """Returns whether the entry is about status only; the controller may set nothing else through that subresource."""
    ours = entry["manager"].startswith(CONTROLLER)
    return entry.get("subresource") == "status" and not (ours and entry["fieldsV1"].keys() - {"f:status"})


def live(lab: Lab, objects: list[Object]) -> dict[tuple[str, str, str], Object]:
    """Returns the objects by kind, namespace and name, without the owners of status."""
    text = lab.kubectl("get", "--show-managed-fields", "-o", "json", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    found = {}
    for item in json.loads(text)["items"]:
        meta = item["metadata"]
        meta["managedFields"] = [entry for entry in meta.get("managedFields", []) if not is_status(entry)]
        del meta["resourceVersion"]
        item.pop("status", None)
        # The API server records a time for the first apply after its check of the policy's types, and changes nothing else.
        if item["kind"] == "ValidatingAdmissionPolicy":
            for entry in meta["managedFields"]:
                del entry["time"]
        found[item["kind"], meta.get("namespace", ""), meta["name"]] = item
    return found


def check_owners(name: tuple[str, str, str], item: Object) -> None:
    """Checks that no other manager sets a rendered field, and that the controller sets no field at all."""
    entries = [entry for entry in item["metadata"]["managedFields"] if entry["manager"] != BEFORE]
    rendered = {leaf for entry in entries if entry["manager"] in MANAGERS for leaf in leaves(entry["fieldsV1"])}
    for entry in entries:
        if entry["manager"] not in MANAGERS:
            shared = rendered & leaves(entry["fieldsV1"])
            assert not shared, f"{name}: {entry['manager']} has set {sorted(shared)}"
            assert not entry["manager"].startswith(CONTROLLER), f"{name}: {entry['manager']} has set {sorted(leaves(entry['fieldsV1']))}"


def applied_again_nothing_changes(lab: Lab, objects: list[Object], apply: collections.abc.Callable[[], object]) -> None:
    before = live(lab, objects)
    assert len(before) == len(objects), "objects in the cluster"
    for name, item in before.items():
        check_owners(name, item)
    apply()
    after = live(lab, objects)
    for name, item in before.items():
        for field in item.keys() | after[name].keys():
            assert after[name].get(field) == item.get(field), f"{field} of {name} after a second apply"


def resources(lab: Lab) -> dict[tuple[str, str], str]:
    """Returns {(group, kind): resource}."""
    lines = [line.split() for line in lab.kubectl("api-resources", "--no-headers").splitlines()]
    return {(version.rpartition("/")[0], kind): name for name, *_, version, _, kind in lines}


def the_controller_wrote_none(lab: Lab, objects: list[Object]) -> None:
    known = resources(lab)
    rendered = {(known[item["apiVersion"].rpartition("/")[0], item["kind"]], item["metadata"].get("namespace", ""), item["metadata"]["name"])
                for item in objects}
    wrote = [entry["objectRef"] for entry in audit.requests(lab, 0)
             if entry["verb"] not in audit.READING and entry["objectRef"].get("subresource") != "status"]
    names = {(about["resource"], about.get("namespace", ""), about.get("name", "")) for about in wrote}
    assert [words for words in names if not words[2]] == [], "writes to objects without a name"
    assert sorted(names & rendered) == [], "rendered objects that the controller wrote"
    assert {"secrets", "configmaps", "leases"} - {words[0] for words in names} == set(), "what the audit log does not show of it"
    print(f"the controller wrote {len(names)} objects, none of the {len(rendered)} rendered ones", flush=True)

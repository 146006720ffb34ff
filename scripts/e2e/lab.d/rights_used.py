"""Checks, by the audit log of a lab, that each of the controller's rights is needed.

    every_right_is_used(lab, objects, elsewhere)     objects: with the rendered roles; elsewhere: {(resource, verb): the test that shows it}
"""
import collections.abc
import re

import audit
from harness import Lab
from shared.checks import Object
from shared.rights import ROLES, Rule, rules

SHARD = re.compile(r"tailrender-devices-\d+$")  # one of several tables, of which there is only one when there are few devices


def is_for(rule: Rule, entry: Object) -> bool:
    """Returns whether that request was allowed because of that rule."""
    namespace, group, resource, verb, name = rule
    about, code = entry["objectRef"], entry["responseStatus"]["code"]
    # Server-side apply of a new object asks for both rights; an answer that an object does not exist counts as well.
    verbs = {entry["verb"], "create"} if code == 201 else {entry["verb"]}
    answered = code < 400 or (entry["verb"], code) == ("get", 404)
    asked = "/".join(word for word in (about["resource"], about.get("subresource")) if word)
    return answered and (about.get("apiGroup", ""), asked) == (group, resource) and verb in verbs and \
        namespace in ("", about.get("namespace")) and name in ("", about.get("name"))


def every_right_is_used(lab: Lab, objects: list[Object], elsewhere: collections.abc.Mapping[tuple[str, str], object]) -> None:
    found = [entry for entry in audit.requests(lab, 0) if "objectRef" in entry]
    unused = {(rule[2], rule[3]) for rule in rules(objects, ROLES) if not SHARD.match(rule[4]) and not any(is_for(rule, entry) for entry in found)}
    assert sorted(unused - elsewhere.keys()) == [], "rights that nothing needed here"

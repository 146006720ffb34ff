"""Makes parts of pods from a random number, by the schema of the kind that holds them."""
import functools

import yaml

from cluster import LOADER
from shared.operator_source import operator_source

STRINGS = ["a", "x-1", "b.example.org/c", "", "no", "1", "0x1", "a b", "ü"]
QUANTITIES = ["1", 2, "100m", "0.5", "1Gi", "1500Mi", "128974848", "2000m", "0", "1k", "0.1", "1.5Gi", "100n", "+1", "1.0", "01", "1E"]
INTEGERS = [0, 1, 2, 100, 65535]
MAPS = [{}, {"a": "b"}, {"a.example.org/b": "", "c": "no"}]
MOST_DEPTH = 9


@functools.cache
def schema(kind):
    text = (operator_source()[1] / "deploy" / "crds" / f"tailscale.com_{kind}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, LOADER)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]


def part(random, kind, *path):
    """Returns a value of the field at `path` of the kind's spec."""
    found = schema(kind)
    for key in path:
        found = found["properties"][key]
    return value(random, found, 0)


def value(random, of, depth):
    if of.get("x-kubernetes-int-or-string"):
        return random.choice(QUANTITIES)
    if "enum" in of:
        return random.choice(of["enum"])
    kind = of.get("type")
    if kind == "object" and "properties" in of:
        required = of.get("required", [])
        keys = [key for key in of["properties"] if key in required or depth < MOST_DEPTH and random.random() < 0.35]
        return {key: value(random, of["properties"][key], depth + 1) for key in keys}
    if kind == "object":
        more = of.get("additionalProperties")
        if not isinstance(more, dict) or more.get("type") == "string":
            return random.choice(MAPS)
        return {key: value(random, more, depth + 1) for key in random.sample(["cpu", "memory", "example.org/x", "ephemeral-storage"], random.randint(0, 3))}
    if kind == "array":
        items = [value(random, of["items"], depth + 1) for _ in range(random.choice([0, 1, 1, 2]))]
        return distinct(items, of.get("x-kubernetes-list-map-keys"))
    if kind == "string":
        return random.choice(["A", "A_B"] if "pattern" in of else STRINGS)
    return random.choice([True, False]) if kind == "boolean" else random.choice(INTEGERS)


def distinct(items, keys):
    """In a list with map semantics each key occurs once."""
    found = {tuple(str(item.get(key)) for key in keys) if keys else number: item for number, item in enumerate(items)}
    return list(found.values())

"""Reads kpt packages."""
import pathlib
import re

import yaml

from shared.checks import Object, objects

BOOKKEEPING = re.compile(r"(internal\.)?config\.(kubernetes|k8s)\.io/(path|index|id|annotations-migration-resource-id)$")
LOCAL = ("Kptfile", "TailscaleRender", "ResourceGroup")


def objects_in(folder: pathlib.Path) -> dict[str, Object]:
    """Returns all objects that could be applied, by name, without kpt's own annotations."""
    found = []
    for path in sorted(folder.rglob("*.yaml")):
        if path.name != "fleet.yaml":
            found += [value for value in yaml.safe_load_all(path.read_text(encoding="utf-8")) if value["kind"] not in LOCAL]
    for value in found:
        left = {key: text for key, text in value["metadata"].get("annotations", {}).items() if not BOOKKEEPING.match(key)}
        value["metadata"].pop("annotations", None)
        value["metadata"].update({"annotations": left} if left else {})
    return objects(found)

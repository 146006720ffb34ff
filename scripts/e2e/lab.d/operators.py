"""Objects as the reference operator makes them, from testdata/oracle: `expected.yaml` of a case, with its placeholders filled in, and what
its devices wrote (`played.yaml`). Each copy gets a separate parent, so that any number of proxies exist side by side.
"""
import json
import pathlib
import re

import yaml

import parity_case
import parity_run
from fake_tailnet import Tailnet
from shared.checks import Object, documents
from shared.fleet import ROOT

PARENT, SPACE = "tailscale.com/parent-resource", "tailscale.com/parent-resource-ns"
SUFFIX = "qwxyz"


def sets_of(objects: list[Object]) -> list[Object]:
    return [item for item in objects if item["kind"] == "StatefulSet"]


def fill(text: str, key: str) -> str:
    """Fills in the placeholders of an oracle file as a cluster would have them."""
    text = re.sub(r"<SFX(:[^<>]*)?>", SUFFIX, text).replace("{SFX}", SUFFIX).replace("<AUTHKEY>", key)
    text = re.sub(r"<CLUSTER_IP[46]?:[^<>]*>", "10.96.7.7", text)
    return re.sub(r"<UID:([^<>]*)>", lambda found: "uid-" + re.sub(r"[^A-Za-z0-9]+", "-", found[1]).lower()[-50:], text)


def renamed(objects: list[Object], old_name: str, new_name: str, number: int) -> list[Object]:
    """Returns the objects of one proxy: StatefulSet `new_name`, and a parent with a number of its own."""
    out = json.loads(json.dumps(objects).replace(old_name, new_name))
    for item in out:
        item["metadata"]["labels"][PARENT] += f"-{number}"
        item["metadata"]["namespace"] = "tailscale"
        if item["kind"] == "StatefulSet":
            template = item["spec"]["template"]
            item["spec"]["selector"] = {"matchLabels": {"app": new_name}}
            template["metadata"]["labels"] = template["metadata"].get("labels", {}) | {"app": new_name}
            template["metadata"].pop("deletionGracePeriodSeconds", None)
            for elsewhere in ("serviceAccountName", "priorityClassName", "runtimeClassName"):  # these do not exist
                template["spec"].pop(elsewhere, None)
            template["spec"]["nodeSelector"] = {"example.com/nowhere": "true"}  # its pod stays pending: the test plays it
    return out


def belongs(item: Object, labels: dict[str, str]) -> bool:
    return all(item["metadata"].get("labels", {}).get(key) == labels.get(key) for key in (PARENT, SPACE, PARENT + "-type"))


class Pair:
    """One proxy in two forms: as the operator made it, and as it is rendered. Its device is in no tailnet before join()."""

    def __init__(self, case: parity_case.Case, number: int, old: Object, rendered: Object) -> None:
        text = pathlib.Path(case.path, "expected.yaml").read_text(encoding="utf-8")
        played = yaml.safe_load(fill(pathlib.Path(case.path, "played.yaml").read_text(encoding="utf-8"), "none"))
        objects = documents(fill(text, "tskey-spent"))
        labels = old["metadata"]["labels"]
        self.old, self.new = f"{old['metadata']['name'][:40]}-o{number}", f"{rendered['name'][:40]}-r{number}"
        keep = ("StatefulSet", "Service", "Secret")
        mine = [item for item in objects if item["kind"] in keep and belongs(item, labels)]
        self.operators = renamed(mine, old["metadata"]["name"], self.old, number)
        self.rendered = renamed([item for item in rendered["objects"] if item["kind"] in keep], rendered["name"], self.new, number)
        state = next(keys for name, keys in played["secretKeys"].items() if name.endswith(f"/{old['metadata']['name']}-0"))
        self.hostname = f"{state['device_fqdn'].partition('.')[0]}-{number}"
        self.state = {key: value for key, value in state.items() if key != "pod_uid"} | {"_machinekey": f"privkey:{number}"}

    def join(self, tailnet: Tailnet) -> None:
        """Adds its device to the tailnet and to the state."""
        device = tailnet.join(self.hostname, tailnet.mint(["tag:k8s"])["key"])
        self.state |= {"device_id": device["nodeId"], "device_fqdn": device["name"] + ".", "device_ips": json.dumps(device["addresses"])}


def pairs(tailrender: pathlib.Path, count: int) -> list[Pair]:
    """Returns `count` pairs, from every oracle case whose standalone proxies are rendered with one replica, in the tailnet of a lab."""
    found = []
    for path in sorted((ROOT / "testdata" / "oracle").iterdir()):
        if not (path / "played.yaml").exists() or not (path / "expected.yaml").exists():
            continue
        case = parity_case.Case(str(path))
        result = parity_run.render(tailrender, case)
        rendered = documents(result.stdout) if result.code == 0 else []
        for old in sets_of(documents(fill((path / "expected.yaml").read_text(encoding="utf-8"), "none"))):
            labels = old["metadata"].get("labels", {})
            if PARENT + "-type" not in labels or labels[PARENT + "-type"] == "proxygroup" or old["spec"].get("replicas", 1) != 1:
                continue
            for new in sets_of(rendered):
                if belongs(new, labels) and "tailrender.dev/tailnet" not in new["metadata"]["annotations"]:
                    name = new["metadata"]["name"]
                    mine = [item for item in rendered if belongs(item, labels)]
                    found.append((case, old, {"name": name, "objects": mine}))
    return [Pair(found[number % len(found)][0], number, *found[number % len(found)][1:]) for number in range(count)]

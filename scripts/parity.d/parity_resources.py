"""The rows of renderer/PARITY.md about Recorder, DNSConfig, Tailnet and ProxyGroupPolicy."""
import copy
import os
import re

import parity_case
from parity_case import CONTROL, is_kind, meta
from parity_rows import HARDENED, OURS, Model, map_strings, row
from parity_yaml import Object

RECORDER = {"app.kubernetes.io/name": "recorder", "app.kubernetes.io/managed-by": "tailscale-operator"}
ANNOTATIONS = re.compile(r'"(tailscale\.com/[a-z-]+)" in object\.metadata\.annotations')


def our_image() -> str:
    """Returns the image that values() names, with the tag of this version."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as handle:
        found = re.search(r"project\(\s*tailrender\s+VERSION\s+([0-9.]+)", handle.read())
    assert found, "CMakeLists.txt names no version"
    return f"{parity_case.RUNTIME}:v{found[1]}"


def _is_recorders(obj: Object) -> bool:
    labels = meta(obj).get("labels") or {}
    return all(labels.get(key) == value for key, value in RECORDER.items())


def _recorders(model: Model) -> list[tuple[Object, Object]]:
    """Returns (StatefulSet, the Recorder that it is for)."""
    sets = [obj for obj in model.objects if obj["kind"] == "StatefulSet" and _is_recorders(obj)]
    return [(obj, model.case.find(f"Recorder/{meta(obj)['name']}")[0]) for obj in sets]


@row(33)
def no_owners(model: Model) -> bool:
    owned = [meta(obj) for obj in model.objects if "ownerReferences" in meta(obj)]
    for head in owned:
        head["ownerReferences"] = [o for o in head["ownerReferences"] if not o["apiVersion"].startswith("tailscale.com/")]
        if not head["ownerReferences"]:
            del head["ownerReferences"]
    return bool(owned)


def _ours(name: str, text: str) -> str:
    return re.sub(rf"^({re.escape(name)})-auth-(\d+)$", r"\1-\2-auth", text)


@row(34)
def recorder_secrets(model: Model) -> bool:
    found = _recorders(model)
    for obj, recorder in found:
        name = meta(recorder)["name"]
        for volume in obj["spec"]["template"]["spec"]["volumes"]:
            if "secret" in volume:
                volume["secret"]["secretName"] = _ours(name, volume["secret"]["secretName"])
        for rule in model.get("Role", name)["rules"]:
            if "resourceNames" in rule:
                rule["resourceNames"] = [_ours(name, text) for text in rule["resourceNames"]]
    model.objects = [obj for obj in model.objects if not (obj["kind"] == "Secret" and _is_recorders(obj))]
    return bool(found)


@row(64)
def recorder_reads_its_keys(model: Model) -> bool:
    hit = False
    for _, recorder in _recorders(model):
        role = model.get("Role", meta(recorder)["name"])
        for index, rule in enumerate(role["rules"]):
            keys = [text for text in rule.get("resourceNames") or [] if text.endswith("-auth")]
            if keys:
                rule["resourceNames"] = [text for text in rule["resourceNames"] if text not in keys]
                role["rules"].insert(index + 1, {**rule, "resourceNames": keys, "verbs": ["get"]})
                hit = True
                break
    return hit


@row(35)
def recorder_contract(model: Model) -> bool:
    found = _recorders(model)
    for obj, recorder in found:
        spec, name = recorder.get("spec") or {}, meta(recorder)["name"]
        notes = meta(obj).setdefault("annotations", {})
        notes.update({OURS + "contract": "v1", OURS + "parent": f"Recorder/{name}",
                      OURS + "tags": ",".join(spec.get("tags") or ["tag:k8s"]),
                      OURS + "hostname": ",".join(f"{name}-{n}" for n in range(obj["spec"]["replicas"]))})
        if spec.get("tailnet"):
            notes[OURS + "tailnet"] = spec["tailnet"]
    return bool(found)


@row(36)
def recorder_without_replicas(model: Model) -> bool:
    hit = False
    for _, recorder in _recorders(model):
        role = model.get("Role", meta(recorder)["name"])
        kept = [r for r in role["rules"] if r["resources"] != ["secrets"] or r.get("resourceNames")]
        hit = hit or kept != role["rules"]
        role["rules"] = kept
    return hit


@row(37)
def tailnet_facts(model: Model) -> bool:
    found = [item.object for item in model.case.inputs if is_kind(item.object, "tailscale.com", "Tailnet")]
    namespace = model.case.settings["operatorNamespace"]
    for tailnet in found:
        model.objects.append({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": f"tailrender-tailnet-{meta(tailnet)['name']}", "namespace": namespace,
                         "annotations": {OURS + "contract": "v1"}},
            "data": {"loginUrl": tailnet["spec"].get("loginUrl") or CONTROL,
                     "secretName": tailnet["spec"]["credentials"]["secretName"]}})
    return bool(found)


@row(39)
def nameserver(model: Model) -> bool:
    made = model.get("Deployment", "nameserver")
    if not made:
        return False
    container = made["spec"]["template"]["spec"]["containers"][0]
    container.update(image=our_image(), args=["nameserver"], securityContext=copy.deepcopy(HARDENED),
                     readinessProbe={"httpGet": {"path": "/readyz", "port": 9002}, "periodSeconds": 2})
    service = meta(model.get("Service", "nameserver"))
    parent = service["labels"]["tailscale.com/parent-resource"]
    service["annotations"] = {OURS + "contract": "v1", OURS + "parent": f"DNSConfig/{parent}"}
    model.objects = [obj for obj in model.objects if (obj["kind"], meta(obj)["name"]) != ("ConfigMap", "dnsrecords")]
    return True


@row(40)
def objects_without_annotations(model: Model) -> bool:
    found = [obj for obj in model.objects if obj["kind"] == "ValidatingAdmissionPolicy"]
    for obj in found:
        obj["spec"] = map_strings(obj["spec"], lambda text: ANNOTATIONS.sub(
            r'has(object.metadata.annotations) && "\1" in object.metadata.annotations', text))
    return bool(found)


@row(41)
def dns_marks(model: Model) -> bool:
    hit = False
    for head in (meta(obj) for obj in model.objects if obj["kind"] == "Service"):
        before = dict(head)
        notes = {k: v for k, v in head.get("annotations", {}).items() if k != "tailscale.com/magic-dnsname"}
        finalizers = [f for f in head.get("finalizers", []) if f != "tailscale.com/dns-records-reconciler"]
        for key, kept in (("annotations", notes), ("finalizers", finalizers)):
            head.pop(key, None)
            if kept:
                head[key] = kept
        hit = hit or head != before
    return hit


@row(63)
def recorder_label_of_helm(model: Model) -> bool:
    """This is the last row about Recorders, since the other rows find them by this label."""
    found = [obj for obj in model.objects if _is_recorders(obj)]
    for obj in found:
        del meta(obj)["labels"]["app.kubernetes.io/managed-by"]
    return bool(found)

"""Writes what the operator did with one input as a case of the reference corpus (testdata/oracle/README.md has its form)."""
import base64
import ipaddress
import json
import re

import yaml

from parity_case import ident, meta

TS = "tailscale.com/"
KINDS = {"svc": "Service", "ingress": "Ingress", "connector": "Connector", "proxygroup": "ProxyGroup", "nameserver": "DNSConfig",
         "recorder": "Recorder", "peerrelay": "PeerRelay"}
SERVER_SET = ("resourceVersion", "uid", "creationTimestamp", "managedFields", "generation", "selfLink", "deletionTimestamp")
EMPTY = {"updateStrategy", "strategy", "resources"}
BAD_POD = re.compile(r'StatefulSet.apps "[^"]*" is invalid: \[?(?:<nil>: .*)?spec\.template')
PERSISTENT = 6  # an error that occurs so often does not depend on the order in which objects were seen
CONFLICT = "the object has been modified"
APPLY = "application/apply-patch+yaml"
AUTH_KEY = re.compile(r"tskey-auth-[A-Za-z0-9-]+")


def is_v6(address):
    return ipaddress.ip_address(address).version == 6


# ---- objects as they were submitted

def bare(value, key=""):
    """Removes fields without meaning: nulls, and the empty structs that Go types cannot omit."""
    if isinstance(value, dict):
        return {k: bare(v, k) for k, v in value.items()
                if v is not None and not (k in EMPTY and v == {}) and not (k == "targetPort" and v == 0)}
    return [bare(item) for item in value] if isinstance(value, list) else value


def submitted(obj):
    obj = bare(obj)
    obj.pop("status", None)
    obj["metadata"] = {key: value for key, value in obj["metadata"].items() if key not in SERVER_SET}
    if obj["kind"] == "Secret":
        texts = {key: decoded(text) for key, text in (obj.pop("data", None) or {}).items()}
        texts |= obj.pop("stringData", None) or {}
        obj.update({"stringData": texts} if texts else {})
    if obj["kind"] == "ConfigMap" and obj.get("binaryData"):
        obj["binaryData"] = {key: decoded(text) for key, text in obj["binaryData"].items()}
    return obj


def decoded(text):
    return base64.b64decode(text).decode("utf-8", "replace")


def is_bad_pod(answer):
    """Returns whether the server refused a pod template that the server of the recorded corpus did not check. The object then counts as
    created."""
    return answer.get("code") == 422 and bool(BAD_POD.search(answer.get("message", "")))


def later(made, written):
    """Returns the object as it was created, with later changes. A Service is sent back with the fields that the server allocated."""
    if made["kind"] == "Service":
        spec = {key: value for key, value in written["spec"].items() if key in made["spec"] or key in ("ports", "selector")}
        for port in spec.get("ports") or []:
            if not any("nodePort" in old for old in made["spec"].get("ports") or []):
                port.pop("nodePort", None)
        written = {**written, "spec": spec}
    kept = {key: value for key, value in made["metadata"].items() if key == "generateName"}
    written = {key: value for key, value in written.items() if key != "type" or key in made}
    return {**written, "metadata": {**written["metadata"], **kept}}


class Made:
    """The objects that the operator made and that are still there, by API path."""

    def __init__(self, api, entries):
        self.objects, self.bad_pods = {}, set()
        for entry in entries:
            if is_bad_pod(entry.get("answer") or {}):
                self.bad_pods.add(entry["path"] if entry["method"] == "PATCH" else f"{entry['path']}/{entry['request']['metadata']['name']}")
                entry = {**entry, "status": 201, "answer": entry["request"]}
            if entry["status"] >= 300 or not entry.get("answer"):
                continue
            if entry["method"] == "POST" and not entry["path"].endswith("/events"):
                self._created(entry)
            elif entry["method"] == "PUT" and entry["path"] in self.objects:
                self._updated(entry)
            elif entry["method"] == "PATCH" and entry["kind"] == APPLY and (entry["status"] == 201 or entry["path"] in self.objects):
                self.objects[entry["path"]] = submitted(entry["request"])
        self._read(api)

    def _created(self, entry):
        obj = submitted(entry["request"])
        obj["metadata"]["name"] = entry["answer"]["metadata"]["name"]
        self.objects[f"{entry['path']}/{obj['metadata']['name']}"] = obj

    def _updated(self, entry):
        self.objects[entry["path"]] = later(self.objects[entry["path"]], submitted(entry["request"]))

    def _read(self, api):
        """Reads all objects again: deleted ones are removed, and patched ones are taken unchanged."""
        self.live = {}
        for path in list(self.objects):
            status, live = api.send("GET", path)
            if path in self.bad_pods:
                continue
            if status != 200:
                del self.objects[path]
                continue
            self.live[path] = live
            if live["kind"] in ("Secret", "ConfigMap"):
                found = submitted(live)
                for key in ("stringData", "binaryData", "data"):
                    if key in found:
                        self.objects[path][key] = found[key]


def parent_of(obj, by_name):
    """Returns the user's object that an object was made for, as messages name it."""
    owners, labels = meta(obj).get("ownerReferences") or [], meta(obj).get("labels") or {}
    if owners and owners[0]["kind"] in ("ProxyGroup", "Recorder", "DNSConfig", "ProxyGroupPolicy"):
        return f"{owners[0]['kind']}/{owners[0]['name']}"
    if labels.get(TS + "parent-resource-type") in KINDS:
        kind, space = KINDS[labels[TS + "parent-resource-type"]], labels.get(TS + "parent-resource-ns")
        return "/".join(part for part in (kind, space, labels.get(TS + "parent-resource")) if part)
    if TS + "domain" in labels:  # a Secret of a certificate
        return f"ProxyGroup/{labels[TS + 'proxy-group']}"
    proxy = meta(obj)["name"].removesuffix("-metrics")
    return parent_of(by_name[proxy], {}) if proxy in by_name else ""


# ---- values that are specific to this cluster

class Binding:
    """Replaces random values, and the URLs of control servers, by placeholders."""

    def __init__(self, texts, servers):
        """`servers`: maps the URL that the operator was given to the URL that the case names, or nothing."""
        self.by_text, self.servers = texts, servers
        known = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
        self.pattern = re.compile(rf"(?<![0-9A-Za-z.])(?:{known})(?![0-9A-Za-z])(?!\.[0-9])") if known else None

    def text(self, value):
        value = AUTH_KEY.sub("<AUTHKEY>", value)
        if self.pattern:
            value = self.pattern.sub(lambda found: self.by_text[found[0]], value)
        for told, named in self.servers.items():
            value = value if named else value.replace(f'"ServerURL":"{told}",', "")
            value = value.replace(told, named)
        return value

    def tree(self, value):
        if isinstance(value, dict):
            bound = {self.text(key): self.tree(item) for key, item in value.items()}
            return {key: item for key, item in bound.items() if item != "" or value[key] == ""}
        if isinstance(value, list):
            return [self.tree(item) for item in value]
        return self.text(value) if isinstance(value, str) else value


def texts_of(users, made):
    """Maps random texts to placeholders."""
    texts, names = {}, {}
    for obj in made.objects.values():
        if "generateName" in meta(obj):
            start, parent = meta(obj)["name"][:-5], parent_of(obj, {})
            texts[meta(obj)["name"]], names[meta(obj)["name"]] = f"{start}<SFX:{parent}>", f"{start}{{SFX:{parent}}}"
    inner = Binding(names, {})
    answered = [{**live, "pinned": (made.objects[path].get("spec") or {}).get("clusterIP")} for path, live in made.live.items()]
    for obj in (*users.values(), *answered):
        texts[meta(obj)["uid"]] = f"<UID:{inner.text(ident(obj))}>"
        texts |= addresses(obj, inner.text(meta(obj)["name"])) if obj["kind"] == "Service" else {}
    return texts


def addresses(service, called):
    """Maps the addresses of a Service, as the server returned it, to placeholders, without the address that its manifest pins."""
    spec, name = service["spec"], f"{meta(service)['namespace']}/{called}"
    given = [address for address in spec.get("clusterIPs") or [] if address not in ("None", service["pinned"])]
    return {address: f"<CLUSTER_IP{'' if number == 0 else 6 if is_v6(address) else 4}:{name}>" for number, address in enumerate(given)}


# ---- random ports of groups, and what has an arbitrary order

HEALTH_PORT, STATIC_PORT = "tailscale-health-check", "static-endpoint-port"


def bind_ports(objects):
    egress_ports(objects)
    static_ports(objects)


def egress_ports(objects):
    for service in objects:
        labels = meta(service).get("labels") or {}
        if service["kind"] != "Service" or labels.get(TS + "svc-type") != "egress":
            continue
        member = f"{labels[TS + 'parent-resource-ns']}/{labels[TS + 'parent-resource']}"
        bound = {}
        for port in service["spec"].get("ports") or []:
            if port.get("name") != HEALTH_PORT:
                name = f"<PORT:{member}/{port['port']}/{port.get('protocol', 'TCP')}>"
                bound[port["targetPort"]], port["targetPort"] = name, name
        for other in objects:
            if other["kind"] == "EndpointSlice" and (meta(other).get("labels") or {}).get(TS + "parent-resource") == labels[TS + "parent-resource"]:
                for port in other.get("ports") or []:
                    port["port"] = bound.get(port["port"], port["port"])
            if other["kind"] == "ConfigMap" and "egress-services" in (other.get("binaryData") or {}):
                data = other["binaryData"]
                data["egress-services"] = bound_config(data["egress-services"], member.replace("/", "-", 1), bound)


def bound_config(text, key, bound):
    config = json.loads(text)
    if key in config and all(port["matchPort"] in bound for port in config[key]["ports"]):
        ports = sorted(config[key]["ports"], key=lambda port: (port["targetPort"], port["protocol"]))
        config[key]["ports"] = [{**port, "matchPort": bound[port["matchPort"]]} for port in ports]
    return json.dumps(config, separators=(",", ":"), ensure_ascii=False)


def unquoted_ports(text):
    """A placeholder stands for a number, so its quotes are removed."""
    return re.sub(r'"matchPort":"(<PORT:[^>]*>)"', r'"matchPort":\1', text)


def static_ports(objects):
    groups = {}
    for service in objects:
        for port in (service.get("spec") or {}).get("ports") or [] if service["kind"] == "Service" else []:
            if port.get("name") == STATIC_PORT:
                groups.setdefault(meta(service)["labels"][TS + "parent-resource"], []).append((service, port))
    for group, found in groups.items():
        found.sort(key=lambda pair: int(meta(pair[0])["name"].split("-")[-2]))
        numbers = sorted(port["nodePort"] for _, port in found)
        random = str(found[0][1]["port"])
        for replica, ((_, port), number) in enumerate(zip(found, numbers)):
            for secret in (obj for obj in objects if obj["kind"] == "Secret" and meta(obj)["name"] == f"{group}-{replica}-config"):
                secret["stringData"] = {key: text.replace(f':{port["nodePort"]}"', f':{number}"') for key, text in secret["stringData"].items()}
            port.update(nodePort=number, port=f"<PORT:tailscaled/{group}>", targetPort=f"<PORT:tailscaled/{group}>")
        for obj in objects:
            if obj["kind"] == "StatefulSet" and meta(obj)["name"] == group:
                for variable in (v for c in obj["spec"]["template"]["spec"]["containers"] for v in c.get("env") or []):
                    if (variable["name"], variable.get("value")) == ("PORT", random):
                        variable["value"] = f"<PORT:tailscaled/{group}>"


# ---- the user's own objects

def changes(document, before, after):
    """Returns the changes of a user's object, without status."""
    found = []
    for key in ("annotations", "finalizers", "labels"):
        found += change(document["metadata"], before["metadata"], after["metadata"], key, "metadata")
    for key in sorted(set(before.get("spec") or {}) | set(after.get("spec") or {})):
        found += change(document.get("spec") or {}, before.get("spec") or {}, after.get("spec") or {}, key, "spec")
    return found


def change(document, before, after, key, path):
    old, new = before.get(key), after.get(key)
    if old == new or (key not in document and new is None):
        return []
    return [{"path": f"{path}.{key}", "before": document.get(key), "after": new}]


# ---- messages

def said_of(obj, api_events):
    """Returns Events and conditions of one of the user's objects."""
    name, lines = ident(obj), []
    for event in api_events:
        about = event["involvedObject"]
        if (about["kind"], about.get("namespace", ""), about["name"]) == (obj["kind"], meta(obj).get("namespace", ""), meta(obj)["name"]):
            lines.append(f"event {event['type']} {name} {event['reason']}: {event['message']}")
    for condition in (obj.get("status") or {}).get("conditions") or []:
        generation = f"observedGeneration={condition['observedGeneration']} " if condition.get("observedGeneration") else ""
        lines.append(f"condition {name} {condition['type']}={condition['status']} reason={condition['reason']} {generation}"
                     f"message={condition['message']}")
    return lines


def errors_of(log):
    """Returns {(controller, namespace/name): error} for objects that are retried forever."""
    counts, found = {}, {}
    for line in log.splitlines():
        entry = json.loads(line) if line.startswith("{") else {}
        if entry.get("msg") != "Reconciler error" or CONFLICT in entry.get("error", ""):
            continue
        about = "/".join(part for part in (entry.get("namespace"), entry.get("name")) if part)
        key = entry["controller"], about
        counts[key], found[key] = counts.get(key, 0) + 1, entry["error"]  # the error may name an object by another random name each time
    return {key: text for key, text in found.items() if counts[key] >= PERSISTENT}


def error_line(controller, about, text):
    panic = re.match(r"panic: (.*?)(?: \[recovered\])?$", text)
    return f"panic {controller} {about}: {panic[1]}" if panic else f"error {controller} {about}: {text}"


# ---- files

# Texts that YAML 1.1 reads as a boolean or a number, and PyYAML leaves unquoted.
AMBIGUOUS = re.compile(r"[yYnN]|[-+]?(0[oObBxX][0-9a-fA-F_]+|(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?)")


class DUMPER(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
    """Writes texts so that every parser reads them as texts."""


DUMPER.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="'" if AMBIGUOUS.fullmatch(text) else None))


def stream(documents):
    return yaml.dump_all(documents, Dumper=DUMPER, sort_keys=True, width=1 << 20, allow_unicode=True)


def in_order(objects):
    return sorted(objects, key=lambda obj: (obj["kind"], meta(obj).get("namespace", ""), meta(obj)["name"]))


def write(folder, name, text):
    if text:
        (folder / name).write_text(text, encoding="utf-8")

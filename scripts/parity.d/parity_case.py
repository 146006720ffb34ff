"""One case of the reference corpus: its files, the values for the renderer, and what the input says about proxies.

The predicates here are the tool's own reading of the input (which Service is a parent, which Service a group serves). They do not use the
renderer, so that they find errors of the renderer.
"""
import functools
import os
import re

import parity_release
import parity_yaml

from parity_yaml import Object

TS = "tailscale.com/"
RUNTIME = "registry.example.com/tailrender-runtime"  # our image, which has no default name
CONTROL = "https://controlplane.tailscale.com"  # the control server if an object names none
EGRESS_KEYS = ("tailnet-ip", "tailnet-fqdn", "ts-tailnet-target-ip")
FIREWALL_MODES = ("", "auto", "nftables", "iptables")
DEFAULTS = {
    "operatorNamespace": "tailscale", "proxyImage": "tailscale/tailscale:v1.96.5", "k8sProxyImage": "",
    "defaultTags": ["tag:k8s"], "firewallMode": "auto", "loginServer": "", "defaultProxyClass": "",
    "priorityClassName": "", "ingressClassName": "tailscale", "isDefaultLoadBalancer": False,
    "clusterDomain": "cluster.local", "serviceMonitorCRD": False, "nodePortRange": "", "tailnetDomain": "",
    "authProxyServiceAccount": True, "sharedACMEAccountKey": False,
}


Problem = tuple[str, str, str, str]  # an object, a path in it, the reference's value, and ours


def group(obj: Object) -> str:
    version = obj.get("apiVersion") or ""
    return version.rpartition("/")[0]


def meta(obj: Object) -> Object:
    return obj.get("metadata") or {}


def ident(obj: Object) -> str:
    """Returns Kind/namespace/name, or Kind/name without a namespace, as messages name objects."""
    parts = [obj.get("kind"), meta(obj).get("namespace"), meta(obj).get("name")]
    return "/".join(str(part) for part in parts if part)


def annotations(obj: Object) -> dict[str, str]:
    return meta(obj).get("annotations") or {}


def is_kind(obj: Object, api_group: str, kind: str) -> bool:
    return group(obj) == api_group and obj.get("kind") == kind


class Input:
    def __init__(self, chunk: parity_yaml.Chunk) -> None:
        self.chunk, self.object = chunk, parity_yaml.load(chunk.text)
        self.ident = ident(self.object)


class Case:
    def __init__(self, path: str, several_faults: bool = False, release: str = parity_release.DEFAULT) -> None:
        self.several_faults, self.release = several_faults, release
        self.path, self.name = path, os.path.basename(os.path.normpath(path))
        self.settings: Object = {**DEFAULTS, **(parity_yaml.load(self.text("settings.yaml")) or {})}
        self.inputs = [Input(chunk) for chunk in parity_yaml.split(self.text("input.yaml"))]
        self.expected: list[Object] = [parity_yaml.load(c.text) for c in parity_yaml.split(self.text("expected.yaml"))]
        self.changed: list[Object] = parity_yaml.load(self.text("changed.yaml")) or []
        self.messages = [line for line in self.text("messages.txt").split("\n") if line]

    def text(self, file: str) -> str:
        path = parity_release.file_of(self.path, file, self.release)
        if not path:
            return ""
        with open(path, encoding="utf-8", newline="") as handle:
            return handle.read()

    @functools.cached_property
    def running(self) -> list[Object]:
        """Returns the operator's objects that were created or changed once devices ran."""
        found = parity_yaml.load(self.text("running.yaml")) or {}
        return (found.get("changed") or []) + (found.get("created") or [])

    @functools.cached_property
    def registered(self) -> dict[str, Object]:
        """Returns the Tailscale Services by name."""
        return {found["name"]: found for found in parity_yaml.load(self.text("tailscale-services.yaml")) or []}

    def find(self, name: str) -> list[Object]:
        """Returns the input objects that a message calls by this name."""
        return [item.object for item in self.inputs if item.ident == name]

    def service(self, namespace: str | None, name: str | None) -> Object | None:
        found = self.find(f"Service/{namespace}/{name}")
        return next((obj for obj in found if is_kind(obj, "", "Service")), None)

    # ---- values for the renderer

    def values(self) -> Object:
        """Returns the chart values that mean the same as settings.yaml."""
        s = self.settings
        extra = {"PROXY_PRIORITY_CLASS_NAME": s["priorityClassName"], "K8S_PROXY_IMAGE": s["k8sProxyImage"],
                 "OPERATOR_DEFAULT_LOAD_BALANCER": "true" if s["isDefaultLoadBalancer"] else ""}
        config: Object = {"extraEnv": [{"name": k, "value": v} for k, v in extra.items() if v]}
        if s["sharedACMEAccountKey"]:
            config["sharedACMEAccountKey"] = True
        ours = {"operatorVersion": parity_release.RELEASES[self.release], "namespace": s["operatorNamespace"], "clusterDomain": s["clusterDomain"],
                "tailnetDomain": s["tailnetDomain"], "serviceMonitors": s["serviceMonitorCRD"],
                "nodePortRange": s["nodePortRange"], "inputs": "complete", "dataplane": "containerboot", "image": {"repository": RUNTIME}}
        return {
            "proxyConfig": {"image": image_values(s["proxyImage"]), "defaultTags": ",".join(s["defaultTags"]),
                            "firewallMode": s["firewallMode"], "defaultProxyClass": s["defaultProxyClass"]},
            "loginServer": s["loginServer"],
            "ingressClass": {"name": s["ingressClassName"]},
            "apiServerProxyConfig": {"allowImpersonation": str(s["authProxyServiceAccount"]).lower()},
            "operatorConfig": config,
            "tailrender": {k: v for k, v in ours.items() if v != ""},
        }

    # ---- what the input requests

    def parents(self) -> list[Object]:
        """Returns the input objects that get a proxy of their own."""
        return [item.object for item in self.inputs if self.is_parent(item.object)]

    def is_parent(self, obj: Object) -> bool:
        return self.exposed(obj) or self.egress(obj) or self.claimed(obj) or is_connector(obj)

    def exposed(self, obj: Object) -> bool:
        """Returns whether it is a standalone L3 ingress Service."""
        if not _standalone_service(obj):
            return False
        spec, wanted = obj.get("spec") or {}, annotations(obj).get(TS + "expose") == "true"
        if spec.get("type") == "ExternalName":
            return wanted and bool(spec.get("externalName"))
        return wanted or self._load_balancer(spec)

    def _load_balancer(self, spec: Object) -> bool:
        chosen = spec.get("loadBalancerClass")
        default = chosen is None and self.settings["isDefaultLoadBalancer"]
        return spec.get("type") == "LoadBalancer" and (chosen == "tailscale" or bool(default))

    def egress(self, obj: Object) -> bool:
        """Returns whether it is a standalone L3 egress Service."""
        asked = any(annotations(obj).get(TS + key) for key in EGRESS_KEYS)
        return _standalone_service(obj) and asked and not self.exposed(obj)

    def claimed(self, obj: Object) -> bool:
        """Returns whether it is a standalone Ingress of our class."""
        return self._our_class(obj) and not annotations(obj).get(TS + "proxy-group")

    def _our_class(self, obj: Object) -> bool:
        chosen = (obj.get("spec") or {}).get("ingressClassName")
        return is_kind(obj, "networking.k8s.io", "Ingress") and chosen == self.settings["ingressClassName"]

    def proxy_class(self, parent: Object) -> str:
        """Returns the name of the ProxyClass that a parent uses, or an empty string."""
        if is_connector(parent):
            return (parent.get("spec") or {}).get("proxyClass") or ""
        if is_kind(parent, "tailscale.com", "ProxyGroup"):
            return (parent.get("spec") or {}).get("proxyClass") or self.settings["defaultProxyClass"]
        labels, key = meta(parent).get("labels") or {}, TS + "proxy-class"
        for place in (labels, annotations(parent)):
            if key in place:
                return place[key]
        return self.settings["defaultProxyClass"]

    def class_of(self, parent: Object) -> Object:
        """Returns the spec of the ProxyClass that a parent uses; empty if there is none."""
        name = self.proxy_class(parent)
        return next((obj.get("spec") or {} for obj in self.find(f"ProxyClass/{name}")), {}) if name else {}

    def hostnames(self, parent: Object) -> list[str]:
        """Returns the hostname of each replica."""
        if not is_connector(parent):
            return [self.hostname(parent)]
        spec, count = parent.get("spec") or {}, replicas(parent)
        if spec.get("hostnamePrefix"):
            return [f"{spec['hostnamePrefix']}-{n}" for n in range(count)]
        return [spec.get("hostname") or f"{meta(parent).get('name')}-connector"] * count

    def hostname(self, parent: Object) -> str:
        name, namespace = meta(parent).get("name"), meta(parent).get("namespace")
        if parent["kind"] == "Service":
            return annotations(parent).get(TS + "hostname", f"{namespace}-{name}")
        hosts = tls_hosts(parent)
        return hosts[0].split(".")[0] if hosts else f"{namespace}-{name}-ingress"

    def tags(self, parent: Object) -> list[str]:
        if is_connector(parent):
            return (parent.get("spec") or {}).get("tags") or self.settings["defaultTags"]
        value = annotations(parent).get(TS + "tags")
        return [tag.strip() for tag in (self.settings["defaultTags"] if value is None else value.split(","))]

    def group_egress(self, obj: Object) -> bool:
        """Returns whether it is a Service that targets the tailnet through a group."""
        asked = any(annotations(obj).get(TS + key) for key in ("tailnet-ip", "tailnet-fqdn"))
        return is_kind(obj, "", "Service") and bool(annotations(obj).get(TS + "proxy-group")) and asked

    def group_ingress(self, obj: Object) -> bool:
        """Returns whether it is a Service or an Ingress that the tailnet reaches through a group."""
        if not annotations(obj).get(TS + "proxy-group"):
            return False
        if is_kind(obj, "", "Service"):
            spec, managed = obj.get("spec") or {}, (meta(obj).get("labels") or {}).get(TS + "managed") == "true"
            of_class = spec.get("type") == "LoadBalancer" and spec.get("loadBalancerClass") == "tailscale"
            wanted = annotations(obj).get(TS + "expose") == "true" or of_class
            return wanted and not managed and not self.group_egress(obj)
        return self._our_class(obj)


def is_connector(obj: Object) -> bool:
    return is_kind(obj, "tailscale.com", "Connector")


def replicas(connector: Object) -> int:
    count = (connector.get("spec") or {}).get("replicas")
    return 1 if count is None else count


def _standalone_service(obj: Object) -> bool:
    managed = (meta(obj).get("labels") or {}).get(TS + "managed") == "true"
    return is_kind(obj, "", "Service") and not managed and TS + "proxy-group" not in annotations(obj)


def tls_hosts(ingress: Object) -> list[str]:
    tls = (ingress.get("spec") or {}).get("tls") or []
    return (tls[0].get("hosts") or []) if tls else []


def pinned_address(service: Object) -> str:
    """Returns the cluster IP that the manifest itself sets, or an empty string."""
    address = (service.get("spec") or {}).get("clusterIP") or ""
    return "" if address == "None" else address


def image_values(image: str) -> dict[str, str]:
    repository, _, digest = image.partition("@")
    if digest:
        return {"repository": repository, "tag": "", "digest": digest}
    found = re.fullmatch(r"(.+?):([^/:]+)", image)
    return {"repository": found[1], "tag": found[2], "digest": ""} if found else {"repository": image}


def find_cases(directory: str) -> list[str]:
    """Returns the directory if it is a case, otherwise every case below it, by path."""
    if os.path.exists(os.path.join(directory, "input.yaml")):
        return [directory]
    return sorted(root for root, _, files in os.walk(directory) if "input.yaml" in files)

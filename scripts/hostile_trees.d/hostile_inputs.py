"""Trees in which one string is hostile: each field and file name that may reach an output, with each payload."""
import itertools
import json

# The name of everything that a successful payload would create.
CANARY = "hostile-canary"
# The content of a file beside the repository.
OUTSIDE = "of-another-tenant"
DOCUMENT = f"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: {CANARY}}}\n"

PAYLOADS = {
    "line": f"x\nREADME.md\n{CANARY}",
    "parent": "..",
    "parents": "../../../../../../etc",
    "slash": "a/b",
    "absolute": "/etc/passwd",
    "quote": "a\"'`$(id)",
    "separator": "---",
    "document": f"x\n{DOCUMENT}",
    "quoted-document": f"x\"\n{DOCUMENT}",
    "escape": "x\x1b[2J\x1b]0;t\x07",
    "csi": "x\x9b2J",
    "command": "::error file=a::b",
    "second-command": "x\n  ::add-mask::b",
    "old-command": "x##[error]y",
    "direction": "x\u202ey\u2066",
    "nul": "x\x00y",
    "long": "n" * 300,
    "flow": "x, y: {z}] #",
    "outside": "../../outside.yaml",
    "outside directory": "../../outside",
    "beside the repository": "../outside",
}

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}, "annotations": {"tailscale.com/expose": "true"}},
    "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80}]},
}
EGRESS = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "db", "namespace": "shop", "annotations": {"tailscale.com/tailnet-fqdn": "db.tail1.ts.net"}},
    "spec": {"type": "ExternalName", "externalName": "ts-db-p4q52.tailscale.svc.cluster.local", "ports": [{"port": 5432}]},
}
INGRESS = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": {"name": "site", "namespace": "shop"},
    "spec": {"ingressClassName": "tailscale", "tls": [{"hosts": ["site"]}],
             "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}},
}
CONNECTOR = {
    "apiVersion": "tailscale.com/v1alpha1",
    "kind": "Connector",
    "metadata": {"name": "net"},
    "spec": {"hostname": "net", "subnetRouter": {"advertiseRoutes": ["10.0.0.0/8"]}},
}
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
OBJECTS = {"service": SERVICE, "egress": EGRESS, "ingress": INGRESS, "connector": CONNECTOR, "settings": CONFIG_MAP}

BASE = {"namespace": "shop", "configMapGenerator": [{"name": "made", "namespace": "shop", "literals": ["a=b"]}],
        "resources": [f"{name}.yaml" for name in OBJECTS]}
FLEET_FILE = {"defaultNamespace": "shop", "name": "apps", "labels": {},
              "helm": {"chart": "tailscale-operator", "version": "1.96.5", "releaseName": "operator", "valuesFiles": ["values.txt"],
                       "values": {"tailrender": {"image": {"repository": "registry.example.com/tailrender-runtime"}}}}}
CLUSTERS = {"clusters": [{"name": "home", "labels": {}, "bundles": ["*"],
                          "values": {"tailrender": {"namespace": "tailscale"}, "proxyConfig": {"defaultTags": "tag:k8s"}}}]}
BASES = (BASE, FLEET_FILE, CLUSTERS)

# Fields of the objects that a payload replaces. A path element that ends in `!` means the key, not the value.
FIELDS = [
    ("service", "metadata", "name"), ("service", "metadata", "namespace"), ("service", "metadata", "labels", "app"),
    ("service", "metadata", "labels", "x!"), ("service", "metadata", "annotations", "tailscale.com/hostname"),
    ("service", "metadata", "annotations", "tailscale.com/tags"), ("service", "metadata", "annotations", "tailscale.com/proxy-class"),
    ("service", "metadata", "annotations", "x!"), ("service", "spec", "ports", 0, "name"), ("service", "kind"),
    ("egress", "metadata", "annotations", "tailscale.com/tailnet-fqdn"), ("egress", "metadata", "name"), ("egress", "spec", "externalName"),
    ("ingress", "metadata", "name"), ("ingress", "metadata", "namespace"), ("ingress", "spec", "tls", 0, "hosts", 0),
    ("ingress", "spec", "defaultBackend", "service", "name"), ("ingress", "spec", "ingressClassName"),
    ("connector", "metadata", "name"), ("connector", "spec", "hostname"),
    ("connector", "spec", "subnetRouter", "advertiseRoutes", 0), ("settings", "metadata", "name"), ("settings", "data", "x!"),
    ("settings", "data", "a"), ("settings", "apiVersion"),
]
KUSTOMIZATION = [("namespace",), ("configMapGenerator", 0, "namespace"), ("configMapGenerator", 0, "name"),
                 ("configMapGenerator", 0, "literals", 0), ("resources", 0)]
FLEET = [("defaultNamespace",), ("namespace",), ("name",), ("helm", "chart"), ("helm", "version"), ("helm", "valuesFiles", 0),
         ("helm", "releaseName"), ("labels", "x!")]
CLUSTER = [("clusters", 0, "name"), ("clusters", 0, "bundles", 0), ("clusters", 0, "values", "tailrender", "hostnameSuffix"),
           ("clusters", 0, "values", "tailrender", "namespace"), ("clusters", 0, "values", "proxyConfig", "defaultTags"),
           ("clusters", 0, "labels", "x!")]
APPLICATION = [("metadata", "name"), ("spec", "source", "path"), ("spec", "source", "helm", "valueFiles", 0), ("spec", "destination", "namespace"),
               ("spec", "source", "kustomize", "namePrefix"), ("spec", "source", "directory", "include")]
FLUX = [("metadata", "name"), ("spec", "path"), ("spec", "targetNamespace"), ("spec", "namePrefix"),
        ("spec", "postBuild", "substitute", "x"), ("spec", "patches", 0, "patch"), ("spec", "components", 0)]
NAMES = ["file", "folder", "bundle", "foreign file", "foreign folder"]


def changed(value, path, payload):
    """Returns a copy with the payload at the path."""
    if not path:
        return payload
    head, *rest = path
    if isinstance(head, int):
        return [*value[:head], changed(value[head], rest, payload), *value[head + 1:]]
    if head.endswith("!"):
        return {**value, payload: "y"}
    return {**value, head: changed(value.get(head), rest, payload)}


def text_of(value):
    return json.dumps(value, indent=1) + "\n"


def objects_in(folder, **other):
    return {f"{folder}/{name}.yaml": text_of(other.get(name, value)) for name, value in OBJECTS.items()}


def kustomized(kustomization):
    return {"apps/kustomization.yaml": text_of(kustomization), **objects_in("apps")}


def applied_by_argo(path, payload):
    application = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "apps", "namespace": "argocd"},
                   "spec": {"project": "default", "source": {"repoURL": "https://example.com/acme/fleet.git", "path": "apps"},
                            "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"}}}
    for step in ("helm", "kustomize", "directory"):
        if step in path:
            application["spec"]["source"][step] = {"valueFiles": [""]} if step == "helm" else {}
    return {"argo/app.yaml": text_of(changed(application, path, payload)), **objects_in("apps")}


def applied_by_flux(path, payload):
    source = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": {"name": "fleet", "namespace": "flux-system"},
              "spec": {"url": "https://example.com/acme/fleet.git"}}
    kustomization = {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "apps", "namespace": "flux-system"},
                     "spec": {"interval": "1h", "prune": True, "path": "./apps", "sourceRef": {"kind": "GitRepository", "name": "fleet"},
                              "targetNamespace": "shop"}}
    root = changed(changed(kustomization, ("metadata", "name"), "fleet"), ("spec",), {**kustomization["spec"], "path": "./flux", "targetNamespace": "flux-system"})
    files = objects_in("apps")
    if "postBuild" in path:
        kustomization["spec"]["postBuild"] = {"substitute": {}}
        files = {"apps/service.yaml": text_of(changed(SERVICE, ("metadata", "annotations", "tailscale.com/hostname"), "a${x}"))}
    if "patches" in path:
        kustomization["spec"]["patches"] = [{"target": {"kind": "Service"}, "patch": ""}]
    if "components" in path:
        kustomization["spec"]["components"] = [""]
    return {"flux/sync.yaml": text_of(source) + "---\n" + text_of(root), "flux/apps.yaml": text_of(changed(kustomization, path, payload)), **files}


def can_be_name(payload):
    return "/" not in payload and "\0" not in payload and payload not in (".", "..") and len(payload.encode()) <= 255


def named(where, payload):
    """Returns a tree with a file or folder of that name, or None if no file system allows it."""
    if not can_be_name(payload + ".yaml"):
        return None
    service, foreign = text_of(SERVICE), text_of({**CONFIG_MAP, "metadata": {"name": "other", "namespace": "shop"}})
    return {
        "file": {f"apps/{payload}.yaml": service},
        "folder": {f"apps/{payload}/web.yaml": service},
        "bundle": {f"{payload}/fleet.yaml": text_of({"defaultNamespace": "shop"}), f"{payload}/web.yaml": service},
        "foreign file": {"apps/web.yaml": service, f"other/{payload}.yaml": foreign},
        "foreign folder": {"apps/web.yaml": service, f"other/{payload}/x.yaml": foreign},
    }[where]


def plain_trees():
    """Yields a tree without a hostile string for each shape."""
    base, fleet, clusters = BASES
    yield "objects", "plain", objects_in("apps")
    yield "kustomization", "plain", kustomized(base)
    yield "fleet.yaml", "plain", {"apps/fleet.yaml": text_of(fleet), "apps/values.txt": "{}\n", "web/web.yaml": text_of(SERVICE)}
    yield "clusters", "plain", {".tailrender.yaml": text_of(clusters), **objects_in("apps")}
    yield "Application", "plain", applied_by_argo(("metadata", "name"), "apps")
    yield "Kustomization", "plain", applied_by_flux(("metadata", "name"), "apps")
    for where in NAMES:
        yield f"name of a {where}", "plain", named(where, "name")


def trees():
    """Yields (label, the payload's name, files) of every tree."""
    base, fleet, clusters = BASES
    for kind, payload in PAYLOADS.items():
        for path in FIELDS:
            yield f"{'.'.join(map(str, path))}", kind, objects_in("apps", **{path[0]: changed(OBJECTS[path[0]], path[1:], payload)})
        for path in KUSTOMIZATION:
            yield f"kustomization {path}", kind, kustomized(changed(base, path, payload))
        for path in FLEET:
            files = {"apps/fleet.yaml": text_of(changed(fleet, path, payload)), "apps/values.txt": "{}\n", "web/web.yaml": text_of(SERVICE)}
            yield f"fleet.yaml {path}", kind, files
        for path in CLUSTER:
            yield f"clusters {path}", kind, {".tailrender.yaml": text_of(changed(clusters, path, payload)), **objects_in("apps")}
        for path in APPLICATION:
            yield f"Application {path}", kind, applied_by_argo(path, payload)
        for path in FLUX:
            yield f"Kustomization {path}", kind, applied_by_flux(path, payload)
        for where in NAMES:
            files = named(where, payload)
            if files:
                yield f"name of a {where}", kind, files


def chosen(count, seed):
    """Returns `count` trees, spread over fields and payloads; all if there is no count."""
    every = list(trees())
    step = max(1, len(every) // count) if count else 1
    return list(itertools.islice(every, seed % step, None, step))

"""Proves that nothing ever writes to a rendered field, so that no GitOps tool has anything to undo.

The test runs both clusters of examples/fleet, one with our CRDs and custom resources, against a real API server: the objects are applied by
server-side apply with Argo CD's field manager. Then the controller, with only its rendered rights, writes everything that its contract
allows: the status of Services, Ingresses and custom resources, and its own Secrets, ConfigMaps and Lease. After that no rendered field has
another manager (managedFields), a second apply changes nothing, and Argo CD's own comparison, by three-way merge and as Fleet does it,
finds each object in sync. Of the rendered kinds, the controller may write only Secrets and ConfigMaps.
"""
import json

import pytest

from shared.applied import MANAGER, apply_again, is_accepted, key, listed, live, manifests
from shared.checks import attempt, run
from shared.fleet import FLEET

COVERS = ["examples/fleet", "renderer/generate", "runtime/controller/object_status", "testdata/e2e/crds.yaml"]
PROGRAMS = ["apiserver", "argocd"]
CONTROLLER = "--as=system:serviceaccount:tailscale:operator"
WITH_STATUS = ("Service", "Ingress", "Connector", "DNSConfig", "PeerRelay", "ProxyClass", "ProxyGroup", "Recorder", "Tailnet")
CONDITION = {"type": "ProxyReady", "status": "True", "reason": "ProxyReady", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}


def status_of(value):
    if value["kind"] in ("Service", "Ingress"):
        ingress = [{"hostname": "web.tail1a2b3.ts.net"}]
        conditions = {"conditions": [CONDITION]} if value["kind"] == "Service" else {}
        balanced = value["kind"] == "Ingress" or value["spec"].get("type") == "LoadBalancer"
        return {**conditions, **({"loadBalancer": {"ingress": ingress}} if balanced else {})}
    return {"conditions": [CONDITION]}


def act_as_controller(objects):
    """Writes everything that testdata/contract lets the controller write."""
    described = [value for value in objects.values() if value["kind"] in WITH_STATUS]
    for value in described:
        value["status"] = status_of(value)
    run("kubectl", "replace", "--subresource=status", "--field-manager=tailrender", CONTROLLER, "-f", "-", stdin=listed(described))
    own = [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name + suffix, "namespace": namespace}, "stringData": {"authkey": "k"}}
           for kind, namespace, name in objects if kind == "StatefulSet" for suffix in ("-0", "-0-auth")]
    own += [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "tailscale"}, "data": {"a": "b"}}
            for name in ("tailrender-devices", "tailrender-ingress-addresses", "dnsrecords")]
    own.append({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "tailrender-controller", "namespace": "tailscale"}})
    assert not set(map(key, own)) & set(objects)
    run("kubectl", "create", "--field-manager=tailrender", CONTROLLER, "-f", "-", stdin=listed(own))
    run("kubectl", "delete", "-f", "-", stdin=listed(own))


def check_owners(before, after):
    """Checks that every field belongs to the applier, except status and the Namespaces, which kubectl created before."""
    for name, value in after.items():
        for entry in value["metadata"].get("managedFields", []):  # a ServiceAccount has only a name
            ours, status = entry["manager"] == MANAGER, entry.get("subresource") == "status"
            server = entry["manager"] == "kube-apiserver" and value["kind"] == "CustomResourceDefinition"
            made_before = value["kind"] == "Namespace" and entry["manager"] == "kubectl-create"
            assert ours or status or server or made_before, f"{name} has fields of {entry['manager']}: {entry}"
            assert not status or set(entry["fieldsV1"]) == {"f:status"}, f"more than the status of {name}: {entry}"
        assert value.get("spec") == before[name].get("spec")


def argo_diff(scratch, wanted, found):
    for name, values in (("manifests", wanted), ("live", found)):
        (scratch / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    return run("argocd-diff", scratch / "manifests.json", scratch / "live.json")


def check_argo(scratch, path, after):
    wanted = manifests(path)
    found = [after[key(value)] for value in wanted]
    assert len(found) == len(after) and not argo_diff(scratch, wanted, found)
    scaled = next(value for value in wanted if value["kind"] == "StatefulSet")
    scaled["spec"]["replicas"] += 1
    assert argo_diff(scratch, wanted, found).count("  becomes ") == 1


def check_rights(after):
    """Checks whether the controller may write what is rendered. The server maps kinds to names of resources."""
    listing = run("kubectl", "api-resources", "--no-headers", "-o", "wide")
    resources = {}
    for line in listing.splitlines():
        words = line.split()
        at = next(i for i, word in enumerate(words) if word in ("true", "false"))
        group = words[at - 1].rpartition("/")[0]
        resources.setdefault((group, words[at + 1]), f"{words[0]}.{group}".rstrip("."))
    kinds = {(value["apiVersion"].rpartition("/")[0], value["kind"], value["metadata"].get("namespace", "")) for value in after.values()}
    for group, kind, namespace in sorted(kinds):
        if kind not in ("Secret", "ConfigMap"):
            flags = ["-n", namespace] if namespace else []
            for verb in ("update", "patch"):
                answer = attempt("kubectl", "auth", "can-i", verb, resources[group, kind], CONTROLLER, *flags).stdout.strip()
                assert answer == "no", f"may the controller {verb} {kind} in \"{namespace}\"? {answer}"


@pytest.mark.parametrize("member, flags", [("lab", []), ("ozilab", ["--set", "tailrender.customResources=emit"])])
def test_nothing_drifts(cluster, tailrender, tmp_path, member, flags):
    path = tmp_path / "rendered.yaml"
    path.write_text(run(tailrender, "render", FLEET, "--cluster", member, "--quiet", *flags), encoding="utf-8")
    is_accepted(path)
    before = live(path)
    act_as_controller(live(path))
    after = live(path)
    check_owners(before, after)
    apply_again(path)
    check_argo(tmp_path, path, after)
    check_rights(after)

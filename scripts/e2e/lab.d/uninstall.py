"""`tailrender-runtime cleanup` in the lab, as a person uses it before an uninstall.

    cleanup_leaves_what_is_not_ours(lab, runtime, objects, services, pods)

Once applied, the groups `objects` register `services`, their `pods` join, and a pod without device has a key.
"""
import collections.abc
import json
import pathlib

from harness import Lab
from installed import NAMESPACE, data_of, usable_keys
from shared.checks import Object

OTHER = {"operatorID": "another-cluster"}
SHARED = "svc:broker"
KINDS = "secrets,configmaps,leases"


def cleanup(lab: Lab, runtime: pathlib.Path, *flags: str) -> tuple[int, str]:
    return lab.as_a_person(runtime, "cleanup", *flags)


def held(lab: Lab) -> set[tuple[str, str]]:
    """Returns the names of the objects in the namespace, by kind, without those that Kubernetes puts into every namespace."""
    return {(item["kind"], item["metadata"]["name"]) for item in lab.get(KINDS, "-n", NAMESPACE)["items"]} - {("ConfigMap", "kube-root-ca.crt")}


def refuses(lab: Lab, runtime: pathlib.Path, why: str) -> None:
    code, said = cleanup(lab, runtime, "--yes")
    assert code == 1 and why in said, f"exit code {code}; {why} is not in\n{said}"


def owners(service: Object) -> list[Object]:
    return json.loads(service["annotations"]["tailscale.com/owner-references"])["ownerRefs"]


def share(lab: Lab, name: str) -> None:
    """Makes another cluster serve the Tailscale Service as well."""
    service = lab.tailnet.state()["services"][name]
    annotations = {"tailscale.com/owner-references": json.dumps({"ownerRefs": [*owners(service), OTHER]})}
    lab.tailnet.ok("PUT", "/api/v2/tailnet/-/vip-services/" + name, service | {"annotations": annotations})


def living(lab: Lab) -> set[str]:
    return {device["nodeId"] for device in lab.tailnet.state()["devices"] if not device.get("deletedBy")}


def stop_the_controller(lab: Lab) -> None:
    lab.kubectl("scale", "deployment", "operator", "-n", NAMESPACE, "--replicas", "0")
    lab.wait("the controller has stopped", lambda: not lab.get("pods", "-n", NAMESPACE, "-l", "app=operator"))


def leave_the_cluster(lab: Lab, installed: list[Object]) -> None:
    """Runs the last line of an uninstall: the objects that `tailrender install` prints are deleted."""
    lab.delete(installed)
    names = [(item["kind"], item["metadata"]["name"]) for item in installed if "namespace" not in item["metadata"]]
    lab.wait("nothing is left of the installation", lambda: not any(lab.get(kind, name) for kind, name in names))


def cleanup_leaves_what_is_not_ours(lab: Lab, runtime: pathlib.Path, objects: list[Object],
                                    services: collections.abc.Collection[str], pods: collections.abc.Collection[str]) -> None:
    others = living(lab)
    lab.apply(objects)
    for name in services:
        lab.wait(f"{name} is registered again", lambda: name in lab.tailnet.state()["services"])
    for pod in pods:
        lab.wait(f"{pod} has joined again", lambda: data_of(lab, pod).get("device_id"))
    theirs = lab.tailnet.mint(["tag:k8s"], "of another client")["id"]
    share(lab, SHARED)
    lab.tailnet.ok("PUT", "/api/v2/tailnet/-/vip-services/svc:theirs", {"name": "svc:theirs", "ports": ["tcp:443"], "tags": ["tag:k8s"]})
    refuses(lab, runtime, "proxies are still running, such as pod")
    stop_the_controller(lab)
    mark = next(key["description"] for key in lab.tailnet.state()["keys"] if key["id"] == usable_keys(lab)[0])
    lost = lab.tailnet.mint(["tag:k8s"], mark)["id"]
    lab.delete(objects)
    lab.wait("the proxies have stopped", lambda: not lab.get("pods", "-n", NAMESPACE))
    ours = living(lab) - others
    assert (len(ours), lost in usable_keys(lab)) == (len(pods), True), "devices and a key that wait to be removed"
    code, said = cleanup(lab, runtime)
    assert (code == 0 and "nothing was removed" in said and all(f" ({name}, ProxyGroup/" in said for name in ours) and
           all(f"would remove Tailscale Service {name}" in said for name in services)), (
        f"exit code {code} of a look at {ours} that says\n{said}")
    assert (living(lab) - others, lost in usable_keys(lab)) == (ours, True), "devices and keys after a look"
    code, said = cleanup(lab, runtime, "--yes")
    assert code == 0, f"exit code of cleanup, which says\n{said}\n"
    assert (living(lab), usable_keys(lab)) == (others, []), "devices and keys after the cleanup"
    keys = {key["id"]: key for key in lab.tailnet.state()["keys"]}
    assert keys[theirs].get("revoked", False) is False, "another client's key is revoked"
    left = lab.tailnet.state()["services"]
    assert (sorted(left), owners(left[SHARED])) == ([SHARED, "svc:theirs"], [OTHER]), "Tailscale Services and who owns the shared one"
    assert held(lab) == {("Secret", "operator-oauth")}, "what is left in the cluster"
    for flags in ((), ("--yes",)):
        assert cleanup(lab, runtime, *flags) == (0, "nothing left of the controller\n"), "a second run"

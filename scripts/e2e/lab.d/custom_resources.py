"""The custom resources of examples/fleet under the CRDs of the reference, on a real API server, which may prune or refuse them.

    add_crds(tree)                       to a copy of the fleet: its custom resources are rendered then
    install_crds(lab, text)              those of the rendered stream
    statuses_are_written(lab, domain, devices)   once the controller has restarted; devices: by pod, as the tailnet knows them
"""
import pathlib
import typing

import yaml

from harness import Lab
from installed import NAMESPACE
from shared.checks import Object, documents, wait_for_definitions
from shared.fleet import ROOT

STREAM = ROOT / "testdata" / "chart-streams" / "with-crds.yaml"


Conditions = dict[str, tuple[str, str]]  # status and reason by type


def crds_of(text: str) -> list[Object]:
    return [item for item in documents(text) if item["kind"] == "CustomResourceDefinition"]


def add_crds(tree: pathlib.Path) -> None:
    crds = crds_of(STREAM.read_text(encoding="utf-8"))
    (tree / "apps" / "crds.yaml").write_text(yaml.safe_dump_all(crds), encoding="utf-8")


def install_crds(lab: Lab, text: str) -> None:
    crds = crds_of(text)
    lab.apply(crds)
    wait_for_definitions(lab.kubectl, [crd["metadata"]["name"] for crd in crds])


def conditions_of(item: Object) -> Conditions:
    return {found["type"]: (found["status"], found["reason"]) for found in item["status"].get("conditions", [])}


def status_of(lab: Lab, kind: str, name: str, conditions: Conditions) -> Object:
    """Returns the status, without conditions once these are there; each has the fields that its schema requires."""
    def probe() -> Object:
        item = lab.get(kind + ".tailscale.com", name)
        found = conditions_of(item) if "status" in item else {}
        assert found == conditions, f"{kind} {name} has {found}, wanted {conditions}"
        return item
    item = lab.wait(f"conditions of {kind} {name}", probe)
    for found in item["status"]["conditions"]:
        assert found["lastTransitionTime"] and found["message"], f"{kind} {name}: {found}"
        assert found.get("observedGeneration", item["metadata"]["generation"]) == item["metadata"]["generation"], f"generation of {kind} {name}"
    return {key: value for key, value in item["status"].items() if key != "conditions"}


def statuses_are_written(lab: Lab, domain: str, devices: dict[str, Object]) -> None:
    def described(pod: str, name: str, full: bool) -> Object:
        return {"hostname": f"{name}.{domain}" if full else name, "tailnetIPs": devices[pod]["addresses"]}

    def group(name: str, **more: typing.Any) -> None:
        created = {"ProxyGroupAvailable": ("True", "ProxyGroupAvailable"), "ProxyGroupReady": ("True", "ProxyGroupReady")}
        created |= {kind: ("True", kind) for kind in ("KubeAPIServerProxyConfigured", "KubeAPIServerProxyValid") if "url" in more}
        found = [described(f"{name}-{number}", f"{name}-{number}", False) for number in (0, 1)]
        assert status_of(lab, "proxygroup", name, created) == {"devices": found, **more}, f"status of ProxyGroup {name}"

    def connector(name: str, pods: list[str], hostnames: list[str], **more: object) -> None:
        found = [described(pod, hostname, True) for pod, hostname in zip(pods, hostnames)]
        wanted = {"devices": found, **found[0], "isExitNode": False, "isAppConnector": False, **more}
        assert status_of(lab, "connector", name, {"ConnectorReady": ("True", "ConnectorCreated")}) == wanted, f"status of Connector {name}"
    sets = {item["metadata"]["labels"]["tailscale.com/parent-resource"]: item["metadata"]["name"]
            for item in lab.get("statefulset", "-n", NAMESPACE, "-l", "tailscale.com/parent-resource-type=connector")["items"]}
    connector("home-net", [sets["home-net"] + "-0"], ["home-net"], subnetRoutes="10.20.0.0/16")
    connector("exit", [sets["exit"] + "-0", sets["exit"] + "-1"], ["exit-0", "exit-1"], isExitNode=True)
    connector("partner-net", [sets["partner-net"] + "-0"], ["partner-net-connector"], subnetRoutes="10.30.4.0/24")
    group("out")
    group("front")
    address = lab.get("service", "nameserver", "-n", NAMESPACE)["spec"]["clusterIP"]
    assert status_of(lab, "dnsconfig", "ts-dns", {"NameserverReady": ("True", "NameserverCreated")}) == {"nameserver": {"ip": address}}
    assert status_of(lab, "proxyclass", "metered", {"ProxyClassReady": ("True", "ProxyClassValid")}) == {}, "status of ProxyClass"
    assert status_of(lab, "tailnet", "partner", {"TailnetReady": ("True", "TailnetValid")}) == {}, "status of Tailnet"
    assert status_of(lab, "recorder", "sessions", {"RecorderReady": ("False", "RecorderCreating")}) == {}, "status of a Recorder without a pod"
    if "kube-0" in devices:
        group("kube", url=f"https://ozilab-api.{domain}")
        return
    creating = {"ProxyGroupAvailable": ("False", "ProxyGroupCreating"), "ProxyGroupReady": ("False", "ProxyGroupCreating"),
                "KubeAPIServerProxyConfigured": ("False", "KubeAPIServerProxyNoBackends")}
    assert status_of(lab, "proxygroup", "kube", creating) == {}, "status of a ProxyGroup without pods"

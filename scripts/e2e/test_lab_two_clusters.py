"""Proves in two labs that a Service of one cluster is reached from another one, over the tailnet that both have joined.

Each cluster has its own controller, node, and addresses of pods and Services; pods have no route to those of the other cluster. The first
cluster exposes a Service twice, by tailrender-proxy and by stock containerboot; in the second one a Service of each kind targets the device
of that name. TCP and UDP cross, over IPv4 and with tailrender-proxy over IPv6. Neither controller treats the other's devices as its own.
"""
import pytest
import yaml

from every_mode import ask, egress, endpoints, service, start_server
from harness import Lab
from hello import namespaces_first
from installed import NAMESPACE, data_of, give_proxy_image, install_controller, lab_with_controller
from shared.checks import documents, run
from shared.images import PROXY_IMAGE

COVERS = ["runtime/controller", "runtime/nft", "runtime/proxy"]
PROGRAMS = ["lab"]
DATAPLANES = ("native", "containerboot")


def chosen(item, dataplane):
    item["metadata"]["annotations"]["tailrender.dev/dataplane"] = dataplane
    return item


def publish(lab, tailrender, folder, items, *settings):
    """Renders and applies the items, with settings KEY=VALUE. Returns the pod of each by the name of the input."""
    folder.mkdir()
    (folder / "all.yaml").write_text(yaml.safe_dump_all(items), encoding="utf-8")
    (folder / "fleet.yaml").write_text("defaultNamespace: apps\n", encoding="utf-8")
    objects = documents(run(tailrender, "render", folder, "--quiet",
                            *(f"--set={one}" for one in (PROXY_IMAGE, "loginServer=" + lab.tailnet.url, *settings))))
    namespaces_first(lab, objects)
    return {item["metadata"]["labels"]["tailscale.com/parent-resource"]: item["metadata"]["name"] + "-0"
            for item in objects if item["kind"] == "StatefulSet"}


def joined(lab, pods):
    def device(pod):
        data = data_of(lab, pod)
        return data.get("device_fqdn") and data["device_id"]
    return {pod: lab.wait(f"{pod} joins", lambda pod=pod: device(pod)) for pod in pods.values()}


def ips(lab, pod):
    return [item["ip"] for item in lab.get("pod", pod, "-n", NAMESPACE)["status"]["podIPs"]]


@pytest.fixture(scope="module")
def first(tools, tailrender, runtime, proxy):
    with lab_with_controller(tailrender, runtime) as lab:
        start_server(lab, "backend", ("10.77.0.1", "fd00:77::1"))
        give_proxy_image(lab, tailrender, proxy)
        yield lab


@pytest.fixture(scope="module")
def second(first, tailrender, runtime, proxy):
    with Lab(tailnet_of=first) as lab:
        lab.verb("image", "lab/runtime:1", str(runtime))
        install_controller(lab, tailrender)
        give_proxy_image(lab, tailrender, proxy)
        yield lab


@pytest.fixture(scope="module")
def exposed(first, tailrender, scratch):
    """Returns the pods of the first cluster, by dataplane."""
    pods = publish(first, tailrender, scratch / "first", [
        chosen(service(dataplane, {"tailscale.com/expose": "true"}, ipFamilyPolicy="RequireDualStack"), dataplane) for dataplane in DATAPLANES])
    for dataplane in DATAPLANES:
        first.apply(list(endpoints(dataplane)))
    first.devices = joined(first, pods)
    return pods


@pytest.fixture(scope="module")
def leading(second, exposed, tailrender, scratch):
    """Returns the pods of the second cluster, by dataplane."""
    pods = publish(second, tailrender, scratch / "second", [
        chosen(egress(dataplane, tailnet_fqdn=f"apps-{dataplane}.lab.ts.net"), dataplane) for dataplane in DATAPLANES])
    second.devices = joined(second, pods)
    return pods


def test_the_clusters_have_addresses_of_their_own(first, second):
    [one], [other] = ([item["status"]["addresses"] for item in lab.items("node")] for lab in (first, second))
    assert {item["address"] for item in one}.isdisjoint(item["address"] for item in other)
    kubernetes = [lab.get("service", "kubernetes", "-n", "default")["spec"]["clusterIP"] for lab in (first, second)]
    assert kubernetes == ["10.96.0.1", "10.97.0.1"]


@pytest.mark.parametrize("dataplane", DATAPLANES)
def test_service_is_reached_from_the_other_cluster(first, second, exposed, leading, dataplane):
    wanted = [f"backend saw {ips(first, exposed[dataplane])[0]}"] * 2
    name = f"{dataplane}.apps.svc.cluster.local"
    second.wait(f"the backend answers at {name}", lambda: ask(second, name) == wanted)
    if dataplane == "native":
        assert ask(second, ips(second, leading[dataplane])[1]) == [f"backend saw {ips(first, exposed[dataplane])[1]}"] * 2


def test_no_controller_takes_the_others_devices(first, second, exposed, leading):
    assert (joined(first, exposed), joined(second, leading)) == (first.devices, second.devices)
    devices = [*first.devices.values(), *second.devices.values()]
    assert [first.tailnet.device(device).get("deletedBy") for device in devices] == [None] * 4

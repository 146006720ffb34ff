"""One request through each kind of proxy, in one lab: tailrender-proxy, stock containerboot, and the proxy of the Kubernetes API.

The controller is installed as it is rendered, and gives each a key. The modules from which this one takes its parts test what else these
proxies do. CI always runs this module, so everything in it is of one release of Tailscale, and only that release is built for it.
"""
import pytest

from every_mode import ask, endpoints, service, start_server
from installed import NAMESPACE, VALUES, give_proxy_image, install_controller, joins, lab_with_runtime
from parity_release import RELEASES
from test_lab_api_proxy import CAPABILITY, GROUP, HELLO, POD, READER, is_ready, kubectl, put_certificate, values
from test_lab_two_clusters import DATAPLANES, chosen, ips, joined, publish

COVERS = ["runtime"]
PROGRAMS = ["lab-of-one-release"]
pytestmark = pytest.mark.always
RELEASE = "1.96"


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime, proxy):
    with lab_with_runtime(runtime, TAILRENDER_RELEASE=RELEASE) as found:
        start_server(found, "backend", ("10.77.0.1", "fd00:77::1"))
        give_proxy_image(found, tailrender, proxy, RELEASE)
        install_controller(found, tailrender, values("true") | {"tailrender": VALUES["tailrender"] | {"operatorVersion": RELEASES[RELEASE]}})
        found.apply([READER, HELLO])
        yield found


@pytest.fixture(scope="module")
def pods(lab, tailrender, scratch):
    """Returns the pods by dataplane; each exposes its own Service."""
    found = publish(lab, tailrender, scratch / "tree", [
        chosen(service(dataplane, {"tailscale.com/expose": "true"}, ipFamilyPolicy="RequireDualStack"), dataplane) for dataplane in DATAPLANES],
        "tailrender.operatorVersion=" + RELEASES[RELEASE])
    for dataplane in DATAPLANES:
        lab.apply(list(endpoints(dataplane)))
    joined(lab, found)
    return found


@pytest.mark.parametrize("dataplane", DATAPLANES)
def test_service_is_reached_from_the_tailnet(lab, pods, dataplane):
    image = lab.get("pod", pods[dataplane], "-n", NAMESPACE)["spec"]["containers"][0]["image"]
    assert ("tailrender-proxy" in image) == (dataplane == "native")
    wanted = [f"backend saw {ips(lab, pods[dataplane])[0]}"] * 2
    name = f"apps-{dataplane}.{lab.inner['LAB_DOMAIN']}"
    lab.wait(f"the backend answers at {name}", lambda: ask(lab, name, on="client") == wanted)


def test_kubectl_reaches_the_api_server_from_the_tailnet(lab, pods):
    joins(lab, POD)
    put_certificate(lab)
    is_ready(lab)
    lab.tailnet.ok("POST", "/admin/grants", {CAPABILITY: [{"impersonate": {"groups": [GROUP]}}]})
    lab.wait("kubectl is let in", lambda: kubectl(lab, "get", "pod", "hello", "-o", "name") == (0, "pod/hello\n"), 90)

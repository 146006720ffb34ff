"""Proves in the lab that the proxies of the reference operator, which runs here itself, become rendered ones, go back to it, and move
again.

Helm installs the operator's chart; the operator joins the tailnet and makes proxies for testdata/e2e/operator: exposed Services, an
Ingress, egress with and without a group, a Connector, a Recorder, a DNSConfig. These run stock containerboot; rendered proxies run
tailrender-proxy. Rendered objects beside a running operator change nothing and get nothing. Then helm puts the rendered controller in the
operator's place, the rendered manifests are applied, and `adopt` moves the proxies, although it is killed again and again; `adopt
--rollback` gives them back to the operator, which takes them over unchanged. At last they move by the commands of docs/migration.md. In all
that time every device keeps its node id, address and name, none is new, and every page is served again. After `tailrender-adopt --finish` nothing of
the operator is left and nothing drifts, and a deleted object leaves no device and no Secret. The operator also serves the Kubernetes API; a
pod gets the operator's device for that. With --short it runs once, and moves once. There is no ACME server, so the Ingress only has to
join; and there is no tsrecorder, so the Recorder never joins.
"""
import json
import random
import time

import pytest

from installed import NAMESPACE, adopt, adopt_and_kill, data_of, give_proxy_image, lab_with_runtime
from reference import RELEASE, REPOSITORY, VALUES, devices_of, longest_gaps, names_of_the_operator, operator_in
from shared.applied import key, listed
from shared.checks import documents, run

COVERS = ["runtime/adopt", "runtime/controller/keys", "runtime/operate", "testdata/e2e/crds.yaml", "testdata/e2e/operator"]
PROGRAMS = ["lab", "helm3", "operator"]
KILLS = 4
PROXIES = {"annotated.lab.ts.net", "apps-lb.lab.ts.net", "apps-warehouse.lab.ts.net", "out-0.lab.ts.net", "out-1.lab.ts.net", "router.lab.ts.net", "web.lab.ts.net"}
OPERATORS = "tailscale-operator.lab.ts.net"
PAGES = {"http://apps-lb.lab.ts.net/": "client", "http://annotated.lab.ts.net/": "client",
         "http://warehouse.apps.svc.cluster.local/": None, "http://by-group.apps.svc.cluster.local/": None}
HOLDERS = "services,ingresses,connectors.tailscale.com,proxygroups.tailscale.com,recorders.tailscale.com,dnsconfigs.tailscale.com,proxyclasses.tailscale.com"
PARENT = "tailscale.com/parent-resource"
API_PROXY = REPOSITORY / "api-proxy.yaml"
ALL_VALUES = (f"--values={VALUES}", f"--values={API_PROXY}")
API_SECRETS = {f"kube-apiserver-proxy-0{end}" for end in ("", "-auth", "-config")}


class User:
    """A user, with the usual programs."""

    def __init__(self, lab, operator, tailrender, runtime):
        self.lab, self.operator, self.tailrender, self.runtime = lab, operator, tailrender, runtime
        self.rendered = documents(run(tailrender, "render", REPOSITORY / "apps", *ALL_VALUES, "--quiet"))
        self.install = run(tailrender, "install", *ALL_VALUES, "--quiet")
        sources = {key(item) for file in (REPOSITORY / "apps").iterdir() for item in documents(file.read_text(encoding="utf-8"))}
        self.generated = [item for item in self.rendered if key(item) not in sources]
        self.devices, self.held = {}, set()

    def apply(self, objects):
        self.lab.kubectl("apply", "-f", "-", text=listed(objects))

    def adopt(self, *flags, code=0):
        return adopt(self.lab, self.runtime, *flags, code=code)

    def upgrade(self, *flags):
        self.operator.upgrade("--values", str(API_PROXY), *flags)


@pytest.fixture(scope="module")
def user(tools, tailrender, runtime, proxy):
    with lab_with_runtime(runtime) as lab, operator_in(lab) as operator:
        give_proxy_image(lab, tailrender, proxy)
        lab.verb("join", "warehouse")
        lab.run("sh", "-c", 'mkdir "$LAB/shelves" && echo from the warehouse >"$LAB/shelves/index.html" && busybox httpd -p 80 -h "$LAB/shelves"', on="warehouse")
        yield User(lab, operator, tailrender, runtime)


def held(lab):
    found = lab.items(HOLDERS, "-A")
    return {key(item) for item in found if any(one.startswith("tailscale.com/") for one in item["metadata"].get("finalizers", []))}


def serves(user, what):
    """Checks that every device is there, is the same as before, and is the only one of its name; every page is served."""
    lab = user.lab

    def connected():
        return {device["name"] for device in lab.tailnet.state()["devices"] if device["connected"]}
    lab.wait(f"{what}: all devices are connected", lambda: connected() >= PROXIES)
    for url, place in PAGES.items():
        lab.wait(f"{what}: {url}", lambda url=url, place=place: lab.run("curl", "-sSf", "--max-time", "5", url, on=place))
    user.devices = user.devices or devices_of(lab)
    assert devices_of(lab) == user.devices, f"{what}: devices that there have ever been"


def test_operator_serves(user):
    user.upgrade()
    # The operator forgets objects that are created while its default ProxyClass is not ready.
    user.lab.kubectl("apply", "-f", str(REPOSITORY / "apps" / "proxyclass.yaml"))
    user.lab.kubectl("wait", "--for=condition=ProxyClassReady", "--timeout=120s", "proxyclass/without-registry")
    user.lab.kubectl("apply", "-f", str(REPOSITORY / "apps"))
    serves(user, "the operator")
    assert OPERATORS in user.devices
    user.held = {item for item in held(user.lab) if item[1] != NAMESPACE}
    assert len(user.held) == 10
    said = user.adopt("--dry-run", code=1)
    for parent in ("Service/apps/lb", "ProxyGroup/out", "DNSConfig/names"):
        assert f"{parent} (" in said and "apply the rendered manifests first, while the operator is stopped" in said


@pytest.mark.whole
def test_too_early(user):
    """Rendered objects beside a running operator: they do not change the operator's proxies, get nothing, and the operator's own stay."""
    lab = user.lab
    own = [item for item in user.generated if item["metadata"].get("labels", {}).get(PARENT) in ("lb", "web")]
    names = names_of_the_operator(lab)
    user.apply(own)
    before, keys = lab.get("all", "-n", NAMESPACE, "-l", f"{PARENT}=lb"), lab.tailnet.state()["keys"]
    lab.kubectl("annotate", "service", "lb", "-n", "apps", "example.com/look=again")
    lab.wait("the operator finds both", lambda: "found multiple matching *v1.Service objects" in
             lab.kubectl("logs", "deployment/operator", "-n", NAMESPACE, "--tail", "100"))
    found = lab.items("statefulsets,services", "-n", NAMESPACE, "-l", f"{PARENT}=lb")
    for item in before["items"]:
        if item["kind"] in ("StatefulSet", "Service"):
            [now] = [one for one in found if key(one) == key(item)]
            assert (now["metadata"]["uid"], now["spec"]) == (item["metadata"]["uid"], item["spec"]), f"{key(item)} after the operator has looked"
    assert (names_of_the_operator(lab), lab.tailnet.state()["keys"]) == (names, keys), "the operator's, and keys"
    serves(user, "the operator beside rendered proxies")


@pytest.mark.whole
def test_moves_beside_the_controller(user):
    """Helm puts the rendered controller in the operator's place."""
    lab = user.lab
    post_render = ("post-render", f"--namespace={NAMESPACE}", *ALL_VALUES)
    user.upgrade("--post-renderer", user.tailrender, *(f"--post-renderer-args={word}" for word in post_render))
    user.apply(user.rendered)
    lab.wait("an Event says that the operator still serves", lambda: [
        event for event in lab.items("events", "-n", "apps")
        if (event["reason"], event["involvedObject"]["name"]) == ("OperatorStillServes", "lb")])
    generator = random.Random(1)
    for _ in range(KILLS):
        adopt_and_kill(lab, user.runtime, lambda: time.sleep(generator.uniform(0.1, 3)))
    said = user.adopt()
    assert "no Tailscale operator: " in said
    serves(user, "adopted")
    has_the_operators_device(user)
    lab.kubectl("diff", "-f", "-", text=lab.run("helm", "get", "manifest", RELEASE, "-n", NAMESPACE))


def has_the_operators_device(user):
    """Checks that the pod that serves the Kubernetes API in the operator's place has the operator's device."""
    user.lab.kubectl("rollout", "status", "statefulset", "kube-apiserver-proxy", "-n", NAMESPACE, "--timeout", "240s")
    assert data_of(user.lab, "kube-apiserver-proxy-0")["device_id"] == user.devices[OPERATORS][0]


@pytest.mark.whole
def test_goes_back(user):
    lab = user.lab
    said = user.adopt("--rollback")
    assert said.endswith("is the rendered controller\ndone; now remove the rendered manifests from the repository of the cluster, then start the operator\n")
    names = names_of_the_operator(lab)
    led = lab.get("service", "warehouse", "-n", "apps")["spec"]["externalName"].partition(".")[0]
    assert led in names
    # Objects with the same name belong to the operator again.
    lab.delete([item for item in user.generated if not item["metadata"]["name"].startswith(("out", "tapes", "nameserver"))])
    user.upgrade()
    lab.wait("the operator holds what it held", lambda: held(lab) >= user.held)
    serves(user, "the operator again")
    assert names_of_the_operator(lab) >= names


def test_moves(user):
    """Runs the commands of docs/migration.md."""
    lab = user.lab
    lab.kubectl("scale", "deployment", "operator", "-n", NAMESPACE, "--replicas", "0")
    with longest_gaps(lab, PAGES) as gaps:
        user.apply(user.rendered)
        user.adopt("--dry-run")
        user.adopt()
        serves(user, "adopted again")
    print("longest outage of a page: " + ", ".join(f"{url.split('/')[2].partition('.')[0]} {gap:.0f} s" for url, gap in gaps.items()), flush=True)
    lab.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", text=user.install)
    assert "the operator's own device, which is meant for \"kube-apiserver-proxy-0\"" in user.adopt("--finish", code=1)
    user.adopt()
    has_the_operators_device(user)
    assert "the operator's own" not in user.adopt("--finish")


def test_nothing_is_left(user):
    lab = user.lab
    assert (names_of_the_operator(lab), held(lab)) == (set(), set()), "what the operator has left, and what its finalizers block"
    every = lab.items("all,secrets,configmaps,serviceaccounts,roles,rolebindings,endpointslices", "-n", NAMESPACE)
    owned = [key(item) for item in every if any(one["apiVersion"].startswith("tailscale.com/") for one in item["metadata"].get("ownerReferences", []))]
    assert (owned, [key(item) for item in every if item["metadata"]["name"].startswith("tailrender-adopt-")]) == ([], [])
    lab.kubectl("diff", "-f", "-", text=listed(user.rendered))
    lab.kubectl("diff", "--server-side", "--force-conflicts", "-f", "-", text=user.install)
    serves(user, "beside the controller")


@pytest.mark.whole
def test_deleted_leaves_nothing(user):
    lab = user.lab
    sets = [item for item in user.generated if item["kind"] == "StatefulSet"]
    lab.delete(sets)
    # The termination of a group's last pod is blocked for 6 minutes, as no other pod is left.
    lab.kubectl("delete", "pods", "-n", NAMESPACE, "-l", f"{PARENT}=out", "--force", "--grace-period", "0", "--wait=false")
    lab.wait("their pods are deleted", lambda: not lab.items("pods", "-n", NAMESPACE, "-l", f"tailscale.com/managed=true,{PARENT}-type!=api-proxy"))
    lab.delete([item for item in user.generated if item not in sets])
    blocked = lab.wait("the controller asks before it deletes so many", lambda: json.loads(lab.as_a_person(user.runtime, "status", "-o", "json")[1])["blocked"])
    lab.kubectl(*blocked[0]["command"].split()[1:])
    stays = {name for name, device in user.devices.items() if name not in PROXIES}
    lab.wait("no device is left", lambda: {name for name, (_, _, deleted) in devices_of(lab).items() if not deleted} == stays)
    lab.wait("no Secret is left", lambda: {item["metadata"]["name"] for item in lab.items("secrets", "-n", NAMESPACE)
                                           if not item["metadata"]["name"].startswith("sh.helm.")} == {"operator-oauth", *API_SECRETS})

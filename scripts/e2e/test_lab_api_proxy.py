"""Proves in the lab that what `apiServerProxyConfig.mode` renders lets kubectl reach the API server over the tailnet, from a real pod.

The controller is installed with the mode set, and so the API proxy is. It joins under the operator's hostname with a key of the controller's; both
containers are restricted. No ACME server is asked: a certificate of the lab's authority is put where tailscaled keeps its own. kubectl runs on a machine of the
tailnet: as that device it gets what its grant says. A session outlives the pod's deletion by its grace, and the device stays the same. A group of two such pods
serves a Tailscale Service, under a certificate of the ACME server: kubectl goes on when one is killed, and when one ends; one whose container
alone ends comes back; it runs the stock program and ours in turn. In mode noauth the client's own credentials count. `adopt` makes it the
operator's own device. When it is deleted the device is removed. It joins and serves from a namespace of its own as well.
"""
import base64
import json
import subprocess
import time

import pytest

import api_group
from authority import serial, signed
from harness import SCRIPT
from installed import NAMESPACE, VALUES, adopt, data_of, give_proxy_image, install_controller, joins, lab_with_runtime, usable_keys
from parity_release import NEWEST, RELEASES

COVERS = ["renderer/generate/group", "renderer/generate/install", "renderer/plan/group", "runtime/api_proxy", "runtime/controller/ingress_groups",
          "runtime/adopt"]
PROGRAMS = ["lab"]
SET, POD = "kube-apiserver-proxy", "kube-apiserver-proxy-0"
HOSTNAME = "kube"
APART = "tailscale-api"
CAPABILITY = "tailscale.com/cap/kubernetes"
NOTED = "tailrender.dev/device"
GROUP = "tailnet-readers"
READER = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": GROUP},
          "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
          "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": GROUP}]}
HELLO = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "hello", "namespace": "default"},
         "spec": {"terminationGracePeriodSeconds": 0, "containers": [{"name": "page", "image": "lab/hello:1", "imagePullPolicy": "Never"}]}}


def values(mode):
    image = [{"name": "K8S_PROXY_IMAGE", "value": "tailscale/k8s-proxy:v" + RELEASES[NEWEST]}]
    return {"apiServerProxyConfig": {"mode": mode}, "operatorConfig": {"hostname": HOSTNAME, "extraEnv": image}}


def command(lab, *words, token="unused", name=HOSTNAME):
    return [str(SCRIPT), "run", "--on", "client", "kubectl", "--kubeconfig", "/dev/null", "--server", f"https://{name}.{lab.inner['LAB_DOMAIN']}",
            "--certificate-authority", lab.inner["LAB"] + "/trusted.crt", f"--token={token}", *words]


def kubectl(lab, *words, **options):
    """Exit code and what it says, on a machine of the tailnet."""
    done = subprocess.run(command(lab, *words, **options), env=lab.environment, text=True, timeout=120, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def is_ready(lab):
    lab.kubectl("rollout", "status", "statefulset", SET, "-n", NAMESPACE, "--timeout", "240s")
    return lab.get("pod", POD, "-n", NAMESPACE)


def put_certificate(lab):
    """Of the lab's authority, where tailscaled looks for its own when it starts."""
    name = f"{HOSTNAME}.{lab.inner['LAB_DOMAIN']}"
    data = dict(zip((name + ".crt", name + ".key"), signed(lab, name)))
    lab.kubectl("patch", "secret", POD, "-n", NAMESPACE, "--type", "merge", "-p", json.dumps({"stringData": data}))
    lab.kubectl("delete", "pod", POD, "-n", NAMESPACE)


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime, proxy):
    with lab_with_runtime(runtime) as found:
        give_proxy_image(found, tailrender, proxy)
        install_controller(found, tailrender, values("true"))
        found.apply([READER, HELLO])
        yield found


@pytest.fixture(scope="module")
def device(lab):
    found = joins(lab, POD)
    put_certificate(lab)
    is_ready(lab)
    return found


def test_joins_as_the_operator_would(lab, device):
    assert data_of(lab, POD)["device_fqdn"].split(".")[0] == HOSTNAME
    assert lab.tailnet.device(device)["tags"] == ["tag:k8s-operator"]
    spec = lab.get("pod", POD, "-n", NAMESPACE)["spec"]
    assert {item["name"]: item["securityContext"]["runAsUser"] for item in spec["containers"]} == {"tailscale": 65532, "api": 65533}
    assert spec["serviceAccountName"] == "kube-apiserver-auth-proxy"
    lines = "".join(lab.get("configmap", "tailrender-devices", "-n", NAMESPACE)["data"].values())
    assert f"Deployment/{NAMESPACE}/operator" in lines


def test_fits_the_level_restricted(lab, device):
    lab.kubectl("create", "namespace", "strict")
    lab.kubectl("label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted")
    pod = lab.get("statefulset", SET, "-n", NAMESPACE)["spec"]["template"]
    spec = {"containers": pod["spec"]["containers"], "volumes": pod["spec"]["volumes"]}
    lab.kubectl("apply", "--dry-run=server", "-f", "-", text=json.dumps(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": "strict"}, "spec": spec}))


def test_kubectl_as_its_grant_says(lab, device):
    lab.tailnet.ok("POST", "/admin/grants", {CAPABILITY: [{"impersonate": {"groups": [GROUP]}}]})
    lab.wait("kubectl is let in", lambda: kubectl(lab, "get", "pod", "hello", "-o", "name") == (0, "pod/hello\n"), 90)
    code, said = kubectl(lab, "auth", "whoami")
    assert code == 0 and GROUP in said and "client." in said
    assert kubectl(lab, "exec", "hello", "--", "echo", "inside") == (0, "inside\n")


def test_sessions_outlive_the_pods_deletion_by_their_grace(lab, device):
    script = "i=0; while sleep 1; do i=$((i+1)); echo line $i; done"
    process = subprocess.Popen(command(lab, "exec", "hello", "--", "sh", "-c", script), env=lab.environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    assert process.stdout.readline() == "line 1\n"
    begun = time.monotonic()
    lab.kubectl("delete", "pod", POD, "-n", NAMESPACE, "--wait=false")
    lines = process.stdout.readlines()
    lasted = time.monotonic() - begun
    process.wait()
    print(f"the session went on for {lasted:.0f} s")
    assert 20 < lasted < 40 and sum(line.startswith("line ") for line in lines) > 15
    lab.wait("another pod is ready", lambda: any(item["type"] == "Ready" and item["status"] == "True" for item in is_ready(lab)["status"]["conditions"]))
    lab.wait("kubectl is let in again", lambda: kubectl(lab, "get", "pod", "hello", "-o", "name") == (0, "pod/hello\n"), 90)
    assert data_of(lab, POD)["device_id"] == device and usable_keys(lab) == []


def test_ends_at_once_without_sessions(lab, device):
    begun = time.monotonic()
    lab.kubectl("delete", "pod", POD, "-n", NAMESPACE)
    assert time.monotonic() - begun < 15
    is_ready(lab)


def gets_the_pod(lab, seconds=5):
    """Through the group's Service."""
    return kubectl(lab, "get", "pod", "hello", "-o", "name", f"--request-timeout={seconds}s", name=api_group.SERVICE) == (0, "pod/hello\n")


@pytest.fixture(scope="module")
def group(lab, tailrender, scratch, device):
    lab.tailnet.ok("POST", "/admin/grants", {CAPABILITY: [{"impersonate": {"groups": [GROUP]}}]})
    api_group.apply_group(lab, tailrender, scratch, values("true"))
    lab.wait("kubectl is let in", lambda: gets_the_pod(lab))


def test_a_group_serves_its_service(lab, group):
    code, said = kubectl(lab, "auth", "whoami", name=api_group.SERVICE)
    assert code == 0 and GROUP in said and "client." in said
    assert kubectl(lab, "exec", "hello", "--", "echo", "inside", name=api_group.SERVICE) == (0, "inside\n")
    assert [data_of(lab, pod)["device_fqdn"].split(".")[0] for pod in api_group.REPLICAS] == list(api_group.REPLICAS)
    assert usable_keys(lab) == []


def test_kubectl_goes_on_when_a_replica_is_killed(lab, group):
    killed = api_group.serving(lab, lambda: gets_the_pod(lab))
    lab.kubectl("delete", "pod", killed, "-n", NAMESPACE, "--force", "--grace-period=0")
    begun = time.monotonic()
    lab.wait("another one serves", lambda: gets_the_pod(lab), 60)
    print(f"{killed} was killed, and kubectl let in after {time.monotonic() - begun:.1f} s")
    lab.wait("it serves the certificate that they share", lambda: serial(lab, api_group.domain(lab)) == api_group.shared_serial(lab))
    api_group.all_are_ready(lab)


def test_a_replica_that_ends_sends_its_clients_elsewhere_first(lab, group):
    lab.wait("kubectl is let in", lambda: gets_the_pod(lab), 60)
    ended = api_group.serving(lab, lambda: gets_the_pod(lab))
    old = api_group.uid(lab, ended)
    begun = time.monotonic()
    lab.kubectl("delete", "pod", ended, "-n", NAMESPACE, "--wait=false")
    asked = 0
    while api_group.uid(lab, ended) == old:
        # A request may be slow while the clients learn of another replica, but none fails.
        assert gets_the_pod(lab, 30), f"after {time.monotonic() - begun:.1f} s"
        asked += 1
    print(f"{asked} of {asked} kubectl while {ended} ended, in {time.monotonic() - begun:.0f} s")
    assert 15 < time.monotonic() - begun and asked > 1


def test_a_container_that_ends_alone_is_advertised_again(lab, group):
    pod = (api_group.REPLICAS[0], "-n", NAMESPACE)

    def advertised():
        return json.loads(lab.kubectl("exec", *pod, "-c", "tailscale", "--", "tailscale", "debug", "prefs"))["AdvertiseServices"]
    api_group.all_are_ready(lab)
    lab.wait("it is advertised", lambda: advertised() == ["svc:" + api_group.SERVICE], 60)
    lab.kubectl("exec", *pod, "-c", "api", "--", "/bin/sh", "-c", "kill 1")
    lab.wait("it takes its Service back", lambda: not advertised(), 30)
    lab.wait("its successor has it again", lambda: advertised() == ["svc:" + api_group.SERVICE], 90)
    api_group.all_are_ready(lab)


def devices_of_the_group(lab):
    return {pod: data_of(lab, pod)["device_id"] for pod in api_group.REPLICAS}


def test_a_group_becomes_the_stock_program_and_ours_again(lab, tailrender, scratch, group):
    """The devices, their Service and its certificate stay."""
    lab.verb("release", NEWEST)
    before, certificate = devices_of_the_group(lab), api_group.shared_serial(lab)
    for dataplane, containers in (("containerboot", 1), ("native", 2)):
        api_group.apply_group(lab, tailrender, scratch, values("true"), dataplane)
        assert {len(lab.get("pod", pod, "-n", NAMESPACE)["spec"]["containers"]) for pod in api_group.REPLICAS} == {containers}
        lab.wait(f"kubectl is let in by {dataplane}", lambda: gets_the_pod(lab))
        code, said = kubectl(lab, "auth", "whoami", name=api_group.SERVICE)
        assert code == 0 and GROUP in said and "client." in said
        assert devices_of_the_group(lab) == before and usable_keys(lab) == []
        assert api_group.shared_serial(lab) == certificate


@pytest.fixture(scope="module")
def token(lab):
    """Of one who may view."""
    lab.kubectl("create", "serviceaccount", "person", "-n", "default")
    lab.kubectl("create", "clusterrolebinding", "person", "--clusterrole=view", "--serviceaccount=default:person")
    return lab.kubectl("create", "token", "person", "-n", "default").strip()


def counts_as_its_own(lab, token, name):
    """What the client says it is, not its grant."""
    words = ("get", "pod", "hello", "-o", "name", "--request-timeout=5s")
    lab.wait("kubectl is let in", lambda: kubectl(lab, *words, token=token, name=name) == (0, "pod/hello\n"), 90)
    code, said = kubectl(lab, "auth", "can-i", "delete", "pods", token=token, name=name)
    assert (code, said.strip().splitlines()[-1]) == (1, "no")
    assert kubectl(lab, *words, name=name)[0] != 0, "with credentials that count nowhere"


def test_noauth_of_a_group_leaves_the_credentials_to_the_client(lab, tailrender, scratch, group, token):
    before = devices_of_the_group(lab)
    api_group.apply_group(lab, tailrender, scratch, values("true"), mode="noauth")
    counts_as_its_own(lab, token, api_group.SERVICE)
    assert devices_of_the_group(lab) == before


def test_noauth_leaves_the_credentials_to_the_client(lab, tailrender, device, token):
    install_controller(lab, tailrender, values("noauth"))
    is_ready(lab)
    lab.wait("it is the new pod", lambda: lab.get("pod", POD, "-n", NAMESPACE)["spec"]["serviceAccountName"] == SET)
    is_ready(lab)
    counts_as_its_own(lab, token, HOSTNAME)
    assert data_of(lab, POD)["device_id"] == device


def test_adopt_moves_the_operators_own_device(lab, tailrender, runtime, device):
    """What the operator keeps has the form of tailscaled's state, and the name of its Deployment."""
    lab.kubectl("scale", "deployment", "operator", "-n", NAMESPACE, "--replicas", "0")
    lab.wait("the controller has ended", lambda: lab.items("pod", "-n", NAMESPACE, "-l", "app=operator") == [])
    lab.kubectl("delete", "statefulset", SET, "-n", NAMESPACE, "--cascade=foreground")
    data = {key: value for key, value in lab.get("secret", POD, "-n", NAMESPACE)["data"].items() if key.startswith(("_", "profile-"))}
    lab.kubectl("delete", "secret", POD, POD + "-auth", "-n", NAMESPACE)
    lab.apply([{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "operator", "namespace": NAMESPACE}, "data": data}])
    install_controller(lab, tailrender, values("true"))
    lab.wait("the controller says why it waits", lambda: [event for event in lab.items("event", "-n", NAMESPACE) if "the operator's own device" in event["message"]])
    assert lab.get("secret", POD + "-auth", "-n", NAMESPACE) is None and usable_keys(lab) == []
    assert f"{POD}: runs as {device} " in adopt(lab, runtime)
    lab.wait("the controller has noted its device", lambda: lab.get("secret", POD + "-auth", "-n", NAMESPACE)["metadata"]["annotations"].get(NOTED) == device)
    assert data_of(lab, POD)["device_id"] == device and usable_keys(lab) == []
    assert lab.tailnet.device(device)["name"].split(".")[0] == HOSTNAME
    adopt(lab, runtime, "--finish")
    assert lab.get("secret", "operator", "-n", NAMESPACE) is None


def test_is_removed_with_its_device(lab, device):
    lab.kubectl("delete", "statefulset", SET, "-n", NAMESPACE, "--cascade=foreground")
    lab.confirm_removals()
    lab.wait("the state is deleted", lambda: lab.get("secret", POD, "-n", NAMESPACE) is None)
    assert lab.tailnet.device(device)["deletedBy"]


def test_joins_and_serves_from_a_namespace_of_its_own(lab, tailrender):
    """Where the controller may create nothing, and the chart's account is. The one before it was deleted, and its device with it."""
    ours = {"tailrender": VALUES["tailrender"] | {"apiProxyNamespace": APART}}
    install_controller(lab, tailrender, values("true") | ours)
    place = ("-n", APART)

    def data():
        return (lab.get("secret", POD, *place) or {}).get("data") or {}
    device = base64.b64decode(lab.wait("the device is known", lambda: data().get("device_id"))).decode()
    lab.wait("its key is blank", lambda: (lab.get("secret", POD + "-auth", *place).get("data") or {}).get("authkey") == "")
    assert usable_keys(lab) == [] and lab.tailnet.device(device)["tags"] == ["tag:k8s-operator"]
    name = f"{HOSTNAME}.{lab.inner['LAB_DOMAIN']}"
    certificate = dict(zip((name + ".crt", name + ".key"), signed(lab, name)))
    lab.kubectl("patch", "secret", POD, *place, "--type", "merge", "-p", json.dumps({"stringData": certificate}))
    lab.kubectl("delete", "pod", POD, *place)
    lab.kubectl("rollout", "status", "statefulset", SET, *place, "--timeout", "240s")
    lab.tailnet.ok("POST", "/admin/grants", {CAPABILITY: [{"impersonate": {"groups": [GROUP]}}]})
    lab.wait("kubectl is let in", lambda: kubectl(lab, "get", "pod", "hello", "-o", "name") == (0, "pod/hello\n"), 90)
    lab.kubectl("delete", "statefulset", SET, *place, "--cascade=foreground")
    lab.kubectl("delete", "secret", POD, POD + "-auth", *place)
    lab.confirm_removals()
    lab.wait("its device is removed", lambda: lab.tailnet.device(device).get("deletedBy"))
    assert lab.get("secret", POD + "-auth", "-n", NAMESPACE) is None

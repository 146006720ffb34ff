"""Tests the lab: a rendered proxy with stock containerboot joins the tailnet, a client fetches a page through it, and nothing is left.

The test plays the controller: it makes the state Secret, mints an auth key by the Tailscale API and makes the auth Secret. Before there is
a state Secret, containerboot and tailrender-proxy end and say so. A client without UDP fetches the page through the tailnet's relay. The
commands that `up` prints work. A second run in the same folder, runs that are killed half-way and folders of others end as they should,
with a message if something is impossible. A machine gets a certificate of the ACME server.
"""
import base64
import os
import signal
import subprocess

import pytest

import ends
import messages
from authority import orders
from harness import Lab
from hello import namespaces_first, page, rendered
from relay import machine_uses_the_relay
from installed import LOGGED_OUT, STOCK
from shared.checks import attempt
from shared.fleet import ROOT
from traces import machine

COVERS = ["renderer/generate/workload"]
PROGRAMS = ["lab"]
SHOWN = {"cluster": "program", "tailnet": "client", "API": "access_token", "state": '"devices"', "logs": "kubelet.log"}


def secret(name, labels, **data):
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "tailscale", "labels": labels}, "data": encoded}


def play_controller(lab, proxy):
    tags = proxy["metadata"]["annotations"]["tailrender.dev/tags"].split(",")
    pod, labels = proxy["metadata"]["name"] + "-0", proxy["metadata"]["labels"]
    key = lab.tailnet.mint(tags, "apps hello-lb")
    lab.apply([secret(pod, labels)], "controller")
    lab.apply([secret(pod + "-auth", labels, authkey=key["key"])], "controller")
    return pod, key


def needs_its_state_secret(lab, proxy, program, root):
    """With the rights of the rendered account, as in a pod whose auth Secret was made first."""
    account, pod = proxy["spec"]["template"]["spec"]["serviceAccountName"], proxy["metadata"]["name"] + "-0"
    files = root / "var/run/secrets/kubernetes.io/serviceaccount"
    files.mkdir(parents=True, exist_ok=True)
    token = lab.kubectl("create", "token", account, "-n", "tailscale")
    for name, text in (("token", token), ("namespace", "tailscale"), ("ca.crt", lab.run("cat", lab.inner["LAB"] + "/ca.crt"))):
        (files / name).write_text(text)
    done = subprocess.run([program], text=True, check=False, timeout=60, preexec_fn=lab.enter, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={
        **lab.inner, "KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443", "KUBERNETES_SERVICE_PORT_HTTPS": "443",
        "TS_KUBERNETES_READ_API_SERVER_ADDRESS_FROM_ENV": "true", "TS_TEST_ONLY_ROOT": str(root), "POD_NAME": pod, "POD_UID": "uid", "TS_KUBE_SECRET": pod,
        "TS_USERSPACE": "true"})
    assert done.returncode == 1 and f"tailscale state Secret {pod} does not exist and we don't have permissions to create it" in done.stdout, done.stdout


def device_of(lab, pod):
    data = (lab.get("secret", pod, "-n", "tailscale") or {}).get("data", {})
    return base64.b64decode(data["device_id"]).decode() if {"device_id", "device_fqdn"} <= data.keys() else None


def check_key(lab, key, device, tags):
    state = lab.tailnet.state()
    [minted] = [known for known in state["keys"] if known["id"] == key["id"]]
    assert minted["spent"] and minted["devices"] == [device]
    joined = lab.tailnet.device(device)
    found = (joined["name"], joined["tags"], joined["key"])
    assert found == ("apps-hello-lb.lab.ts.net", tags, key["id"]), "device"
    assert state["rejections"] == [], "refused registrations"


def tailnet_status(lab, name):
    return lab.run("tailscale", "status", on=name)


def test_machine_joins(lab):
    print(f"up after {lab.up_seconds:.1f} s")
    lab.verb("status")
    lab.verb("join", "second")
    lab.wait("the machines see each other", lambda: " second " in tailnet_status(lab, "client") and " client " in tailnet_status(lab, "second"))


def test_machine_gets_a_certificate(lab):
    """The certificate is ordered once: the second time it is cached. For another name the machine gets none."""
    def ask(name):
        files = (f"--{end}-file={lab.inner['LAB']}/{name}.{end}" for end in ("cert", "key"))
        return lab.verb("run", "--on", "client", "tailscale", "cert", *files, f"{name}.lab.ts.net", check=False)
    for _ in range(2):
        assert ask("client").returncode == 0
    lab.run("sh", "-c", 'cd "$LAB" && openssl verify -CAfile trusted.crt -untrusted client.cert -verify_hostname client.lab.ts.net client.cert')
    assert (orders(lab, "client.lab.ts.net"), ask("second").returncode, orders(lab, "second.lab.ts.net")) == (1, 1, 0)


def test_messages(lab):
    messages.with_a_lab(lab)


def test_any_name_is_a_machines(lab):
    """A name may also be a word of `ip link`."""
    lab.verb("join", "type")
    assert lab.run("true", on="type") == "", "what a machine says"


def test_program_runs_in_a_pod(lab, tailrender):
    lab.verb("image", "lab/tailrender:1", str(tailrender))
    lab.kubectl("run", "program", "--image=lab/tailrender:1", "--image-pull-policy=Never", "--restart=Never", "--", "--version")
    lab.wait("the program runs", lambda: lab.get("pod", "program")["status"]["phase"] == "Succeeded")
    assert "tailrender" in lab.kubectl("logs", "program")


def test_what_up_says_works(lab):
    """Each line that `up` prints is a name and a command that can be pasted."""
    found = {name: attempt("bash", "-c", command, env=lab.environment, cwd=ROOT)
             for name, command in (line.split(":", 1) for line in lab.said.splitlines())}
    assert list(found) == list(SHOWN)
    for name, done in found.items():
        assert done.returncode == 0 and SHOWN[name] in done.stdout


def test_proxy_carries_a_page(lab, tailrender, proxy, tmp_path):
    objects = rendered(tailrender, lab.tailnet.url, STOCK)
    rendered_set = next(item for item in objects if item["kind"] == "StatefulSet")
    namespaces_first(lab, objects)
    for program in ("containerboot", proxy):
        needs_its_state_secret(lab, rendered_set, program, tmp_path)
    pod, key = play_controller(lab, rendered_set)
    device = lab.wait("the proxy joins the tailnet", lambda: device_of(lab, pod))
    check_key(lab, key, device, ["tag:k8s", "tag:hello"])
    found = lab.wait("a page through the proxy", lambda: page(lab, "apps-hello-lb." + lab.inner["LAB_DOMAIN"]))
    assert found == "hello from the lab\n"
    machine_uses_the_relay(lab, "apps-hello-lb." + lab.inner["LAB_DOMAIN"])
    deleted_device_is_logged_out(lab, device)
    spent_key_is_refused_and_a_new_one_joins(lab, rendered_set, device)


def deleted_device_is_logged_out(lab, device):
    lab.tailnet.ok("DELETE", "/admin/devices/" + device)
    lab.wait("the client loses the peer", lambda: "apps-hello-lb" not in tailnet_status(lab, "client"))
    assert lab.tailnet.device(device)["deletedBy"] == "admin", "who deleted the device"


def spent_key_is_refused_and_a_new_one_joins(lab, proxy, old):
    pod = proxy["metadata"]["name"] + "-0"
    refusals = lab.wait("the proxy tries its spent key", lambda: lab.tailnet.state()["rejections"])
    assert "already used" in refusals[0]["reason"]
    lab.wait("the proxy asks for another key", lambda: "reissue_authkey" in lab.get("secret", pod, "-n", "tailscale")["data"])
    play_controller(lab, proxy)
    lab.kubectl("delete", "pod", pod, "-n", "tailscale", "--grace-period", "1")
    new = lab.wait("the proxy joins again", lambda: device_of(lab, pod) not in (None, old, LOGGED_OUT) and device_of(lab, pod))
    assert lab.tailnet.device(new)["name"] == "apps-hello-lb.lab.ts.net", "name of the new device"


def test_failures_are_explained(lab):
    messages.with_an_ended_machine(lab)
    messages.failures_are_explained(lab)


def test_search_finds_what_is_there(lab):
    found = lab.left()
    for what in (str(lab.folder), "/bin/busybox sleep infinity", "containerd-shim", "/sys/fs/cgroup/"):
        assert any(what in line for line in found)
    with lab.network():
        inside = machine()
    for what in ("links", "tables"):
        assert inside[what] != lab.before[what]


def test_folder_is_cleared(lab):
    messages.without_its_folder(lab)


def test_again_in_the_same_folder_and_killed(tools):
    lab = Lab()
    with lab:
        pass
    with lab:
        os.kill(lab.keeper(), signal.SIGKILL)
        lab.wait("its first process has ended", lambda: lab.verb("status", check=False).returncode == 1)
        messages.end_is_explained(lab)


def test_without_a_lab(tools):
    messages.without_a_lab()


@pytest.mark.parametrize("end", ends.ALL)
def test_ends_well(tools, end):
    end()

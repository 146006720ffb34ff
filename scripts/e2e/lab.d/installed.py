"""A lab with our controller in it: installed as `tailrender install` renders it, from a local binary. Rendered proxies find their image by
`give_proxy_image`, or run the lab's own with STOCK among the settings."""
import base64
import contextlib
import subprocess
import tempfile

import yaml

from harness import Lab
from hello import namespaces_first
from parity_release import NEWEST, RELEASES
from shared.checks import documents, run
from shared.images import PROXY

NAMESPACE = "tailscale"
LOGGED_OUT = "gone"  # the name that the test's control server gives to a deleted device
VALUES = {"oauth": {}, "operatorConfig": {"logging": "info"},
          "tailrender": {"cleanupDelay": "2s", "image": {"repository": "lab/runtime", "tag": "1", "pullPolicy": "Never"},
                         "proxyImage": {"repository": PROXY}}}
STOCK = "tailrender.dataplane=containerboot"


def proxy_image(tailrender):
    """Returns the image that rendered proxies run whose values name that repository."""
    return f"{PROXY}:v{run(tailrender, '--version').split()[1]}-{RELEASES[NEWEST]}"


def give_proxy_image(lab, tailrender, proxy, release=NEWEST):
    """Gives the lab that image, with tailscaled of another release."""
    lab.verb("proxy", proxy_image(tailrender), str(proxy), release)


def rendered_controller(lab, tailrender, more=None):
    """Returns the objects of `tailrender install`, and the Secret that they refer to; with further values."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as values:
        yaml.safe_dump(VALUES | {"loginServer": lab.tailnet.url} | (more or {}), values)
        values.flush()
        text = run(tailrender, "install", "--values", values.name, "--quiet")
    credentials = {"client_id": lab.inner["LAB_OAUTH_ID"], "client_secret": lab.inner["LAB_OAUTH_SECRET"]}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "operator-oauth", "namespace": NAMESPACE},
              "stringData": credentials}
    return documents(text) + [secret]


@contextlib.contextmanager
def lab_with_runtime(runtime, **environment):
    """Runs a lab with our image."""
    with Lab(**environment) as lab:
        lab.verb("image", "lab/runtime:1", str(runtime))
        yield lab


def install_controller(lab, tailrender, more=None):
    namespaces_first(lab, rendered_controller(lab, tailrender, more))

    def runs():
        deployment = lab.get("deployment", "operator", "-n", NAMESPACE)
        return deployment["status"].get("observedGeneration") == deployment["metadata"]["generation"] and \
            deployment["status"].get("updatedReplicas") and deployment["status"].get("readyReplicas")
    lab.wait("the controller is ready", runs)


@contextlib.contextmanager
def lab_with_controller(tailrender, runtime, more=None, **environment):
    with lab_with_runtime(runtime, **environment) as lab:
        install_controller(lab, tailrender, more)
        yield lab


def data_of(lab, secret):
    found = (lab.get("secret", secret, "-n", NAMESPACE) or {}).get("data") or {}
    return {key: base64.b64decode(value).decode(errors="replace") for key, value in found.items()}


def adopt(lab, runtime, *flags, code=0):
    """Returns what `adopt` prints beside the node."""
    found, said = lab.as_a_person(runtime.with_name("tailrender-adopt"), *flags)
    assert found == code, f"exit code of adopt {' '.join(flags)}, which says\n{said}\n"
    return said


def adopt_and_kill(lab, runtime, wait):
    """Returns whether `adopt` was killed, after `wait()`; otherwise it had already ended."""
    process = subprocess.Popen([runtime.with_name("tailrender-adopt")], env=lab.inner, preexec_fn=lab.enter, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    try:
        wait()
    finally:
        ended = process.poll()
        process.kill()
        process.wait()
    assert ended in (None, 0), "exit code of a run that was not killed"
    return ended is None


def answer_of(lab, path):
    """Returns the rendered controller's answer to Prometheus and the kubelet, which must be 200."""
    [pod] = [item for item in lab.get("pod", "-n", NAMESPACE, "-l", "app=operator")["items"] if "deletionTimestamp" not in item["metadata"]]
    [port] = [port["containerPort"] for port in pod["spec"]["containers"][0]["ports"]]
    return lab.run("curl", "-sS", "--fail", "--max-time", "10", f"http://{pod['status']['podIP']}:{port}{path}")


def metrics_of(lab):
    """Returns {name, or name{labels}: number}."""
    lines = [line.rsplit(" ", 1) for line in answer_of(lab, "/metrics").splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


def usable_keys(lab):
    return [key["id"] for key in lab.tailnet.state()["keys"] if key.get("description", "").startswith("tailrender-") and
            not key.get("spent") and not key.get("revoked")]


def joins(lab, pod, old=None):
    """Waits until the pod has a device other than `old`, and returns it."""
    def device():
        data = data_of(lab, pod)
        return data.get("device_fqdn") and data.get("device_id") not in (old, LOGGED_OUT) and data["device_id"]
    found = lab.wait("the device is known", device)
    lab.wait("the key is blank", lambda: data_of(lab, pod + "-auth").get("authkey") == "")
    assert usable_keys(lab) == [], "keys that could still be used"
    return found

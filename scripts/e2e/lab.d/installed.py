"""A lab with our controller in it: installed as `tailrender install` renders it, from a local binary. Rendered proxies find their image by
`give_proxy_image`, or run the lab's own with STOCK among the settings."""
import base64
import collections.abc
import contextlib
import pathlib
import subprocess
import tempfile
import typing

import yaml

from harness import Lab
from hello import namespaces_first
from parity_release import NEWEST, RELEASES
from shared.checks import Object, documents, run
from shared.images import PROXY

NAMESPACE = "tailscale"
LOGGED_OUT = "gone"  # the name that the test's control server gives to a deleted device
VALUES: Object = {"oauth": {}, "operatorConfig": {"logging": "info"},
                  "tailrender": {"cleanupDelay": "2s", "image": {"repository": "lab/runtime", "tag": "1", "pullPolicy": "Never"},
                                 "proxyImage": {"repository": PROXY}}}
STOCK = "tailrender.dataplane=containerboot"


def proxy_image(tailrender: pathlib.Path) -> str:
    """Returns the image that rendered proxies run whose values name that repository."""
    return f"{PROXY}:v{run(tailrender, '--version').split()[1]}-{RELEASES[NEWEST]}"


def give_proxy_image(lab: Lab, tailrender: pathlib.Path, proxy: pathlib.Path, release: str = NEWEST) -> None:
    """Gives the lab that image, with tailscaled of another release."""
    lab.verb("proxy", proxy_image(tailrender), str(proxy), release)


def rendered_controller(lab: Lab, tailrender: pathlib.Path, more: Object | None = None) -> list[Object]:
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
def lab_with_runtime(runtime: pathlib.Path, **environment: typing.Any) -> collections.abc.Iterator[Lab]:
    """Runs a lab with our image."""
    with Lab(**environment) as lab:
        lab.verb("image", "lab/runtime:1", str(runtime))
        yield lab


def install_controller(lab: Lab, tailrender: pathlib.Path, more: Object | None = None) -> None:
    namespaces_first(lab, rendered_controller(lab, tailrender, more))

    def runs() -> object:
        deployment = lab.get("deployment", "operator", "-n", NAMESPACE)
        return deployment["status"].get("observedGeneration") == deployment["metadata"]["generation"] and \
            deployment["status"].get("updatedReplicas") and deployment["status"].get("readyReplicas")
    lab.wait("the controller is ready", runs)


@contextlib.contextmanager
def lab_with_controller(tailrender: pathlib.Path, runtime: pathlib.Path, more: Object | None = None,
                        **environment: typing.Any) -> collections.abc.Iterator[Lab]:
    with lab_with_runtime(runtime, **environment) as lab:
        install_controller(lab, tailrender, more)
        yield lab


def data_of(lab: Lab, secret: str) -> dict[str, str]:
    found = (lab.get("secret", secret, "-n", NAMESPACE) or {}).get("data") or {}
    return {key: base64.b64decode(value).decode(errors="replace") for key, value in found.items()}


def adopt(lab: Lab, runtime: pathlib.Path, *flags: str, code: int = 0) -> str:
    """Returns what `adopt` prints beside the node."""
    found, said = lab.as_a_person(runtime.with_name("tailrender-adopt"), *flags)
    assert found == code, f"exit code of adopt {' '.join(flags)}, which says\n{said}\n"
    return said


def adopt_and_kill(lab: Lab, runtime: pathlib.Path, wait: collections.abc.Callable[[], object]) -> bool:
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


def answer_of(lab: Lab, path: str) -> str:
    """Returns the rendered controller's answer to Prometheus and the kubelet, which must be 200."""
    [pod] = [item for item in lab.get("pod", "-n", NAMESPACE, "-l", "app=operator")["items"] if "deletionTimestamp" not in item["metadata"]]
    [port] = [port["containerPort"] for port in pod["spec"]["containers"][0]["ports"]]
    return lab.run("curl", "-sS", "--fail", "--max-time", "10", f"http://{pod['status']['podIP']}:{port}{path}")


def metrics_of(lab: Lab) -> dict[str, float]:
    """Returns {name, or name{labels}: number}."""
    lines = [line.rsplit(" ", 1) for line in answer_of(lab, "/metrics").splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


def usable_keys(lab: Lab) -> list[str]:
    return [key["id"] for key in lab.tailnet.state()["keys"] if key.get("description", "").startswith("tailrender-") and
            not key.get("spent") and not key.get("revoked")]


def joins(lab: Lab, pod: str, old: str | None = None) -> str:
    """Waits until the pod has a device other than `old`, and returns it."""
    def device() -> typing.Any:
        data = data_of(lab, pod)
        return data.get("device_fqdn") and data.get("device_id") not in (old, LOGGED_OUT) and data["device_id"]
    found: str = lab.wait("the device is known", device)
    lab.wait("the key is blank", lambda: data_of(lab, pod + "-auth").get("authkey") == "")
    assert usable_keys(lab) == [], "keys that could still be used"
    return found

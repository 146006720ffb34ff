"""The reference operator itself in a lab: its program, its chart as it is released, and what a user has in the repository of a cluster
(testdata/e2e/operator).

    operator_in(lab)            its release, not yet installed
    operators_api_proxy(lab)    its proxy of the Kubernetes API
    devices_of(lab)             all that the tailnet has ever had, by name
    names_of_the_operator(lab)  that are random
    longest_gaps(lab, pages)    of pages that are fetched all the time inside the block
"""
import collections.abc
import contextlib
import pathlib
import subprocess
import tempfile
import time

from authority import signed
from harness import SCRIPT, Lab
from installed import NAMESPACE
from shared.fleet import ROOT
from shared.operator_source import write_chart

REPOSITORY = ROOT / "testdata" / "e2e" / "operator"
VALUES = REPOSITORY / "values.yaml"
RELEASE = "tailscale-operator"


class Operator:
    """The operator's release in a lab. The user writes the Secret with its credentials."""

    def __init__(self, lab: Lab, folder: str) -> None:
        self.lab = lab
        version = write_chart(pathlib.Path(folder, "chart"))
        lab.run("helm", "package", f"{folder}/chart", "--destination", folder)
        self.chart = f"{folder}/{RELEASE}-{version[1:]}.tgz"
        lab.verb("release", "1.96")
        lab.verb("image", f"docker.io/tailscale/k8s-operator:{version}", lab.run("sh", "-c", "command -v k8s-operator").strip())
        credentials = {"client_id": lab.inner["LAB_OAUTH_ID"], "client_secret": lab.inner["LAB_OAUTH_SECRET"]}
        lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
        lab.apply([{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "operator-oauth", "namespace": NAMESPACE}, "stringData": credentials}])

    def upgrade(self, *flags: str) -> None:
        self.lab.run("helm", "upgrade", "--install", RELEASE, self.chart, "--namespace", NAMESPACE, "--values", str(VALUES), *flags)


@contextlib.contextmanager
def operator_in(lab: Lab) -> collections.abc.Iterator[Operator]:
    with tempfile.TemporaryDirectory() as folder:
        yield Operator(lab, folder)


@contextlib.contextmanager
def operators_api_proxy(lab: Lab) -> collections.abc.Iterator[str]:
    """Yields the URL of the API proxy that runs in the operator, whose certificate exists before it does."""
    domain = f"{RELEASE}.{lab.inner['LAB_DOMAIN']}"
    with operator_in(lab) as operator:
        certificate, key = signed(lab, domain)
        lab.apply([{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "operator", "namespace": NAMESPACE},
                    "stringData": {domain + ".crt": certificate, domain + ".key": key}}])
        authority = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"
        operator.upgrade("--set-string", "apiServerProxyConfig.mode=true", "--set",
                         f"operatorConfig.extraEnv[1].name=SSL_CERT_FILE,operatorConfig.extraEnv[1].value={authority}")
        yield f"https://{domain}"


def devices_of(lab: Lab) -> dict[str, tuple[str, str, bool]]:
    """Returns all devices that the tailnet has ever had, by name: node id, address, and whether it was deleted."""
    return {device["name"]: (device["nodeId"], device["addresses"][0], bool(device.get("deletedBy"))) for device in lab.tailnet.state()["devices"]}


def names_of_the_operator(lab: Lab) -> set[str]:
    """Returns the names of its StatefulSets that have random names."""
    return {item["metadata"]["name"] for item in lab.items("services", "-n", NAMESPACE) if "generateName" in item["metadata"]}


FETCH = """
while [ -e "$LAB/fetching" ]; do
    ! curl -sf -o /dev/null --max-time 1 "$1" || date +%s.%N
    sleep 0.3
done"""


@contextlib.contextmanager
def longest_gaps(lab: Lab, pages: dict[str, str | None]) -> collections.abc.Iterator[dict[str, float]]:
    """Yields seconds by URL, once the block has ended. pages: URL and the machine that fetches it, None beside the node."""
    gaps: dict[str, float] = {}
    lab.run("touch", lab.inner["LAB"] + "/fetching")
    processes = {url: subprocess.Popen([SCRIPT, "run", *(["--on", place] if place else []), "sh", "-c", FETCH, "sh", url], env=lab.environment,
                                       text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for url, place in pages.items()}
    begun = time.time()
    try:
        yield gaps
    finally:
        lab.run("rm", lab.inner["LAB"] + "/fetching")
        for url, process in processes.items():
            seen = [begun, *map(float, process.communicate()[0].split()), time.time()]
            gaps[url] = max(later - earlier for earlier, later in zip(seen, seen[1:]))

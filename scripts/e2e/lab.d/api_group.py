"""A ProxyGroup of type kube-apiserver, in a lab with our controller: a certificate of the lab's ACME server, and two replicas."""
import collections.abc
import pathlib
import yaml

from harness import Lab
from installed import NAMESPACE, data_of
from shared.checks import Object, documents, run
from shared.images import OWN_IMAGES

GROUP, SERVICE = "apis", "prod-api"
REPLICAS = (GROUP + "-0", GROUP + "-1")


def objects(lab: Lab, dataplane: str, mode: str) -> list[Object]:
    container = {"env": [{"name": "TS_DEBUG_ACME_DIRECTORY_URL", "value": lab.inner["LAB_ACME"]}]}
    return [{"apiVersion": "tailscale.com/v1alpha1", "kind": "ProxyClass", "metadata": {"name": "lab", "annotations": {"tailrender.dev/dataplane": dataplane}},
             "spec": {"statefulSet": {"pod": {"tailscaleContainer": container}}}},
            {"apiVersion": "tailscale.com/v1alpha1", "kind": "ProxyGroup", "metadata": {"name": GROUP},
             "spec": {"type": "kube-apiserver", "tags": ["tag:k8s-api"], "proxyClass": "lab", "kubeAPIServer": {"mode": mode, "hostname": SERVICE}}}]


def named(item: Object) -> tuple[str, str, str]:
    metadata = item["metadata"]
    return item["kind"], metadata["name"], metadata.get("namespace", "")


def apply_group(lab: Lab, tailrender: pathlib.Path, folder: pathlib.Path, values: Object, dataplane: str = "native", mode: str = "auth") -> None:
    """Applies the group and waits until all its pods are rolled out. Objects that are no longer rendered are pruned, as GitOps tools do.
    `values` are those of the controller."""
    (folder / "apps").mkdir(exist_ok=True)
    (folder / "apps/group.yaml").write_text(yaml.safe_dump_all(objects(lab, dataplane, mode)))
    (folder / "values.yaml").write_text(yaml.safe_dump(values | {"loginServer": lab.tailnet.url}))
    settings = (*OWN_IMAGES, "--set", "tailrender.tailnetDomain=" + lab.inner["LAB_DOMAIN"], "--set", "tailrender.namespace=" + NAMESPACE)
    text = run(tailrender, "render", folder / "apps", "--values", folder / "values.yaml", "--quiet", *settings)
    rendered = documents(text)
    lab.apply(rendered)
    applied = folder / "applied.yaml"
    before = documents(applied.read_text()) if applied.exists() else []
    for kind, name, namespace in set(map(named, before)) - set(map(named, rendered)):
        lab.kubectl("delete", kind, name, "-n", namespace)
    applied.write_text(text)
    all_are_ready(lab)


def all_are_ready(lab: Lab) -> None:
    lab.kubectl("rollout", "status", "statefulset", GROUP, "-n", NAMESPACE, "--timeout", "240s")


def domain(lab: Lab) -> str:
    return f"{SERVICE}.{lab.inner['LAB_DOMAIN']}"


def shared_serial(lab: Lab) -> str:
    """Returns the serial number of the certificate in the Secret that both share."""
    return lab.verb("run", "openssl", "x509", "-noout", "-serial", text=data_of(lab, domain(lab))["tls.crt"]).stdout.strip()


def uid(lab: Lab, pod: str) -> str | None:
    found = lab.get("pod", pod, "-n", NAMESPACE)
    return found and found["metadata"]["uid"]


def requests_of(lab: Lab, pod: str) -> int:
    address = lab.get("pod", pod, "-n", NAMESPACE)["status"]["podIP"]
    [line] = [line for line in lab.run("curl", "-sSf", "--max-time", "10", f"http://{address}:9002/metrics").splitlines()
              if line.startswith("k8s_auth_proxy_requests_proxied ")]
    return int(line.split()[-1])


def serving(lab: Lab, ask: collections.abc.Callable[[], object]) -> str:
    """Returns the replica that serves a client of the tailnet."""
    before = {pod: requests_of(lab, pod) for pod in REPLICAS}
    ask()
    [found] = [pod for pod in REPLICAS if requests_of(lab, pod) > before[pod]]
    return found

"""Service apps/hello-lb of examples/fleet in the lab: what is rendered for it, and the page that it serves."""
import pathlib

from harness import Lab
from shared.checks import Object, documents, run
from shared.fleet import FLEET

PARENT = {"tailscale.com/parent-resource": "hello-lb", "tailscale.com/parent-resource-ns": "apps"}


def rendered(tailrender: pathlib.Path, login_server: str, *settings: str) -> list[Object]:
    """Returns the objects of examples/fleet that publish Service apps/hello-lb, and the published ones."""
    values = [word for setting in ("loginServer=" + login_server, *settings) for word in ("--set", setting)]
    chosen = []
    for item in documents(run(tailrender, "render", FLEET, "--cluster", "ozilab", "--quiet", *values)):
        meta = item["metadata"]
        kind, name = item["kind"], meta["name"]
        if PARENT.items() <= meta.get("labels", {}).items() or (kind, name) == ("Namespace", "tailscale") or \
                meta.get("namespace") == "apps" and (kind, name) in (("Deployment", "hello"), ("Service", "hello-lb")):
            chosen.append(item)
    deployment = next(item for item in chosen if item["kind"] == "Deployment")
    deployment["spec"]["template"]["spec"]["containers"][0].update(image="lab/hello:1", imagePullPolicy="Never")
    next(item for item in chosen if item["metadata"]["name"] == "hello-lb")["spec"]["ipFamilyPolicy"] = "PreferDualStack"
    return chosen


def namespaces_first(lab: Lab, objects: list[Object]) -> None:
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps"}}] +
              [item for item in objects if item["kind"] == "Namespace"])
    lab.apply([item for item in objects if item["kind"] != "Namespace"])


def page(lab: Lab, host: str) -> str:
    return lab.run("curl", "-sS", "--max-time", "10", f"http://{host}/", on="client")

"""The source of the reference operator, as scripts/e2e/tools pins it."""
import json
import pathlib

from shared.checks import run

MODULE = pathlib.Path(__file__).resolve().parent.parent / "modules" / "operator"


def operator_source():
    """Its version, and its folder."""
    told = json.loads(run("go", "mod", "download", "-json", "tailscale.com", env={"GOWORK": "off", "GOFLAGS": "-mod=readonly"}, cwd=MODULE))
    return told["Version"], pathlib.Path(told["Dir"], "cmd", "k8s-operator")

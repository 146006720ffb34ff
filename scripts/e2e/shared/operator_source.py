"""The sources of the reference operator's releases, as scripts/e2e/tools pins them."""
import functools
import json
import pathlib
import re
import shutil

from parity_release import OLDEST
from shared.checks import run

MODULES = pathlib.Path(__file__).resolve().parent.parent / "modules"
# A release may need a newer Go than the installed one, which is then downloaded as a module.
GO = {"GOWORK": "off", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "auto"}


@functools.cache
def operator_source(release: str = OLDEST) -> tuple[str, pathlib.Path]:
    """Returns the release's version, and the folder of its sources."""
    module = MODULES / ("operator" if release == OLDEST else f"operator-{release}")
    told = json.loads(run("go", "mod", "download", "-json", "tailscale.com", env=GO, cwd=module))
    return told["Version"], pathlib.Path(told["Dir"], "cmd", "k8s-operator")


def write_chart(folder: pathlib.Path, release: str = OLDEST) -> str:
    """Writes its chart as it is released: with its version, and the CRDs among the templates. Returns the version."""
    version, source = operator_source(release)
    shutil.copytree(source / "deploy" / "chart", folder, copy_function=shutil.copyfile)
    for one in (folder, folder / "templates"):
        one.chmod(0o755)
    head = folder / "Chart.yaml"
    text = re.sub(r"(?m)^version: .*", f"version: {version[1:]}", head.read_text(encoding="utf-8"))
    head.write_text(re.sub(r"(?m)^appVersion: .*", f"appVersion: {version}", text), encoding="utf-8")
    for crd in (source / "deploy" / "crds").iterdir():
        text = "{{ if .Values.installCRDs -}}\n" + crd.read_text(encoding="utf-8") + "{{- end -}}"
        (folder / "templates" / crd.name).write_text(text, encoding="utf-8")
    return version

"""The source of the reference operator, as scripts/e2e/tools pins it."""
import json
import pathlib
import re
import shutil

from shared.checks import run

MODULE = pathlib.Path(__file__).resolve().parent.parent / "modules" / "operator"


def operator_source():
    """Its version, and its folder."""
    told = json.loads(run("go", "mod", "download", "-json", "tailscale.com", env={"GOWORK": "off", "GOFLAGS": "-mod=readonly"}, cwd=MODULE))
    return told["Version"], pathlib.Path(told["Dir"], "cmd", "k8s-operator")


def write_chart(folder):
    """Its chart as it is released: with its version, and the CRDs among the templates. Returns the version."""
    version, source = operator_source()
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

"""The commands of plugins/kpt/README.md, with the real kpt and an API server.

The manifests of examples/fleet/apps are a package: rendered in place it holds the objects that `tailrender render` makes of them; a second
run changes no byte of it, a deleted manifest takes its proxies along, a refusal changes nothing and keeps our results, and `kpt live`
applies all of it to the cluster. Files in every style that YAML has keep their bytes.
"""
import difflib
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess

import pytest
import yaml

from shared.checks import attempt, compare, objects_of, run
from shared.fleet import FLEET, ROOT
from shared.images import OWN_IMAGES, PROXY, RUNTIME
from shared.kpt import objects_in

COVERS = ["examples/fleet", "plugins/kpt", "renderer/emit/krm", "renderer/load/krm"]
PROGRAMS = ["apiserver", "kpt"]
APPS, PLUGIN = FLEET / "apps", ROOT / "plugins" / "kpt"
TAILNET = "tailrender.tailnetDomain=tail1a2b3.ts.net"


@pytest.fixture(autouse=True)
def in_an_empty_folder(cluster, on_path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "DIR"  # named as in README
    folder.mkdir()
    for file in [*APPS.glob("*.yaml"), *(PLUGIN / name for name in ("Kptfile", "tailrender.yaml", ".krmignore"))]:
        shutil.copy(file, folder / file.name)
    return folder


def blocks():
    return re.findall(r"^```\n(.*?)^```$", (PLUGIN / "README.md").read_text(encoding="utf-8"), re.M | re.S)


def shell(script):
    return run("bash", "-euo", "pipefail", "-c", script)


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rendered(source):
    """Returns what is rendered of the manifests without the operator; a package keeps its custom resources."""
    return objects_of(run("tailrender", "render", source, "--namespace", "apps", "--set", "tailrender.customResources=emit", "--quiet", "--set", TAILNET, *OWN_IMAGES))


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "sources"
    shutil.copytree(APPS, folder, ignore=shutil.ignore_patterns("fleet.yaml"))
    return folder


def test_render_in_place(package, sources):
    [command] = blocks()[0].splitlines()
    before = contents(package)
    shell(command)
    want = rendered(sources)
    compare(objects_in(package), want, "the package")
    after = contents(package)
    touched = [line for name in before if name != "Kptfile" for line in difflib.ndiff(before[name].decode().splitlines(), after[name].decode().splitlines()) if line[0] in "+-"]
    assert {re.sub(r"ts-[a-z0-9-]+", "…", line) for line in touched} == {
        "+   namespace: apps", "-   externalName: placeholder", "+   externalName: ….tailscale.svc.cluster.local"}, touched
    assert before["tailrender.yaml"] == after["tailrender.yaml"]
    assert "namespace" not in yaml.safe_load(after["Kptfile"])["metadata"]

    shell(command)
    assert contents(package) == after, "a second run changes files"

    (package / "rds.yaml").unlink()
    (sources / "rds.yaml").unlink()
    shell(command)
    less = rendered(sources)
    assert len(less) < len(want) - 1
    compare(objects_in(package), less, "the package without rds.yaml")


STYLES = """\
# SPDX-License-Identifier: Apache-2.0
# A document that begins with comments.
apiVersion: "v1"
kind: 'Service'
metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}} # flow style
spec:
  ports:
    - port: 80 # as it stands
      name: 'http'
  selector:
    app: web
---
# Behind a separator.
apiVersion: v1
kind: ConfigMap
metadata:
  name: styles
  namespace: shop
data:
  # in between
  number: "0644"
  yes: "on"
  text: |-
    one

      two
  anchor: &x same
  alias: *x
"""
OTHERS = {
    "deployment.yaml": "# first\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  namespace: shop\n  name: web\nspec:\n  selector: {matchLabels: {app: web}}\n"
                       "  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n        - {name: web, image: \"nginx:1\", args: [--a, '--b']}\n",
    "wide.yaml": "# kpt itself rewrites this one\napiVersion: v1\nkind: Secret\nmetadata:\n    name:   wide     # far away\n    namespace: shop\nstringData:\n    folded: >\n      a long\n      line\n",
    "list.yaml": "---\n# above\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\n  namespace: shop   \n",
}


def with_styles(folder, function):
    folder.mkdir()
    for name, text in {"styles.yaml": STYLES, **OTHERS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    pipeline = {"mutators": [{"exec": function}]}
    (folder / "Kptfile").write_text(yaml.safe_dump({"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "p"}, "pipeline": pipeline}), encoding="utf-8")
    run("kpt", "fn", "render", folder, "--allow-exec")
    return {name: text.decode() for name, text in contents(folder).items() if name != "Kptfile"}


def test_files_in_every_style_keep_their_bytes(tmp_path):
    """A function that does nothing shows what kpt itself rewrites."""
    untouched = with_styles(tmp_path / "untouched", "cat")
    assert untouched["styles.yaml"] == STYLES and untouched["wide.yaml"] != OTHERS["wide.yaml"]
    found = with_styles(tmp_path / "found", "tailrender krm")
    assert {name: text for name, text in found.items() if not name.startswith("rendered/")} == untouched
    assert any(name.startswith("rendered/tailscale/statefulset_") for name in found)


def test_a_refusal_changes_nothing(package):
    service = package / "hello.yaml"
    service.write_text(service.read_text(encoding="utf-8").replace("tailscale.com/hostname: hello", "tailscale.com/hostname: hello_", 1), encoding="utf-8")
    before = contents(package)
    done = attempt("kpt", "fn", "render", package, "--allow-exec", "--results-dir", "results")
    assert done.returncode != 0 and "hello.yaml[1]: error: Service/apps/hello: " in done.stderr and "[invalid-hostname]" in done.stderr, done.stderr
    after = contents(package)
    before.pop("Kptfile")  # kpt stores the result of the run there
    after.pop("Kptfile")
    assert after == before
    entry = yaml.safe_load(pathlib.Path("results/results.yaml").read_text(encoding="utf-8"))["items"][0]["results"][0]
    assert (entry["severity"], entry["file"], entry["resourceRef"]["kind"]) == ("error", {"path": "hello.yaml", "index": 1}, "Service")
    assert entry["field"] == {"path": "metadata.annotations['tailscale.com/hostname']", "currentValue": "hello_"}


def test_kpt_runs_no_program_unasked(package):
    assert "must run with" in attempt("kpt", "fn", "render", package).stderr


def test_eval(package, sources):
    for name in ("Kptfile", "tailrender.yaml"):
        (package / name).unlink()
    values = {"image": {"repository": RUNTIME}, "proxyImage": {"repository": PROXY}}
    pathlib.Path("values.yaml").write_text(yaml.safe_dump({"tailrender": values}), encoding="utf-8")
    shell(blocks()[1])
    compare(objects_in(package), rendered(sources), "the package")


def test_live(package):
    shell(blocks()[0])
    *commands, apply = blocks()[2].strip().splitlines()
    shell("\n".join(commands))
    # There is no controller, so no object is reconciled.
    done = attempt("bash", "-c", f"{apply} --reconcile-timeout 1s --output json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [event for event in events if event.get("type") == "error" or event.get("status") == "Failed"]
    assert not failed and not re.search("(?i)error", done.stderr), (failed, done.stderr)
    want = objects_in(package)
    found = run("kubectl", "get", "-o", "name", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(want.values())}))
    assert len(found.split()) == len(want) > 100
    inventory = json.loads(run("kubectl", "get", "resourcegroups.kpt.dev", "-n", "default", "-o", "json"))["items"]
    assert len(inventory) == 1 and len(inventory[0]["spec"]["resources"]) == len(want)


def test_on_a_terminal(tailrender):
    """Run by hand without an input, the function prints what it reads from."""
    ours, theirs = pty.openpty()
    done = subprocess.run([tailrender, "krm"], stdin=theirs, capture_output=True, text=True, check=False, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert (done.returncode, done.stdout) == (2, "")
    assert "krm reads a ResourceList, and standard input is a terminal [usage]" in done.stderr

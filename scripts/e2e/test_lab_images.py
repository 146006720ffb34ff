"""Makes the images of a release twice, and runs them in a lab from these files.

Both times have the same bytes, and each layout is valid by OCI's own schemas. containerd imports them under the names that are rendered: the
controller runs from the runtime's, a proxy from the proxy's joins the tailnet and serves a page, and a Job of the renderer's renders a
kustomization with a chart. Debian's own image cannot be fetched here: debootstrap makes one of the same packages.
"""
import hashlib
import json
import shutil
import tarfile

import pytest

from harness import Lab
from hello import namespaces_first, page, rendered
from installed import NAMESPACE, VALUES, install_controller, joins
from parity_release import NEWEST, RELEASES
from shared.checks import run
from shared.debian_root import debian
from shared.fleet import ROOT
from shared.images import REGISTRY, RUNTIME

COVERS = ["plugins/image", "scripts/images", "scripts/release"]
PROGRAMS = ["lab", "formats", "helm3", "kustomize"]
NAMES = ("tailrender", "tailrender-proxy", "tailrender-runtime")
SCRIPT = """
mkdir -p /tmp/tree/app/charts/web/templates && cd /tmp/tree/app
printf 'namePrefix: prod-\\nnamespace: shop\\nhelmCharts: [{name: web, releaseName: front}]\\n' >kustomization.yaml
printf 'apiVersion: v2\\nname: web\\nversion: 1.0.0\\n' >charts/web/Chart.yaml
printf 'apiVersion: v1\\nkind: Service\\nmetadata: {name: {{ .Release.Name }}, annotations: {tailscale.com/expose: "true"}}\\nspec: {ports: [{port: 80}]}\\n' \
  >charts/web/templates/service.yaml
tailrender render /tmp/tree --only generated --quiet
"""


@pytest.fixture(scope="module")
def stock(tools, scratch):
    """Returns tailscaled with tailscale beside it, as Tailscale's archive has them."""
    folder = scratch / "stock"
    folder.mkdir()
    for name in ("tailscaled", "tailscale"):
        shutil.copy(tools / f"{name}-{NEWEST}", folder / name)
    return folder / "tailscaled"


@pytest.fixture(scope="module")
def version(tailrender):
    return run(tailrender, "--version").split()[1]


@pytest.fixture(scope="module")
def files(scratch, stock, version):
    """Returns the files of a release by the names of their images."""
    run(ROOT / "scripts/release", version, "--into", scratch / "one", "--images", "--base", debian(), "--tailscaled", stock)
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=scratch / "one")
    tags = {name: version + (f"-{RELEASES[NEWEST].removeprefix('v')}" if name == "tailrender-proxy" else "") for name in NAMES}
    found = {name: scratch / "one" / f"{name}-{tag}-oci.tar" for name, tag in tags.items()}
    assert {path.name for path in (scratch / "one").glob("*-oci.tar")} == {path.name for path in found.values()}
    return found


def test_same_bytes(files, scratch, stock):
    run(ROOT / "scripts/images", "--into", scratch / "two", "--base", debian(), "--tailscaled", stock, env={"TZ": "Asia/Tokyo", "LC_ALL": "C"})
    for path in files.values():
        sums = {hashlib.sha256(one.read_bytes()).hexdigest() for one in (path, scratch / "two" / path.name)}
        assert len(sums) == 1, path.name


@pytest.mark.parametrize("name", NAMES)
def test_layout(files, name, tmp_path):
    with tarfile.open(files[name]) as layout:
        layout.extractall(tmp_path)

    def judged(path, media_type):
        run("formats", "oci", media_type, path)
        return json.loads(path.read_text(encoding="utf-8"))

    def blob(descriptor):
        kind, digest = descriptor["digest"].split(":")
        path = tmp_path / "blobs" / kind / digest
        assert hashlib.new(kind, path.read_bytes()).hexdigest() == digest and path.stat().st_size == descriptor["size"]
        return path

    judged(tmp_path / "oci-layout", "application/vnd.oci.layout.header.v1+json")
    outer, = judged(tmp_path / "index.json", "application/vnd.oci.image.index.v1+json")["manifests"]
    assert files[name].name == f"{name}-{outer['annotations']['org.opencontainers.image.ref.name'].removeprefix('v')}-oci.tar"
    inner, = judged(blob(outer), outer["mediaType"])["manifests"]
    assert inner["platform"]["architecture"] == run("dpkg", "--print-architecture").strip()
    manifest = judged(blob(inner), inner["mediaType"])
    judged(blob(manifest["config"]), manifest["config"]["mediaType"])
    used = {one["digest"] for one in (outer, inner, manifest["config"], *manifest["layers"])}
    assert {f"sha256:{path.name}" for path in (tmp_path / "blobs/sha256").iterdir()} == used
    for layer in manifest["layers"]:
        blob(layer)


@pytest.fixture(scope="module")
def lab(files, tailrender, tools):
    with Lab() as found:
        for name, path in files.items():
            found.run("ctr", "-n", "k8s.io", "images", "import", "--base-name", f"{REGISTRY}/{name}", path)
        image = {"repository": RUNTIME, "pullPolicy": "Never"}
        install_controller(found, tailrender, {"tailrender": VALUES["tailrender"] | {"image": image}})
        yield found


def test_controller_and_proxy(lab, tailrender, version):
    objects = rendered(tailrender, lab.tailnet.url)
    namespaces_first(lab, objects)
    proxy = next(item for item in objects if item["kind"] == "StatefulSet")
    joins(lab, proxy["metadata"]["name"] + "-0")
    images = {container["image"] for pod in lab.items("pods", "-n", NAMESPACE) for container in pod["spec"]["containers"]}
    assert images == {f"{RUNTIME}:v{version}", f"{REGISTRY}/tailrender-proxy:v{version}-{RELEASES[NEWEST].removeprefix('v')}"}
    lab.wait("the page is served", lambda: "hello from the lab" in page(lab, proxy["metadata"]["annotations"]["tailrender.dev/hostname"]))


def test_renderer(lab, version):
    container = {"name": "render", "image": f"{REGISTRY}/tailrender:v{version}", "imagePullPolicy": "Never", "command": ["sh", "-euc", SCRIPT],
                 "securityContext": {"runAsNonRoot": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}
    lab.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "render", "namespace": "default"},
                "spec": {"restartPolicy": "Never", "containers": [container]}}])
    ended = lab.wait("it has rendered", lambda: lab.get("pod", "render")["status"]["phase"] in ("Succeeded", "Failed") and lab.get("pod", "render"))
    text = lab.kubectl("logs", "render")
    assert ended["status"]["phase"] == "Succeeded" and "name: ts-prod-front-" in text, text

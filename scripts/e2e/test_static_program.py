"""Runs the released program where nothing of this machine is: in an empty root, and in Debian 12 and 13 as debootstrap makes them.

It is one file that needs no shared library. In the empty root it renders examples/fleet with the same bytes as the program under test; in
Debian its package installs without any other, and the user's helm and kustomize build in the sandbox.
"""
import shutil

import pytest

from shared.checks import attempt, run
from shared.debian_root import RELEASES, debian
from shared.fleet import FLEET, ROOT
from shared.namespaces import mounts_of_our_own

COVERS = ["examples/fleet", "renderer/CMakeLists.txt", "renderer/static", "scripts/package", "scripts/package.d"]
PROGRAMS = ["helm3", "kustomize"]
RENDER = ("render", "fleet", "--cluster", "ozilab")
CHART = {"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
         "templates/web.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: shop\n"
                               "  annotations: {tailscale.com/expose: {{ .Values.expose | quote }}}\n"
                               "spec: {selector: {app: web}, ports: [{port: 80}]}\n"}
KUSTOMIZATION = """apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
helmGlobals: {chartHome: charts}
helmCharts: [{name: shop, valuesInline: {expose: true}}]
"""


def in_root(root, *words):
    return ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", "chroot", root, *words]


def test_needs_no_library(released):
    assert "(NEEDED)" not in run("readelf", "--dynamic", released)
    assert "INTERP" not in run("readelf", "--program-headers", released)


def test_empty_root(released, tailrender, tmp_path):
    shutil.copy(released, tmp_path / "tailrender")
    shutil.copytree(FLEET, tmp_path / "fleet")
    done = attempt(*in_root(tmp_path, "/tailrender", *RENDER))
    here = attempt(tailrender, *RENDER, cwd=FLEET.parent)
    assert (done.returncode, done.stdout) == (0, here.stdout)
    assert done.stderr == here.stderr
    wrong = attempt(*in_root(tmp_path, "/tailrender", "render", "absent"))
    assert wrong.returncode == 1 and "[missing-path]" in wrong.stderr


@pytest.fixture(scope="module")
def package(scratch):
    return run(ROOT / "scripts" / "package", "--into", scratch / "package").strip()


@pytest.fixture(scope="module", params=RELEASES)
def root(request, scratch, package, tools):
    with mounts_of_our_own():
        root = scratch / request.param
        root.mkdir()
        run("tar", "-C", root, "-xf", debian(request.param))
        run("mount", "-t", "proc", "proc", root / "proc")
        run("mount", "--rbind", "/dev", root / "dev")
        shutil.copy(package, root / "tailrender.deb")
        for name in ("helm", "kustomize"):
            shutil.copy(shutil.which(name), root / "usr/local/bin" / name)
        shutil.copytree(FLEET, root / "fleet")
        yield root


def test_package_in_debian(root, tailrender):
    run(*in_root(root, "dpkg", "--install", "/tailrender.deb"))
    assert run(*in_root(root, "dpkg-query", "--show", "--showformat", "${Depends}", "tailrender")) == ""
    assert run(*in_root(root, "tailrender", *RENDER)) == run(tailrender, *RENDER, cwd=FLEET.parent)
    assert "_tailrender" in run(*in_root(root, "tailrender", "completion", "bash"))
    run(*in_root(root, "dpkg", "--verify", "tailrender"))


def test_programs_in_debian(root, tailrender, tmp_path):
    """helm and kustomize run in the sandbox there, as they do here."""
    for place in (root / "tree", tmp_path / "tree"):
        for name, text in (CHART | {"../../kustomization.yaml": KUSTOMIZATION}).items():
            file = place / "charts/shop" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    run(*in_root(root, "dpkg", "--install", "/tailrender.deb"))
    done = attempt(*in_root(root, "tailrender", "render", "tree"))
    assert done.returncode == 0, done.stderr
    assert "ts-web-" in done.stdout and done.stdout == run(tailrender, "render", "tree", cwd=tmp_path)

"""Makes a release for amd64 and arm64 on amd64, and runs what is for arm64 under qemu.

The package of arm64 has the files of that of amd64 with another program, which renders in an empty root with the same bytes. Images of both
architectures are in one index, which containerd imports; the programs of those for arm64 start in their roots.
"""
import contextlib
import json
import shutil
import subprocess
import tarfile
import time

import pytest

from shared.checks import attempt, run
from shared.debian_root import debian
from shared.emulation import arm64_programs
from shared.fleet import FLEET, ROOT

COVERS = ["CMakePresets.json", "examples/fleet", "plugins/image", "scripts/arm64", "scripts/arm64.cmake", "scripts/image_root", "scripts/images", "scripts/package",
          "scripts/package.d", "scripts/release"]
PROGRAMS = ["helm3", "kustomize"]
BOTH = ("amd64", "arm64")
CONFIG = """version = 2
root = "{folder}/root"
state = "{folder}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "{folder}/socket"
[ttrpc]
  address = "{folder}/ttrpc"
"""


@pytest.fixture(scope="module")
def version(tailrender):
    return run(tailrender, "--version").split()[1]


@pytest.fixture(scope="module")
def release(scratch, version):
    run(ROOT / "scripts/release", version, "--into", scratch / "release", "--arch", ",".join(BOTH))
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=scratch / "release")
    return scratch / "release"


def test_package(release, version, tmp_path):
    for architecture in BOTH:
        run("dpkg-deb", "--raw-extract", release / f"tailrender_{version}_{architecture}.deb", tmp_path / architecture)
        run("md5sum", "--quiet", "--check", "DEBIAN/md5sums", cwd=tmp_path / architecture)
        assert f"Architecture: {architecture}" in (tmp_path / architecture / "DEBIAN/control").read_text(encoding="utf-8").splitlines()
    differ = attempt("diff", "-rq", *BOTH, cwd=tmp_path).stdout.splitlines()
    assert [line.split()[1] for line in differ] == [f"amd64/{name}" for name in ("DEBIAN/control", "DEBIAN/md5sums", "usr/bin/tailrender")]


def test_program(release, version, tailrender, tmp_path):
    name = f"tailrender-{version}-linux-arm64"
    with tarfile.open(release / f"{name}.tar.gz") as files:
        files.extractall(tmp_path)
    program = tmp_path / name / "tailrender"
    assert "(NEEDED)" not in run("readelf", "--dynamic", program)
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(program, root)
    shutil.copytree(FLEET, root / "fleet")
    render = ["render", "fleet", "--cluster", "ozilab"]
    with arm64_programs():
        assert run("chroot", root, "/tailrender", *render) == run(tailrender, *render, cwd=FLEET.parent)


def test_list_of_parts(release, version):
    packages = {}
    for architecture in BOTH:
        text = (release / f"tailrender-{version}-linux-{architecture}.spdx.json").read_text(encoding="utf-8")
        packages[architecture] = {one["name"].removesuffix("-arm64-cross") for one in json.loads(text)["packages"]}
    assert packages["amd64"] == packages["arm64"] and "libgit2-dev" in packages["arm64"]


@pytest.fixture(scope="module")
def images(scratch, release, version):
    """Returns the files; `release` has made the Debian with qemu."""
    assert release.exists()
    with arm64_programs():
        base = debian("bookworm", "arm64")
    run(ROOT / "scripts/images", "--into", scratch / "images", "--arch", ",".join(BOTH), "--base", debian(), "--base", f"arm64={base}")
    return {name: scratch / "images" / f"{name}-{version}-oci.tar" for name in ("tailrender", "tailrender-runtime")}


@pytest.fixture(scope="module")
def ctr(scratch):
    """Yields a function that calls a containerd of its own."""
    folder = scratch / "containerd"
    folder.mkdir()
    (folder / "config.toml").write_text(CONFIG.format(folder=folder), encoding="utf-8")
    with subprocess.Popen(["containerd", "--config", folder / "config.toml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        words = ("ctr", "--address", folder / "socket", "images")
        deadline = time.monotonic() + 60
        while attempt(*words, "ls").returncode != 0:
            assert time.monotonic() < deadline and process.poll() is None, "containerd does not start"
            time.sleep(0.2)
        yield lambda *more: run(*words, *more)
        process.terminate()


@contextlib.contextmanager
def mounted(ctr, folder, name):
    ctr("mount", "--snapshotter", "native", "--platform", "linux/arm64", name, folder)
    try:
        yield folder
    finally:
        run("umount", folder)


@pytest.mark.parametrize(("name", "commands"), [
    ("tailrender", {"usr/bin/tailrender": "--version", "usr/local/bin/helm": "version", "usr/local/bin/kustomize": "version", "usr/bin/jq": "--version"}),
    ("tailrender-runtime", {f"usr/local/bin/tailrender-{name}": "--version" for name in ("adopt", "runtime")})])
def test_image(images, ctr, version, name, commands, tmp_path):
    tag = f"registry.example.com/{name}:v{version}"
    ctr("import", "--all-platforms", "--snapshotter", "native", "--base-name", tag.rpartition(":")[0], images[name])
    listed, = (line for line in ctr("ls").splitlines() if line.startswith(f"{tag} "))
    assert "linux/amd64,linux/arm64" in listed
    with mounted(ctr, tmp_path, tag) as root, arm64_programs():
        for program, word in commands.items():
            assert "AArch64" in run("readelf", "--file-header", root / program)
            run("chroot", root, f"/{program}", word, env={"HOME": "/tmp"})

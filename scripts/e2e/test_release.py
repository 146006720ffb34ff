"""Makes a release twice and uses its files: the same bytes, a signature that openssl accepts, and a program that runs alone in an empty root.
"""
import json
import pathlib
import re
import shutil
import tarfile

import pytest

from shared.checks import attempt, run
from shared.fleet import FLEET, ROOT

COVERS = ["docs/changelog.md", "examples/fleet", "renderer/CMakeLists.txt", "scripts/package", "scripts/package.d", "scripts/release"]
PROGRAMS = []


@pytest.fixture(scope="module")
def version(tailrender):
    return run(tailrender, "--version").split()[1]


@pytest.fixture(scope="module")
def key(scratch):
    run("openssl", "genpkey", "-algorithm", "ed25519", "-out", scratch / "key.pem")
    run("openssl", "pkey", "-in", scratch / "key.pem", "-pubout", "-out", scratch / "public.pem")
    return scratch / "key.pem"


@pytest.fixture(scope="module")
def release(scratch, version, key):
    listed = run(ROOT / "scripts/release", version, "--into", scratch / "one", "--key", key).split()
    assert sorted(listed) == sorted(str(path) for path in (scratch / "one").iterdir())
    return scratch / "one"


@pytest.fixture(scope="module")
def unpacked(scratch, release):
    with tarfile.open(next(release.glob("*.tar.gz"))) as files:
        assert {(one.uid, one.gid, one.mode & 0o777) for one in files.getmembers()} <= {(0, 0, 0o755), (0, 0, 0o644)}
        files.extractall(scratch)
    return next(scratch.glob("tailrender-*-linux-*"))


def test_same_bytes(release, scratch, version):
    again = scratch / "two"
    run(ROOT / "scripts/release", version, "--into", again, env={"TZ": "Asia/Tokyo", "LC_ALL": "C"})
    assert (again / "SHA256SUMS").read_bytes() == (release / "SHA256SUMS").read_bytes()
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=release)
    assert not (again / "SHA256SUMS.sig").exists()


def test_signature(release, scratch):
    words = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", scratch / "public.pem", "-sigfile", release / "SHA256SUMS.sig", "-in"]
    run(*words, release / "SHA256SUMS")
    (scratch / "changed").write_text((release / "SHA256SUMS").read_text(encoding="utf-8").upper(), encoding="utf-8")
    assert attempt(*words, scratch / "changed").returncode != 0


def test_program_alone(unpacked, tailrender, tmp_path):
    shutil.copy(unpacked / "tailrender", tmp_path)
    shutil.copytree(FLEET, tmp_path / "fleet")
    render = ["render", "fleet", "--cluster", "ozilab"]
    assert run("chroot", tmp_path, "/tailrender", *render) == run(tailrender, *render, cwd=FLEET.parent)
    assert {"LICENSE", "completions", "copyright", "man", "tailrender"} == {path.name for path in unpacked.iterdir()}


def test_list_of_parts(release, unpacked, version):
    document = json.loads(next(release.glob("*.spdx.json")).read_text(encoding="utf-8"))
    ours, *linked = document["packages"]
    assert (document["spdxVersion"], ours["name"], ours["versionInfo"]) == ("SPDX-2.3", "tailrender", version)
    assert ours["checksums"][0]["checksumValue"] == run("sha256sum", unpacked / "tailrender").split()[0]
    names = {one["name"] for one in linked}
    assert {"libc6-dev", "libgit2-dev", "libssl-dev", "libyaml-cpp-dev", "libre2-dev", "zlib1g-dev"} <= names
    identifiers = {one["SPDXID"] for one in document["packages"]}
    assert len(identifiers) == len(document["packages"])
    assert {one["relatedSpdxElement"] for one in document["relationships"]} == identifiers
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in identifiers)
    for one in linked:
        assert one["versionInfo"] == run("dpkg-query", "--show", "--showformat", "${Version}", one["name"])


def test_refusals(scratch, version, release):
    script = ROOT / "scripts/release"
    full = attempt(script, version, "--into", release)
    assert full.returncode == 1 and "is not empty" in full.stderr
    other = attempt(script, "99.0.0", "--into", scratch / "other")
    assert other.returncode == 1 and f"CMakeLists.txt has version {version}" in other.stderr
    assert attempt(script, "new", "--into", scratch / "other").returncode == 2
    assert attempt(script, version).returncode == 2
    assert not pathlib.Path(scratch / "other").exists()

"""Makes a release twice and uses its files: the same bytes, a signature that openssl accepts, and a program that runs alone.

In an empty root it comes from the archive, in Debian 12 and 13 from the package. There it sets up a copy of examples/flux without what the
example has for Tailscale, by the commands that `init` prints, and works in it as the program under test does here.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tarfile

import pytest
import yaml

from shared.checks import attempt, run
from shared.debian_root import RELEASES, debian
from shared.fleet import FLEET, ROOT

COVERS = ["docs/changelog.md", "examples/fleet", "examples/flux", "renderer/CMakeLists.txt", "renderer/cli/init", "scripts/package",
          "scripts/package.d", "scripts/release"]
FLUX = ROOT / "examples/flux"
OF_TAILSCALE = ("clusters/home/tailscale.yaml", "tailscale/kustomization.yaml", "tailscale/values.yaml")
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


@pytest.fixture(params=["empty", *RELEASES])
def root(request, tmp_path, release, unpacked):
    """Returns a root file system and the program in it."""
    if request.param == "empty":
        shutil.copy(unpacked / "tailrender", tmp_path)
        return tmp_path, "/tailrender"
    run("tar", "-C", tmp_path, "-xf", debian(request.param))
    shutil.copy(next(release.glob("*.deb")), tmp_path / "tailrender.deb")
    run("chroot", tmp_path, "dpkg", "--install", "/tailrender.deb")
    return tmp_path, "/usr/bin/tailrender"


def first_day(folder, inside):
    """Sets up a copy of examples/flux in the folder, changes it, and returns what the program has printed. `inside` runs it there."""
    for name in ("same", "old"):
        shutil.copytree(FLUX, folder / name)
    before = {path: path.read_bytes() for path in (folder / "same").rglob("*") if path.is_file()}
    printed = [inside("same", 0, "init", "--write")]
    assert {path: path.read_bytes() for path in (folder / "same").rglob("*") if path.is_file()} == before

    for name in OF_TAILSCALE:
        (folder / "old" / name).unlink()
    setup = inside("old", 0, "init", "--write", "--ci", "github")
    for name in OF_TAILSCALE[:2]:
        made, example = (yaml.safe_load((where / name).read_text(encoding="utf-8")) for where in (folder / "old", FLUX))
        assert made == example, name
    assert os.access(folder / "old/.github/actions/tailrender-diff/get_program", os.X_OK)
    for line in setup.partition("\nnext\n")[2].splitlines():
        command, _, file = line.partition(" > ")
        if command.strip().startswith("tailrender "):
            out = inside("old", 0, *shlex.split(command)[1:])
            printed.append(out)
            if file:
                (folder / "old" / file).write_text(out, encoding="utf-8")
    render = ["--only", "generated", "--values", "tailscale/values.yaml"]
    check = ["check", ".", *render, "-o", "tailscale/rendered"]
    printed += [setup, inside("old", 0, *check)]

    shutil.copytree(folder / "old", folder / "new")
    service = folder / "new/apps/hello/service.yaml"
    text = service.read_text(encoding="utf-8")
    service.write_text(text.replace("hello-${CLUSTER}", "renamed"), encoding="utf-8")
    assert service.read_text(encoding="utf-8") != text
    return printed + [inside("new", 3, *check), inside("new", 0, "devices", ".", *render), inside("new", 0, "explain", "Service/hello/hello", ".", *render),
                      inside(".", 0, "diff", "old", "new", "--only", "generated", "--values", "old/tailscale/values.yaml")]


def test_first_day(root, tailrender, tmp_path_factory):
    root, program = root
    (root / "repositories").mkdir()

    def runner(words, **where):
        def inside(folder, want, *arguments):
            done = subprocess.run([*words, *arguments], env={"PATH": "/usr/bin:/bin", "HOME": "/"}, capture_output=True, text=True, check=False,
                                  **{key: make(folder) for key, make in where.items()})
            assert done.returncode == want, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
            return done.stdout
        return inside

    def enter(folder):
        def prepare():
            os.chroot(root)
            os.chdir(f"/repositories/{folder}")
        return prepare
    here = tmp_path_factory.mktemp("here")
    there = first_day(root / "repositories", runner([program], preexec_fn=enter))
    assert there == first_day(here, runner([tailrender], cwd=lambda folder: here / folder))
    assert "renamed" in there[-3] and "Service/hello/hello" in there[-2] and "renamed" in there[-1]


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

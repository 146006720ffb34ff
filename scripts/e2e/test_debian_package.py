"""Installs, uses and purges the Debian package with the real dpkg.

The root is this machine's own, under an overlay that no other process sees, so that dpkg changes nothing else. The test checks: the same
bytes of a package with any umask and time; the output of the program under test; manual pages that groff takes without a warning and that
have every verb with its options and examples; completions where bash, zsh and fish look for them; nothing left after a purge.
"""
import gzip
import io
import pathlib
import re
import shutil
import tarfile
import tempfile

import pytest

from shared.checks import attempt, run
from shared.fleet import FLEET, ROOT
from shared.namespaces import mounts_of_our_own

COVERS = ["examples/fleet", "plugins", "renderer/cli", "scripts/package", "scripts/package.d"]
PROGRAMS = []
HERE = "/tmp/tailrender-test"  # the path inside the overlay
CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": "xterm", "MANWIDTH": "100"}
KEPT = ("var/lib/dpkg", "var/cache/man", "var/log")  # files that dpkg and others keep
OFFERS = {
    "bash": ["-c", """source /usr/share/bash-completion/completions/tailrender
                      COMP_WORDS=(tailrender "") COMP_CWORD=1; _tailrender; echo "${COMPREPLY[@]}" """],
    "fish": ["--command", "complete -C 'tailrender '"],
    # The first time it runs in a separate terminal, as if a person pressed the key.
    "zsh": ["-fc", f"""zmodload zsh/zpty
                       zpty shell TERM=dumb zsh -fi
                       zpty -w shell "PS1=; autoload -U compinit; compinit -u -d {HERE}/dump; unsetopt zle_bracketed_paste; echo rea""dy"
                       zpty -r shell start "*ready*"
                       zpty -w -n shell $'tailrender \\t'
                       zpty -r shell answer "*post-render*"
                       echo "$answer" """],
}


@pytest.fixture(scope="module")
def package(scratch):
    return pathlib.Path(run(ROOT / "scripts" / "package", "--into", scratch / "one").strip())


@pytest.fixture(scope="module")
def layer():
    """Yields the overlay: "upper" has the changes, "root" everything."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tailrender-package-"))
    with mounts_of_our_own():
        run("mount", "-t", "tmpfs", "tmpfs", folder)
        for name in ("upper", "work", "root"):
            (folder / name).mkdir()
        run("mount", "-t", "overlay", "-o", f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work", "overlay", folder / "root")
        run("mount", "--rbind", "/dev", folder / "root" / "dev")
        run("mount", "-t", "proc", "proc", folder / "root" / "proc")
        yield folder
    folder.rmdir()


@pytest.fixture(scope="module")
def inside(layer):
    def words(*command):
        return ["env", "-i", *(f"{name}={value}" for name, value in CLEAN.items()), "chroot", layer / "root", *command]
    return words


@pytest.fixture(scope="module", autouse=True)
def installed(package, layer, inside, tailrender):
    folder = layer / "root" / HERE[1:]
    folder.mkdir()
    shutil.copy(package, folder)
    shutil.copytree(FLEET, folder / "fleet")
    shutil.copy(tailrender, folder / "built")
    # Triggers are off: man-db would read every page of this machine.
    run(*inside("dpkg", "--install", "--no-triggers", f"{HERE}/{package.name}"))


def test_package(package, tailrender, scratch):
    again = run("sh", "-c", 'umask 077; exec "$@"', "sh", ROOT / "scripts" / "package", "--into", scratch / "two", env={"TZ": "Asia/Tokyo"}).strip()
    assert package.read_bytes() == pathlib.Path(again).read_bytes()
    version = run("dpkg-deb", "--field", package, "Version").strip()
    assert version == run(tailrender, "--version").splitlines()[0].removeprefix("tailrender ")
    assert run("dpkg-deb", "--field", package, "Depends").strip() == ""  # the program is static
    run("sh", "-c", 'dpkg-deb --fsys-tarfile "$1" >"$2"', "sh", package, scratch / "files.tar")
    with tarfile.open(scratch / "files.tar") as files:
        changelog = gzip.open(io.BytesIO(files.extractfile("./usr/share/doc/tailrender/changelog.gz").read()), "rt", encoding="utf-8").read()
        members = files.getmembers()
    assert changelog.startswith(f"tailrender ({version}) ")
    assert {(one.uname, one.gname) for one in members} == {("root", "root")}
    assert {(one.isdir(), oct(one.mode)) for one in members} <= {(True, "0o755"), (False, "0o755"), (False, "0o644")}


def test_installed(inside, tailrender):
    run(*inside("dpkg", "--verify", "tailrender"))
    render = "render . --cluster ozilab --quiet"
    built = run(*inside("sh", "-c", f"cd {HERE}/fleet && ../built {render}"))
    assert run(*inside("sh", "-c", f"cd {HERE}/fleet && tailrender {render}")) == built
    version = run(tailrender, "--version")
    assert run(*inside("tailrender", "--version")).split()[:2] == version.split()[:2]
    assert run(*inside("/usr/share/tailrender/plugins/helm4/post-render", "--check")) == version


def verbs(tailrender):
    return re.findall(r"(?m)^  ([a-z-]+) ", run(tailrender, "--help").partition("\nSubcommands:\n")[2].partition("\n\n")[0])


def test_manual(inside, tailrender):
    done = attempt(*inside("sh", "-c", "zcat /usr/share/man/man1/tailrender*.1.gz | groff -man -ww -Tutf8"))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(verbs(tailrender)) > 10
    for verb in verbs(tailrender):
        done = attempt(*inside("man", "--warnings", "tailrender", verb))
        assert (done.returncode, done.stderr) == (0, "")
        options, _, examples = run(tailrender, verb, "--help").partition("\nExamples:\n")
        lines = {line.strip() for line in done.stdout.splitlines()}
        assert {line.strip() for line in examples.splitlines()} <= lines
        options = re.findall(r"(?m)^  (-.*?) *(?:  |$)", options)
        assert [option for option in options if not re.search(rf"(?m)^ +{re.escape(option)}( |$)", done.stdout)] == []
        assert {"SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES"} <= lines


@pytest.mark.parametrize("shell", OFFERS)
def test_completion(inside, shell):
    done = attempt(*inside(shell, *OFFERS[shell]))
    assert re.search(r"\bpost-render\b", done.stdout + done.stderr)


def test_purge(inside, layer):
    run(*inside("dpkg", "--purge", "--no-triggers", "tailrender"))
    shutil.rmtree(layer / "root" / HERE[1:])
    left = [path.relative_to(layer / "upper") for path in (layer / "upper").rglob("*")]
    left = [path for path in left if not path.as_posix().startswith(KEPT)]
    assert [path for path in left if "tailrender" in path.name.lower() or not (layer / "upper" / path).is_dir()] == []
    assert attempt(*inside("dpkg-query", "--status", "tailrender")).returncode != 0

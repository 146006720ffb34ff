"""Edits of random repositories remove no device without a cause, with the real helm and kustomize, or without them."""
import pathlib
import subprocess

COVERS = ["renderer/cli", "renderer/load", "scripts/random_edits", "scripts/random_edits.d"]
PROGRAMS = ["helm3", "kustomize"]
PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "random_edits"


def test_nothing_leaves_without_a_cause(tailrender, tools):
    done = subprocess.run([PROGRAM, tailrender, "--programs", tools, "--steps", "400", "--seed", "11", "--jobs", "2"], capture_output=True, text=True,
                          timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout

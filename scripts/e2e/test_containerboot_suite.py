"""Runs containerboot's own tests against tailrender-proxy: those of `tailscale v1.104.5 cmd/containerboot/main_test.go`, unchanged.

They build containerboot with `go build` and run the result with their own tailscaled, API server and files. Here `go` is a script that
copies our program to where the built one is expected.
"""
import os
import re
import subprocess

import pytest

COVERS = ["runtime/proxy", "runtime/localapi"]
PROGRAMS = ["containerboot-suite"]
GO = """#!/bin/sh
while [ "$1" != -o ]; do
    shift
done
exec cp "$PROGRAM" "$2"
"""
FEWEST = 40  # cases; fewer are not the whole suite


def results(folder, program):
    """Returns the result of each case by name."""
    go = folder / "go"
    go.write_text(GO, encoding="utf-8")
    go.chmod(0o755)
    done = subprocess.run(["containerboot-suite", "-test.v", "-test.timeout", "4m", "-test.run", "^TestContainerBoot$"], cwd=folder, text=True, check=False,
                          env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PROGRAM": str(program)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    assert done.returncode == 0
    return {name: result for result, name in re.findall(r"^ +--- ([A-Z]+): TestContainerBoot/(\S+)", done.stdout, re.M)}


@pytest.mark.usefixtures("tools")
def test_every_case_passes(proxy, tmp_path):
    found = results(tmp_path, proxy)
    assert set(found.values()) == {"PASS"}, {name: result for name, result in found.items() if result != "PASS"}
    assert len(found) >= FEWEST

#!/usr/bin/python3
"""Proves that a real API server accepts everything that we render.

usage: scripts/e2e/rendered_objects TAILRENDER [--short]

Renders the worked example (also with our CRDs and its custom resources), each reference case of testdata/oracle that can be rendered
(with its settings) and the streams of the operator's chart behind `post-render`, and puts each through scripts/e2e/apply: strictly
validated dry run, apply, and a second apply that changes nothing. What was applied is deleted before the next one, since cases share names.
--short takes every sixth of the reference cases.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "parity.d"))

import parity_run  # noqa: E402
from parity_case import Case  # noqa: E402

# Fewer than these rendered cases and streams mean that something is refused which should not be.
EXPECTED_CASES, EXPECTED_STREAMS = 78, 3
SHORT = 6
FOREIGN_CRDS = ROOT / "testdata" / "e2e" / "crds.yaml"
# Some cases pin Service addresses; the server has other ranges, and its dry run knows no ServiceCIDR but its own.
RANGES = (("10.43.", "10.96."), ("fd00:10:43::", "fd00:96::"))


def fleet(tailrender, *flags):
    return subprocess.run([tailrender, "render", "examples/fleet", "--cluster", "ozilab", "--quiet", *flags], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout


def cases(tailrender):
    """What is refused, is refused on purpose or not built yet: scripts/parity has an eye on that."""
    for path in sorted((ROOT / "testdata" / "oracle").iterdir()):
        if path.is_dir():
            result = parity_run.render(tailrender, Case(str(path)))
            if result.code == 0:
                yield path.name, without_nodes(result.stdout)


def without_nodes(stream):
    """Nodes in a case stand for facts of the cluster; nobody applies them, and the server changes them on every attempt."""
    return "---\n".join(part for part in re.split(r"^---\n", stream, flags=re.M) if not re.search(r"^kind: Node$", part, re.M))


def chart_streams(tailrender):
    for path in sorted((ROOT / "testdata" / "chart-streams").glob("*.yaml")):
        if path.name.endswith("-values.yaml"):
            continue
        done = subprocess.run([tailrender, "post-render", "--namespace", "tailscale", "--quiet"], check=True, capture_output=True,
                              text=True, input=path.read_text(encoding="utf-8"))
        yield path.name, done.stdout


def apply(scratch, name, text):
    path = pathlib.Path(scratch, f"{name}.yaml")
    for theirs, ours in RANGES:
        text = text.replace(theirs, ours)
    path.write_text(text, encoding="utf-8")
    applied = subprocess.run([HERE / "apply", path, FOREIGN_CRDS], check=False)
    if applied.returncode != 0:
        sys.exit(f"rendered_objects: the API server and {name} do not agree")
    delete(path)


def delete(path):
    """Namespaces never go away without a controller, and with a CRD go its objects; both are the same in all cases."""
    listing = subprocess.run(["kubectl", "get", "--ignore-not-found", "-o", "json", "-f", path], check=True, capture_output=True).stdout
    found = json.loads(listing)
    found = [item for item in found.get("items", [found]) if item["kind"] not in ("Namespace", "CustomResourceDefinition")]
    if found:
        subprocess.run(["kubectl", "delete", "--wait=false", "-f", "-"], check=True, stdout=subprocess.DEVNULL, text=True,
                       input=json.dumps({"apiVersion": "v1", "kind": "List", "items": found}))


def inside(tailrender, short):
    rendered, streams = list(cases(tailrender)), list(chart_streams(tailrender))
    if len(rendered) < EXPECTED_CASES or len(streams) != EXPECTED_STREAMS:
        sys.exit(f"rendered_objects: only {len(rendered)} cases and {len(streams)} streams could be rendered")
    rendered = rendered[::SHORT] if short else rendered
    emitted = fleet(tailrender, "--set", "tailrender.customResources=emit")
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in [("fleet", fleet(tailrender)), *streams, *rendered, ("with-our-crds", emitted)]:
            apply(scratch, name, text)
    print(f"the API server accepts the worked example, {len(rendered)} reference cases and {len(streams)} chart streams")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tailrender = os.path.realpath(sys.argv[1])
    if "inside" not in sys.argv[2:]:
        os.execv(HERE / "apiserver", [HERE / "apiserver", "run", __file__, tailrender, "inside", *sys.argv[2:]])
    inside(tailrender, "--short" in sys.argv[2:])


main()

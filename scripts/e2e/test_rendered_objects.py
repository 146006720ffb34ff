"""Proves that a real API server accepts everything that we render.

The worked example (also with our CRDs and its custom resources), each reference case of testdata/oracle that can be rendered (with its
settings) and the streams of the operator's chart behind `post-render`: strictly validated dry run, apply, and a second apply that changes
nothing. What was applied is deleted before the next one, since cases share names. --short takes every sixth of the reference cases.
"""
import re

import pytest

import parity_run
from parity_case import Case
from shared.applied import is_accepted, listed, live
from shared.checks import run
from shared.fleet import FLEET, ROOT
from shared.images import OWN_IMAGES

COVERS = ["examples/fleet", "renderer/generate", "renderer/plan", "testdata/chart-streams", "testdata/e2e/crds.yaml", "testdata/oracle"]
PROGRAMS = ["apiserver"]
# Fewer rendered cases than these mean that something is refused which should not be.
EXPECTED_CASES, SHORT = 78, 6
CASES = sorted(path for path in (ROOT / "testdata" / "oracle").iterdir() if path.is_dir())
STREAMS = [path for path in sorted((ROOT / "testdata" / "chart-streams").glob("*.yaml")) if not path.name.endswith("-values.yaml")]
# Some cases pin Service addresses; the server has other ranges, and its dry run accepts only its own ServiceCIDR.
RANGES = (("10.43.", "10.96."), ("fd00:10:43::", "fd00:96::"))


@pytest.fixture
def is_taken(cluster, tmp_path):
    def check(text):
        path = tmp_path / "objects.yaml"
        for theirs, ours in RANGES:
            text = text.replace(theirs, ours)
        path.write_text(text, encoding="utf-8")
        is_accepted(path)
        # Without a controller Namespaces are never deleted, and a CRD would take its objects along; both are the same in all cases.
        left = [value for value in live(path).values() if value["kind"] not in ("Namespace", "CustomResourceDefinition")]
        run("kubectl", "delete", "--wait=false", "-f", "-", stdin=listed(left))
    return check


@pytest.mark.always("plain")
@pytest.mark.parametrize("flags", [[], ["--set", "tailrender.customResources=emit"]], ids=["plain", "custom_resources"])
def test_fleet(tailrender, is_taken, flags):
    is_taken(run(tailrender, "render", FLEET, "--cluster", "ozilab", "--quiet", *flags))


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_chart_stream(tailrender, is_taken, path):
    is_taken(run(tailrender, "post-render", "--namespace", "tailscale", "--quiet", *OWN_IMAGES, stdin=path.read_text(encoding="utf-8")))


def without_nodes(stream):
    """Removes Nodes, which are facts of the cluster in a case: they are not applied, and the server changes them on every attempt."""
    return "---\n".join(part for part in re.split(r"^---\n", stream, flags=re.M) if not re.search(r"^kind: Node$", part, re.M))


@pytest.fixture(scope="module")
def rendered(tailrender):
    """Cases that are refused are left out: scripts/parity checks whether they may be."""
    results = {path: parity_run.render(tailrender, Case(str(path))) for path in CASES}
    return {path: without_nodes(result.stdout) for path, result in results.items() if result.code == 0}


def test_reference_cases(rendered, is_taken, short):
    assert len(rendered) >= EXPECTED_CASES and len(STREAMS) == 3
    for path in list(rendered)[::SHORT if short else 1]:
        print(path.name)
        is_taken(rendered[path])

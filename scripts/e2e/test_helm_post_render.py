"""Proves that tailrender works as the post-renderer of the real helm 3 (as executable and as plug-in) and helm 4 (as plug-in).

With the chart of testdata/e2e/chart, which has hooks (two of them named like objects of the release) and a test: `helm template` with us
behind it must print the objects that `tailrender render` makes of what the bare `helm template` prints, each way the same; helm 3 also
the chart's own ones byte for byte. Then a release lives on the API server, once for each way: install, `helm test`, an upgrade that
withdraws the Service from the tailnet, an upgrade that we refuse, the way back by rollback, uninstall. After each step the server must
hold just the objects of the release, in the end nothing at all. Namespaces are left out: helm does not own them.
"""
import pathlib

import pytest

from helm_jobs import finished_at_once
from helm_ways import NAMES, documents, objects, of_release, on_server, way_of
from shared.checks import attempt, compare, run
from shared.fleet import ROOT

COVERS = ["plugins/helm3", "plugins/helm4", "renderer/cli", "renderer/emit", "testdata/e2e/chart"]
PROGRAMS = ["apiserver", "helm3", "helm4"]
CHART = ROOT / "testdata" / "e2e" / "chart"
RELEASE, NAMESPACE, PROXIES = "web", "shop", "tailscale"
KINDS = "configmap,secret,service,serviceaccount,deployment,statefulset,role,rolebinding,ingress,job,pod"


@pytest.fixture(scope="module", autouse=True)
def cluster_that_runs_hooks(cluster):
    for namespace in (NAMESPACE, PROXIES):
        run("kubectl", "create", "namespace", namespace)
    with finished_at_once(NAMESPACE):
        yield


@pytest.fixture(scope="module", params=NAMES)
def way(request, tailrender, tmp_path_factory):
    folder = tmp_path_factory.mktemp("helm")
    found = way_of(request.param, tailrender, folder, NAMESPACE, ["--quiet"])
    found.env["TAILRENDER_LOG"] = str(folder / "helm.log")
    return found


def log(way):
    return pathlib.Path(way.env["TAILRENDER_LOG"]).read_text(encoding="utf-8")


def found(text):
    return objects(text, NAMESPACE)


@pytest.mark.always("executable3", "plugin4")
def test_template(tailrender, way, tmp_path):
    """Compares what helm prints with our post-renderer, and what we make of its output without it."""
    bare = run(way.helm, "template", RELEASE, CHART, "--namespace", NAMESPACE)
    (tmp_path / "all.yaml").write_text(bare, encoding="utf-8")
    posted, rendered = way.change("template", RELEASE, CHART), found(run(tailrender, "render", tmp_path, "--namespace", NAMESPACE, "--quiet"))
    assert not way.knows_release or f'of release "{RELEASE}", namespace "{NAMESPACE}"' in log(way)
    compare(found(posted), rendered, "helm template and tailrender render")
    if way.helm == "helm":  # helm 4 rewrites every document
        assert not set(documents(bare)) - set(documents(posted))
    assert "zz-" not in posted and "generated-by" not in posted  # our objects are in the files of their parents
    foreign = found(bare)
    assert len(rendered.keys() - foreign.keys()) >= 2 and foreign.keys() <= rendered.keys()


def refused_upgrade(way):
    """Helm must fail with our message, which is also in the log, and leave the release unchanged."""
    pathlib.Path(way.env["TAILRENDER_LOG"]).unlink(missing_ok=True)
    done = attempt(*way.changing("upgrade", RELEASE, CHART, "--set", "ingress.host=my_shop"), env=way.env)
    assert done.returncode != 0 and "[invalid-hostname]" in done.stderr and "it comes from shop/templates/ingress.yaml" in done.stderr
    assert "[invalid-hostname]" in log(way)


def refused_annotated(way):
    """`helm template` shows our message in the stream, which then cannot be installed."""
    words = (RELEASE, CHART, "--set", "ingress.host=my_shop", "--post-renderer-args=--on-error=annotate")
    text = way.change("template", *words)
    assert "kind: RenderFailed" in text and "[invalid-hostname]" in text
    done = attempt(*way.changing("upgrade", *words), env=way.env)
    assert done.returncode != 0 and "RenderFailed" in done.stderr


def test_release(way):
    exposed = of_release(found(way.change("template", RELEASE, CHART)))
    withdrawn = of_release(found(way.change("template", RELEASE, CHART, "--set", "expose=false")))
    assert withdrawn.keys() < exposed.keys()
    steps = [("install", lambda: way.change("install", RELEASE, CHART), exposed),
             ("test", lambda: way.plain("test", RELEASE), exposed),
             ("upgrade", lambda: way.change("upgrade", RELEASE, CHART, "--set", "expose=false"), withdrawn),
             ("refused upgrade", lambda: refused_upgrade(way), withdrawn),
             ("refused upgrade, annotated", lambda: refused_annotated(way), withdrawn),
             ("rollback", lambda: way.plain("rollback", RELEASE, "1"), exposed),
             ("uninstall", lambda: way.plain("uninstall", RELEASE, "--wait"), {})]
    for what, step, want in steps:
        step()
        assert on_server(KINDS, (NAMESPACE, PROXIES), RELEASE) == set(want), what
        if want and not what.startswith("refused"):
            compare(found(way.plain("get", "manifest", RELEASE)), want, what)
    assert not on_server(KINDS, (NAMESPACE, PROXIES))

"""Proves that `tailrender krm` works as exec function of the real kustomize 5.

As generator over examples/fleet, for each of its clusters, and as transformer over the manifests of its bundle `apps`, configured by our
own kind and by a ConfigMap, `kustomize build` must print the very objects that `tailrender render` prints. kustomize must not lose what
it does itself (name prefixes, hashed names of generated ConfigMaps and the references to them), no annotation of its bookkeeping may
reach the output, and an input that we refuse must fail the build with our message.
"""
import shutil

import pytest
import yaml

from shared.checks import attempt, compare, objects_of, run
from shared.fleet import FLEET, ROOT
from shared.images import PROXY, RUNTIME
from shared.kustomize import BUILD, function, own, write

COVERS = ["examples/fleet", "plugins/kustomize", "renderer/emit/krm", "renderer/load/krm", "testdata/chart-streams/default.yaml"]
PROGRAMS = ["kustomize"]
pytestmark = pytest.mark.usefixtures("tools")
CHART = ROOT / "testdata" / "chart-streams" / "default.yaml"
VALUES = {"proxyConfig": {"defaultTags": "tag:k8s,tag:krm"}, "tailrender": {"image": {"repository": RUNTIME}, "proxyImage": {"repository": PROXY}, "tailnetDomain": "tail1a2b3.ts.net"}}


def objects(text):
    found = objects_of(text)
    for name, value in found.items():
        for key in value["metadata"].get("annotations", {}):
            assert not key.split("/")[0].endswith("config.kubernetes.io"), name
    return found


@pytest.mark.always("lab")
@pytest.mark.parametrize("cluster", ["ozilab", "lab"])
def test_generator(tailrender, tmp_path, cluster):
    write(tmp_path, "kustomization.yaml", {"generators": ["tailrender.yaml"]})
    # kustomize runs the function in the directory of the kustomization, and `repo` is relative to it.
    shutil.copytree(FLEET, tmp_path / "fleet")
    write(tmp_path, "tailrender.yaml", own(tailrender, repo="fleet", cluster=cluster))
    compare(objects(run(*BUILD, tmp_path)), objects(run(tailrender, "render", FLEET, "--cluster", cluster, "--quiet")), cluster)


def configured_by_our_kind(tailrender):
    return own(tailrender, namespace="apps", values=VALUES)


def configured_by_a_config_map(tailrender):
    return function(tailrender, apiVersion="v1", kind="ConfigMap", data={"namespace": "apps", "values": yaml.safe_dump(VALUES)})


@pytest.mark.parametrize("config", [configured_by_our_kind, configured_by_a_config_map])
def test_transformer(tailrender, tmp_path, config):
    directory = tmp_path / "apps"
    directory.mkdir()
    manifests = sorted(path.name for path in (FLEET / "apps").glob("*.yaml") if path.name != "fleet.yaml")
    for name in manifests:
        shutil.copy(FLEET / "apps" / name, directory / name)
    write(tmp_path, "values.yaml", VALUES)
    write(directory, "kustomization.yaml", {"resources": manifests, "transformers": ["tailrender.yml"]})
    write(directory, "tailrender.yml", config(tailrender))
    want = objects(run(tailrender, "render", FLEET / "apps", "--values", tmp_path / "values.yaml", "--quiet"))
    compare(objects(run(*BUILD, directory)), want, config.__name__)


SHOP = {
    "service.yaml": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "annotations": {"tailscale.com/expose": "true"}},
                     "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}},
    "pod.yaml": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
                 "spec": {"containers": [{"name": "web", "image": "nginx", "envFrom": [{"configMapRef": {"name": "settings"}}]}]}},
}
KUSTOMIZATION = {"namespace": "shop", "namePrefix": "blue-", "resources": sorted(SHOP),
                 "configMapGenerator": [{"name": "settings", "literals": ["color=blue"]}]}


@pytest.fixture
def shop(tailrender, tmp_path):
    """A kustomization with kustomize's own features, and our function behind them."""
    directory = tmp_path / "shop"
    directory.mkdir()
    for name, value in SHOP.items():
        write(directory, name, value)
    write(directory, "kustomization.yaml", {**KUSTOMIZATION, "transformers": ["tailrender.yaml"]})
    write(directory, "tailrender.yaml", own(tailrender))
    return directory


def test_bookkeeping(tailrender, tmp_path, shop):
    """Compares kustomize's output with our function as a transformer, and without it."""
    full = objects(run(*BUILD, shop))
    write(shop, "kustomization.yaml", KUSTOMIZATION)
    bare = objects(run(*BUILD, shop))
    assert bare.items() < full.items()
    (tmp_path / "bare.yaml").write_text(yaml.safe_dump_all(bare.values()), encoding="utf-8")
    compare(full, objects(run(tailrender, "render", tmp_path / "bare.yaml", "--quiet")), "transformer behind a name prefix")


def test_chart(tailrender, tmp_path):
    """The operator's chart is a resource: its documents become those of our controller, in place."""
    shutil.copy(CHART, tmp_path / "chart.yaml")
    write(tmp_path, "kustomization.yaml", {"resources": ["chart.yaml"], "transformers": ["tailrender.yaml"]})
    write(tmp_path, "tailrender.yaml", own(tailrender, values=VALUES))
    write(tmp_path, "values.yaml", VALUES)
    want = objects(run(tailrender, "post-render", "--quiet", "--values", tmp_path / "values.yaml", stdin=CHART.read_text(encoding="utf-8")))
    compare(objects(run(*BUILD, tmp_path)), want, "transformer over the operator's chart")


INVALID = {**SHOP["service.yaml"], "metadata": {"name": "web", "annotations": {"tailscale.com/expose": "true", "tailscale.com/hostname": "my_shop"}}}


@pytest.mark.parametrize("rule, file, spoiled", [
    ("invalid-hostname", "service.yaml", lambda _: INVALID),
    ("unknown-key", "tailrender.yaml", lambda tailrender: own(tailrender, valeus={})),
    ("nothing-to-render", "kustomization.yaml", lambda _: {"generators": ["tailrender.yaml"]}),
])
def test_refused(tailrender, shop, rule, file, spoiled):
    write(shop, file, spoiled(tailrender))
    done = attempt(*BUILD, shop)
    assert done.returncode != 0 and done.stdout == "" and f"[{rule}]" in done.stderr

"""Proves that plugins/argocd works with the real argocd-cmp-server.

The server loads plugins/argocd/plugin.yaml and is asked over its gRPC API, by Argo CD's own client, what the repo server asks: whether a
directory is ours, which parameters there are, and the manifests. For each cluster of examples/fleet, chosen by parameter and by
`plugin.env`, these must be the very objects that `tailrender render` prints. A revision must not change them, the destination's namespace
must reach documents without one, and what we refuse must reach the user with our message. The sidecar patch must fit Argo CD's Deployment.
"""
import json
import shutil

import pytest
import yaml

from shared.checks import compare, objects, objects_of, run
from shared.cmp_server import PLUGIN, cluster, server
from shared.fleet import FLEET

COVERS = ["examples/fleet", "plugins/argocd", "renderer/cli", "renderer/repo"]
PROGRAMS = ["argocd", "kustomize"]


@pytest.fixture(scope="module")
def cmp(tools, tailrender, scratch):
    with server(tailrender, scratch) as found:
        yield found


def same(manifests, rendered):
    compare(objects(map(json.loads, manifests)), objects_of(rendered), "what the server generates")


def test_discovery(cmp):
    assert cmp.ask("match", FLEET) is True
    assert cmp.ask("match", FLEET, "apps") is False
    assert cmp.ask("match", FLEET, "apps", {"env": [{"name": "TAILRENDER_NAMESPACE", "value": "apps"}]}) is True
    announced = {entry["name"]: entry for entry in cmp.ask("parameters", FLEET)}
    assert announced["cluster"]["required"] and announced["cluster"]["tooltip"].endswith("ozilab, lab")
    assert announced["set"]["collectionType"] == "map"


@pytest.mark.parametrize("flags, plugin", [
    (["--cluster", "ozilab"], cluster("ozilab")),
    (["--cluster", "lab"], cluster("lab")),
    (["--cluster", "lab"], {"env": [{"name": "TAILRENDER_CLUSTER", "value": "lab"}, {"name": "UNRELATED", "value": ""}]}),
    (["--cluster", "lab", "--set", r"proxyConfig.defaultTags=tag:k8s\,tag:argo"],
     {"parameters": [{"name": "set", "map": {"proxyConfig.defaultTags": "tag:k8s,tag:argo"}}, {"name": "cluster", "string": "lab"}]}),
])
def test_generate(tailrender, cmp, flags, plugin):
    same(cmp.ask("generate", FLEET, plugin=plugin), run(tailrender, "render", FLEET, *flags, "--quiet"))


def revision(digit):
    return {"ARGOCD_APP_REVISION": digit * 40, "ARGOCD_APP_REVISION_SHORT": digit * 7}


@pytest.mark.always
def test_application(tailrender, cmp, tmp_path):
    """Renders a directory of plain manifests, with all settings that Argo CD passes for an application."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "annotations": {"tailscale.com/expose": "true"}},
               "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
    (tmp_path / "web.yaml").write_text(yaml.safe_dump(service), encoding="utf-8")
    told = {"ARGOCD_APP_NAME": "web", "ARGOCD_APP_NAMESPACE": "shop", "ARGOCD_APP_PROJECT_NAME": "default", "ARGOCD_APP_SOURCE_PATH": ".",
            "ARGOCD_APP_SOURCE_REPO_URL": "https://git.example.com/web.git", "ARGOCD_APP_SOURCE_TARGET_REVISION": "main"}
    first = cmp.ask("generate", tmp_path, env={**told, **revision("0")})
    assert first == cmp.ask("generate", tmp_path, env={**told, **revision("1")})
    same(first, run(tailrender, "render", tmp_path, "--namespace", "shop", "--quiet"))
    service["metadata"]["annotations"]["tailscale.com/hostname"] = "my_shop"
    (tmp_path / "web.yaml").write_text(yaml.safe_dump(service), encoding="utf-8")
    message = cmp.refusal(tmp_path, env=told)
    assert "web.yaml:6:29: error: Service/shop/web: " in message and "[invalid-hostname]" in message and "exit status 1" in message


@pytest.mark.parametrize("plugin, words, rule", [
    (None, 'a parameter "cluster"', "cluster-needed"),
    (cluster("ozilabb"), '"ozilab", "lab"', "unknown-cluster"),
    ({"parameters": [{"name": "clustr", "string": "lab"}]}, 'did you mean "cluster"?', "unknown-parameter"),
    ({"env": [{"name": "TAILRENDER_CLUSTR", "value": "lab"}]}, 'did you mean "TAILRENDER_CLUSTER"?', "unknown-parameter"),
    ({"parameters": [*cluster("lab")["parameters"], {"name": "values-files", "array": ["absent.yaml"]}]},
     "argocd.argoproj.io/manifest-generate-paths", "unreadable"),
    ({"parameters": [*cluster("lab")["parameters"], {"name": "values-files", "array": ["../absent.yaml"]}]},
     "outside of the work tree", "outside-tree"),
])
def test_refused(cmp, plugin, words, rule):
    message = cmp.refusal(FLEET, plugin)
    assert words in message and f"[{rule}]" in message and "exit status 1" in message


REPO_SERVER = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "argocd-repo-server", "namespace": "argocd"},
    "spec": {"selector": {"matchLabels": {"app": "repo"}},
             "template": {"metadata": {"labels": {"app": "repo"}},
                          "spec": {"containers": [{"name": "argocd-repo-server", "image": "quay.io/argoproj/argocd:v3.6.1"}],
                                   "volumes": [{"name": "var-files", "emptyDir": {}}, {"name": "plugins", "emptyDir": {}}]}}}}


def test_patch(tools, tmp_path):
    (tmp_path / "deployment.yaml").write_text(yaml.safe_dump(REPO_SERVER), encoding="utf-8")
    for name in ("plugin.yaml", "sidecar.yaml"):
        shutil.copy(PLUGIN / name, tmp_path / name)
    kustomization = {"namespace": "argocd", "resources": ["deployment.yaml"],
                     "patches": [{"path": "sidecar.yaml", "target": {"kind": "Deployment", "name": "argocd-repo-server"}}],
                     "configMapGenerator": [{"name": "tailrender-plugin", "files": ["plugin.yaml"]}]}
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(kustomization), encoding="utf-8")
    built = {value["kind"]: value for value in yaml.safe_load_all(run("kustomize", "build", tmp_path))}
    pod = built["Deployment"]["spec"]["template"]["spec"]
    sidecar = {container["name"]: container for container in pod["containers"]}["tailrender"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert len(pod["containers"]) == 2 and {mount["name"] for mount in sidecar["volumeMounts"]} == set(volumes)
    assert volumes["tailrender-plugin"]["configMap"]["name"] == built["ConfigMap"]["metadata"]["name"]

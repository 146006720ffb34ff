"""Roots of Flux that are changed before they are applied, by the real kustomize.

`flux bootstrap` is customized by patches in flux-system/kustomization.yaml, a FluxInstance by its own patches or by an overlay.
"""

import pytest

from test_kustomize_builds import renderer, tree

COVERS = ["renderer/engines/flux"]
PROGRAMS = ["kustomize"]
SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1m, url: https://example.com/acme/den}
"""
ROOT = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1h, path: ./clusters/den, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
"""
CHILD = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {interval: 1h, path: ./apps, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
"""
INSTANCE = """\
apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {name: flux, namespace: flux-system}
spec:
  distribution: {version: 2.x, registry: ghcr.io/fluxcd}
  sync: {kind: GitRepository, url: "https://example.com/acme/den", ref: refs/heads/main, path: clusters/den}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: flux-instance, namespace: flux-system}
spec:
  interval: 1h
  chartRef: {kind: OCIRepository, name: flux-instance, namespace: flux-system}
  values:
    instance:
      sync: {kind: GitRepository, url: "https://example.com/acme/den", ref: refs/heads/main, path: clusters/lab}
"""
CHILDREN_GET_A_CLASS = """\
- target: {kind: Kustomization, name: flux-system}
  patch: |
    - op: add
      path: /spec/patches
      value:
      - target: {kind: Kustomization}
        patch: |
          - op: add
            path: /spec/postBuild
            value: {substitute: {CLASS: tailscale}}
"""


@pytest.fixture
def render(tailrender, tools, tmp_path):
    return renderer(tailrender, tools, tmp_path)


def service(name, where="shop"):
    return (f'apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: {where}, annotations: {{tailscale.com/expose: "true"}}}}\n'
            f"spec: {{selector: {{app: {name}}}, ports: [{{port: 80}}]}}\n")


def ingress(name, ingress_class, annotations=""):
    return (f"apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: {name}, namespace: shop{annotations}}}\n"
            f"spec: {{ingressClassName: '{ingress_class}', tls: [{{hosts: [{name}]}}], defaultBackend: {{service: {{name: web, port: {{number: 80}}}}}}}}\n")


def patch(kind, operation):
    return f"- target: {{kind: {kind}}}\n  patch: |\n    - {operation}\n"


PUBLIC = ingress("old", "tailscale", ', annotations: {tailscale.com/funnel: "true"}')


def bootstrap(patches):
    return {"clusters/den/flux-system/gotk-sync.yaml": "---\n".join([SOURCE, ROOT]),
            "clusters/den/flux-system/kustomization.yaml": "resources: [gotk-sync.yaml]\n" + (f"patches:\n{patches}" if patches else ""),
            "clusters/den/apps.yaml": CHILD, "clusters/den/v2/new.yaml": service("new"), "clusters/den/old.yaml": PUBLIC,
            "clusters/den/web.yaml": service("web"), "apps/main/ing.yaml": ingress("shop", "${CLASS:=nginx}"), "apps/old/old.yaml": PUBLIC.replace("old", "older")}


def instance(patches):
    lines = "".join(f"    {line}\n" for line in patches.splitlines())
    return bootstrap("") | {"clusters/den/flux-system/gotk-sync.yaml": INSTANCE + (f"  kustomize:\n    patches:\n{lines}" if patches else "")}


def hosts(done):
    return {line.split()[0] for line in done.stdout.splitlines() + done.stderr.splitlines() if line.split()[1:2] and line.split()[1] in ("Service", "Ingress")}


CHANGES = [
    ("", {"shop-new", "shop-web", "old", "older"}),
    (CHILDREN_GET_A_CLASS, {"shop-new", "shop-web", "old", "older", "shop"}),
    (patch("Kustomization", "{op: replace, path: /spec/path, value: ./clusters/den/v2}"), {"shop-new"}),
    (patch("GitRepository", "{op: add, path: /spec/ignore, value: '/apps/old'}"), {"shop-new", "shop-web", "old"}),
    (patch("Deployment", "{op: remove, path: /spec/replicas}").replace("Deployment}", "Deployment, name: no}"), {"shop-new", "shop-web", "old", "older"}),
]


@pytest.mark.parametrize("build", [bootstrap, instance])
@pytest.mark.parametrize("patches, wanted", CHANGES)
def test_patches_change_the_root(render, tmp_path, build, patches, wanted):
    tree(tmp_path, build(patches))
    done = render("-o", "out")
    assert done.returncode == 0, done.stderr
    assert hosts(done) == wanted, done.stderr


@pytest.mark.parametrize("build", [bootstrap, instance])
def test_a_patch_suspends_the_root(render, tmp_path, build):
    tree(tmp_path, build(""))
    assert render("-o", "out").returncode == 0
    tree(tmp_path, build(patch("Kustomization", "{op: add, path: /spec/suspend, value: true}")))
    (tmp_path / "clusters/den/web.yaml").unlink()
    done = render("-o", "out")
    assert done.returncode == 1, done.stderr
    assert "[unexplained-removal]" in done.stderr
    assert "shop-web" in done.stderr


def test_without_kustomize_the_root_of_an_instance_is_not_known(render, tmp_path):
    tree(tmp_path, instance(CHANGES[2][0]))
    done = render("-o", "out", "--kustomize", "none")
    assert done.returncode == 1
    assert "[assumed-units]" in done.stderr


OVERLAY = "resources: [../../../flux]\npatches:\n" + patch("FluxInstance", "{op: replace, path: /spec/sync/path, value: clusters/NAME}")


def overlays(*names):
    files = {"flux/instance.yaml": INSTANCE.replace("clusters/den", "clusters/unset"), "flux/kustomization.yaml": "resources: [instance.yaml]\n"}
    for name in names:
        files |= {f"clusters/{name}/flux/kustomization.yaml": OVERLAY.replace("NAME", name), f"clusters/{name}/web.yaml": service(name)}
    return files


def test_overlays_of_one_instance_are_clusters(render, tmp_path):
    tree(tmp_path, overlays("den"))
    done = render("-o", "out")
    assert hosts(done) == {"shop-den"}, done.stderr
    tree(tmp_path, overlays("den", "lab"))
    done = render("-o", "lab", "--cluster", "lab")
    assert done.returncode == 0, done.stderr
    assert hosts(done) == {"shop-lab"}, done.stderr


def test_an_overlay_moves_the_instance_of_a_release(render, tmp_path):
    tree(tmp_path, {"clusters/base/instance.yaml": RELEASE, "clusters/base/kustomization.yaml": "resources: [instance.yaml]\n",
                    "clusters/den/kustomization.yaml": "resources: [../base, web.yaml]\npatches:\n"
                    + patch("HelmRelease", "{op: replace, path: /spec/values/instance/sync/path, value: clusters/den}"),
                    "clusters/den/web.yaml": service("web"), "clusters/lab/old.yaml": PUBLIC})
    done = render("-o", "out")
    assert hosts(done) == {"shop-web"}, done.stderr
    assert "PUBLIC" not in done.stdout


def test_a_kustomization_changes_a_source(render, tmp_path):
    source = SOURCE.replace("flux-system, namespace", "apps, namespace")
    change = patch("GitRepository", "{op: replace, path: /spec/url, value: https://example.com/acme/attic}")
    for patches, wanted in (("", {"shop-a"}), (f"patches:\n{change}", set())):
        tree(tmp_path, {"clusters/den/sync.yaml": "---\n".join([SOURCE, ROOT]),
                        "clusters/den/src.yaml": CHILD.replace("name: apps", "name: src").replace("./apps", "./src"),
                        "clusters/den/apps.yaml": CHILD.replace("kind: GitRepository, name: flux-system", "kind: GitRepository, name: apps"),
                        "src/source.yaml": source, "src/kustomization.yaml": "resources: [source.yaml]\n" + patches, "apps/a.yaml": service("a")})
        done = render("-o", "out", "--allow-empty", "--ignore", "apps")
        assert hosts(done) == wanted, done.stderr


def test_an_overlay_without_patches_is_a_cluster(render, tmp_path):
    tree(tmp_path, overlays("lab") | {"flux/instance.yaml": INSTANCE, "clusters/den/flux/kustomization.yaml": "resources: [../../../flux]\n",
                                      "clusters/den/web.yaml": service("den")})
    for name in ("den", "lab"):
        done = render("-o", name, "--cluster", name)
        assert hosts(done) == {f"shop-{name}"}, done.stderr


def test_an_overlay_that_cannot_be_built_is_named(render, tmp_path):
    tree(tmp_path, overlays("den") | {"clusters/den/flux/kustomization.yaml": OVERLAY.replace("NAME", "den").replace("../flux]", "../flux, gone.yaml]")})
    done = render("-o", "out")
    assert done.returncode == 1
    assert "[assumed-units]" in done.stderr
    assert "gone.yaml" in done.stderr


@pytest.mark.parametrize("build", [instance, bootstrap])
def test_a_source_of_another_cluster_may_differ(render, tmp_path, build):
    ignored = patch("GitRepository", "{op: add, path: /spec/ignore, value: '/apps/old'}")
    for name, patches in (("den", ""), ("lab", ignored)):
        files = {path.replace("clusters/den", f"clusters/{name}"): text.replace("clusters/den", f"clusters/{name}") for path, text in build(patches).items()}
        tree(tmp_path, files)
    for name, wanted in (("den", True), ("lab", False)):
        done = render("-o", name, "--cluster", name)
        assert done.returncode == 0, done.stderr
        assert ("older" in hosts(done)) == wanted, done.stderr


def test_an_instance_of_an_artifact_has_patches(render, tmp_path):
    verify = patch("OCIRepository", "{op: add, path: /spec/verify, value: {provider: cosign}}") + CHILDREN_GET_A_CLASS
    files = instance(verify)
    sync = "clusters/den/flux-system/gotk-sync.yaml"
    tree(tmp_path, files | {sync: files[sync].replace("kind: GitRepository, url: \"https", "kind: OCIRepository, url: \"oci")})
    done = render("-o", "out")
    assert done.returncode == 0, done.stderr
    assert "shop-new" in hosts(done), done.stderr


def test_patches_without_effect_need_no_kustomize(render, tmp_path):
    patches = (patch("Kustomization", "{op: add, path: /spec/decryption, value: {provider: sops}}")
               + "- patch: |\n    apiVersion: kustomize.toolkit.fluxcd.io/v1\n    kind: Kustomization\n    metadata: {name: flux-system, namespace: flux-system}\n"
                 "    spec: {decryption: {provider: sops}, timeout: 5m}\n  target: {kind: Kustomization}\n")
    tree(tmp_path, instance(patches))
    done = render("-o", "out", "--kustomize", "none")
    assert done.returncode == 0, done.stderr
    assert hosts(done) == CHANGES[0][1], done.stderr

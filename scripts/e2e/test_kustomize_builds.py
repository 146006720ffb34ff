"""What the user's own kustomize builds, against the real kustomize.

A kustomization that says more than tailrender executes gives the same objects as `kustomize build | tailrender post-render`. What kustomize would
fetch or run is left out and named, and nothing outside of the tree is read.
"""
import os
import shutil
import subprocess
import textwrap

import pytest
import yaml

from shared.checks import run

COVERS = ["renderer/engines/kustomize"]
PROGRAMS = ["kustomize", "kubernetes"]
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}
spec: {selector: {app: web}, ports: [{port: 80, name: http}]}
"""
# Each value is a kustomization.yaml of app/, beside service.yaml.
BUILDS = {
    "prefix": "namePrefix: prod-\nresources: [service.yaml]\n",
    "suffix and namespace": "nameSuffix: -x\nnamespace: other\nresources: [service.yaml]\n",
    "labels": "labels: [{pairs: {team: a}, includeSelectors: true}]\nresources: [service.yaml]\n",
    "annotation by a patch": "resources: [service.yaml]\npatches:\n- target: {kind: Service}\n  patch: |\n    - op: add\n"
                             "      path: /metadata/annotations/tailscale.com~1hostname\n      value: shop\n",
    "strategic merge": "resources: [service.yaml]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: Service\n"
                       "    metadata: {name: web, namespace: shop}\n    spec: {ports: [{port: 443, name: https}]}\n",
    "component": "resources: [service.yaml]\ncomponents: [../component]\n",
    "base": "resources: [../base]\nnamePrefix: prod-\n",
    "replacements": "resources: [service.yaml]\nreplacements:\n- source: {kind: Service, name: web, fieldPath: metadata.name}\n  targets:\n"
                    "  - select: {kind: Service}\n    fieldPaths: [\"metadata.annotations.[tailscale.com/hostname]\"]\n    options: {create: true}\n",
}
FILES = {
    "app/service.yaml": SERVICE,
    "base/kustomization.yaml": "resources: [api.yaml]\n",
    "base/api.yaml": SERVICE.replace("name: web,", "name: api,"),
    "component/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Service}\n  patch: |\n"
                                    "    - {op: replace, path: /spec/ports/0/port, value: 8080}\n",
}


def tree(root, files):
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text))


def renderer(tailrender, tools, tmp_path, top="."):
    """A function that renders `top` with --only generated, with the programs in `tools`."""
    def call(*arguments, path=str(tools), cwd=tmp_path, root=top):
        return subprocess.run([tailrender, "render", root, "--only", "generated", *arguments], cwd=cwd, capture_output=True, text=True,
                              env={"PATH": path, "TMPDIR": os.environ.get("TMPDIR", "/tmp")}, timeout=120)
    return call


@pytest.fixture
def render(tailrender, tools, tmp_path):
    return renderer(tailrender, tools, tmp_path)


@pytest.mark.parametrize("name", BUILDS)
def test_gives_what_the_stream_of_kustomize_gives(render, tailrender, tools, tmp_path, name):
    tree(tmp_path, {**FILES, "app/kustomization.yaml": BUILDS[name]})
    if name != "base":
        shutil.rmtree(tmp_path / "base")
    built = run(tools / "kustomize", "build", "app", cwd=tmp_path)
    stream = subprocess.run([tailrender, "post-render", "--quiet"], input=built, capture_output=True, text=True, check=True).stdout
    sources = list(yaml.safe_load_all(built))
    want = [document for document in yaml.safe_load_all(stream) if document not in sources]
    ours = render()
    assert ours.returncode == 0, ours.stderr
    assert list(yaml.safe_load_all(ours.stdout)) == want
    assert len(want) >= 6
    version = run(tools / "kustomize", "version").strip()
    assert f"1 kustomization built by kustomize {version}\n" in ours.stderr
    assert f"{'base/api' if name == 'base' else 'app/service'}.yaml (kustomize build app)\n" in ours.stderr


INGRESS = """
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec: {tls: [{hosts: [web]}], defaultBackend: {service: {name: web, port: {number: 80}}}}
"""
LOAD_BALANCER = 'operatorConfig: {extraEnv: [{name: OPERATOR_DEFAULT_LOAD_BALANCER, value: "true"}]}'


@pytest.mark.parametrize(("setting", "web", "patch"), [
    ("ingressClass: {name: mesh}", INGRESS, "{op: add, path: /spec/ingressClassName, value: mesh}"),
    (LOAD_BALANCER, SERVICE.replace(', annotations: {tailscale.com/expose: "true"}', ""), "{op: add, path: /spec/type, value: LoadBalancer}")])
def test_builds_what_settings_make_an_input(render, tmp_path, setting, web, patch):
    tree(tmp_path, {"app/web.yaml": web, "values.yaml": setting + "\n",
                    "app/kustomization.yaml": f"resources: [web.yaml]\npatches:\n- target: {{name: web}}\n  patch: |\n    - {patch}\n"})
    ours = render("--values", "values.yaml")
    assert ours.returncode == 0, ours.stderr
    assert "app/web.yaml (kustomize build app)\n" in ours.stderr
    assert render("--allow-empty").stdout == ""


def test_explains_where_an_object_comes_from(tailrender, tools, tmp_path):
    tree(tmp_path, {**FILES, "app/kustomization.yaml": "namePrefix: a-\nresources: [service.yaml]\n"})
    shown = subprocess.run([tailrender, "explain", "Service/shop/a-web", ".", "--kustomize", tools / "kustomize", "--only", "generated"], cwd=tmp_path,
                           capture_output=True, text=True, check=True).stdout
    assert "    app/service.yaml (kustomize build app) | kind: Service\n" in shown
    assert '    app/service.yaml (kustomize build app) |     tailscale.com/expose: "true"\n' in shown


@pytest.mark.parametrize("program", ["kustomize", "kubectl"])
@pytest.mark.parametrize("top", ["app", "."])
def test_names_the_file_of_a_mistake(render, tools, tmp_path, program, top):
    wrong = SERVICE.replace('expose: "true"', 'expose: "true", tailscale.com/hostname: Not_valid')
    tree(tmp_path, {**FILES, "component/kustomization.yaml": "", "base/api.yaml": wrong.replace("name: web,", "name: api,"),
                    "app/lists/both.json": '{"apiVersion": "v1", "kind": "List", "items": '
                                           + str([yaml.safe_load(wrong.replace("name: web,", f"name: {name},")) for name in "bc"]).replace("'", '"')
                                           + "}"})
    (tmp_path / "component/kustomization.yaml").unlink()
    to_base = "../base" if top == "app" else "base"
    in_app = "" if top == "app" else "app/"
    (tmp_path / top / "kustomization.yaml").write_text(f"namePrefix: a-\nsortOptions: {{order: fifo}}\n"
                                                       f"resources: [{to_base}, {in_app}lists/both.json, {in_app}service.yaml]\n")
    refused = render("--kustomize", tools / program)
    assert refused.returncode == 1
    places = [line.split(" error: ")[0] for line in refused.stderr.splitlines() if "[invalid-hostname]" in line]
    assert "Service/shop/a-api: invalid hostname" in refused.stderr
    assert places == [f"base/api.yaml (kustomize build {top}):"] + 2 * [f"app/lists/both.json (kustomize build {top}):"]


def test_needs_a_program(render, tmp_path):
    tree(tmp_path, {**FILES, "app/kustomization.yaml": BUILDS["prefix"]})
    for refused in (render(path=""), render("--kustomize", "none")):
        assert refused.returncode == 1
        assert '"namePrefix" of a kustomization is not supported' in refused.stderr


def test_says_what_kustomize_says(render, tmp_path):
    tree(tmp_path, {**FILES, "app/kustomization.yaml": "resources: [service.yaml]\npatches: [{path: absent.yaml}]\n"})
    failed = render()
    assert failed.returncode == 1
    assert "app: error: kustomize cannot build this directory [kustomize-failed]" in failed.stderr
    assert "absent.yaml" in failed.stderr
    assert "/tmp" not in failed.stderr.replace(str(tmp_path), "").split("hint:")[0]


@pytest.mark.parametrize("program", ["kustomize", "kubectl"])
@pytest.mark.parametrize("kustomization, files", [
    ("resources: [service.yaml]\nsecretGenerator: [{name: s, envs: [bad.env]}]\npatches: [{path: absent.yaml}]\n",
     {"bad.env": "tskey-client-hidden\xa0value\n"}),
    ("resources: [service.yaml, secret.yaml]\n", {"secret.yaml": "kind: Secret\nstringData: {key: hidden}\n"}),
    ("resources: [service.yaml, secret.yaml]\n", {"secret.yaml": "kind: Secret\nstringData:\n\tkey: hidden\n"}),
    ("resources: [service.yaml]\npatches: [{patch: '{kind: Secret, stringData: {key: hidden}}'}]\n", {}),
], ids=["generator", "resource", "not YAML", "patch"])
def test_shows_no_value_of_a_secret(render, tools, tmp_path, program, kustomization, files):
    tree(tmp_path, {**FILES, **{f"app/{name}": text for name, text in files.items()},
                    "app/kustomization.yaml": f"namePrefix: a-\n{kustomization}"})
    failed = render("--kustomize", tools / program)
    assert failed.returncode == 1
    assert "a message that may hold values of a Secret" in failed.stderr
    assert "hidden" not in failed.stdout + failed.stderr


@pytest.mark.parametrize("inside", [True, False])
def test_builds_what_is_remote_with_a_copy_at_hand(render, tmp_path, inside):
    place = "repo/vendor" if inside else "elsewhere"
    tree(tmp_path, {
        "repo/app/kustomization.yaml": """
            namespace: shop
            resources: [https://raw.githubusercontent.com/acme/web/v1/all.yaml, "https://github.com/acme/web//base?ref=v1"]
            components: ["https://github.com/acme/web//component?ref=v1"]
            patches:
            - path: https://raw.githubusercontent.com/acme/web/v1/patch.yaml
            - target: {kind: Service, name: web}
              patch: |-
                - {op: add, path: /metadata/annotations, value: {tailscale.com/expose: "true"}}
            """,
        f"{place}/all.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n",
        f"{place}/patch.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web, labels: {tier: front}}\n",
        **{f"{place}/{path}": FILES[path] for path in ("base/kustomization.yaml", "base/api.yaml", "component/kustomization.yaml")},
    })
    ours = render("--source", f"https://github.com/acme/web={tmp_path / place}", root="repo")
    assert ours.returncode == 0, ours.stderr
    assert {"ts-web-", "ts-api-"} <= {document["metadata"]["name"][:7] for document in yaml.safe_load_all(ours.stdout)}
    where = "repo/vendor" if inside else "repo/_sources/github.com/acme/web"
    assert f"{where}/base/api.yaml (kustomize build app)" in ours.stderr
    assert "--source " in render(root="repo").stderr


@pytest.mark.parametrize("field", ["patches: [{path: URL}]", "patchesStrategicMerge: [URL]", "patchesJson6902: [{path: URL, target: {kind: Service}}]",
                                   "configurations: [URL]", "replacements: [{path: URL}]"])
def test_fetches_no_part_of_a_kustomization(render, tmp_path, field):
    url = "https://raw.githubusercontent.com/example/x/main/patch.yaml"
    tree(tmp_path, {"app/service.yaml": SERVICE, "app/kustomization.yaml": f"resources: [service.yaml]\n{field.replace('URL', url)}\n"})
    ours = render()
    assert ours.returncode == 0, ours.stderr
    assert "[not-built]" in ours.stderr and f"found: {url}" in ours.stderr and "name: ts-web-" in ours.stdout


@pytest.mark.parametrize("entry, what", [
    ("helmCharts: [{name: certs, repo: https://example.com}]", "chart certs"),
    ("namePrefix: a-\nresources: [service.yaml, https://example.com/crds.yaml]", "https://example.com/crds.yaml"),
    ("generators: [plug-in.yaml]", "plug-in app/plug-in.yaml"),
    ("transformers: [plug-in.yaml]", "plug-in app/plug-in.yaml"),
])
def test_leaves_out_what_would_be_fetched_or_run(render, tmp_path, entry, what):
    listed = entry if "resources:" in entry else f"resources: [service.yaml]\n{entry}"
    plug_in = ("apiVersion: example.com/v1\nkind: Run\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n"
               f"      exec: {{path: {tmp_path}/run.sh}}\n")
    tree(tmp_path, {"app/service.yaml": SERVICE, "app/kustomization.yaml": listed + "\n", "app/plug-in.yaml": plug_in,
                    "run.sh": f"#!/bin/sh\ntouch {tmp_path}/has-run\ncat\n"})
    (tmp_path / "run.sh").chmod(0o755)
    done = render()
    assert done.returncode == 0, done.stderr
    assert "[not-built]" in done.stderr and f"found: {what}" in done.stderr
    assert not (tmp_path / "has-run").exists()
    assert "StatefulSet" in done.stdout


@pytest.mark.parametrize("entry", ["../../outside.yaml", "link.yaml", "linked"])
def test_reads_nothing_outside_of_the_tree(render, tmp_path, entry):
    inside, secret = tmp_path / "tree", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: secret-of-the-machine, namespace: shop}\n"
    tree(tmp_path, {"tree/app/service.yaml": SERVICE, "outside.yaml": secret, "outside/kustomization.yaml": "resources: [../outside.yaml]\n"})
    (inside / "app/kustomization.yaml").write_text(f"namePrefix: a-\nresources: [service.yaml, {entry}]\n")
    (inside / "app/link.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "app/linked").symlink_to(tmp_path / "outside")
    refused = render(cwd=inside)
    assert refused.returncode == 1
    assert "secret-of-the-machine" not in refused.stdout + refused.stderr


def test_a_component_is_part_of_what_names_it(render, tmp_path):
    tree(tmp_path, {**FILES, "app/kustomization.yaml": BUILDS["component"] + "namePrefix: prod-\n"})
    shutil.rmtree(tmp_path / "base")
    (tmp_path / "component/extra.yaml").write_text(SERVICE.replace("name: web,", "name: extra,"))
    with (tmp_path / "component/kustomization.yaml").open("a") as component:
        component.write("resources: [extra.yaml]\n")
    done = render()
    assert done.returncode == 0, done.stderr
    names = [document["metadata"]["labels"]["tailscale.com/parent-resource"] for document in yaml.safe_load_all(done.stdout)
             if document["kind"] == "StatefulSet"]
    assert sorted(names) == ["prod-extra", "prod-web"]


@pytest.mark.parametrize("feature", ["", "namePrefix: prod-\n"])
def test_a_second_run_reads_nothing_of_the_first(render, tailrender, tools, tmp_path, feature):
    """Its output is listed where the sources are: one kustomization applies all."""
    root = feature + "resources: [app/service.yaml"
    tree(tmp_path, {"app/service.yaml": SERVICE, "kustomization.yaml": root + "]\n"})
    first = render("-o", "tailnet")
    assert first.returncode == 0, first.stderr
    (tmp_path / "kustomization.yaml").write_text(root + ", tailnet]\n")
    again = render("-o", "tailnet")
    assert again.returncode == 0, again.stderr
    checked = subprocess.run([tailrender, "check", ".", "--only", "generated", "-o", "tailnet"], cwd=tmp_path, capture_output=True, text=True,
                             env={"PATH": str(tools)})
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_output_does_not_depend_on_how_the_tree_is_called(render, tmp_path):
    tree(tmp_path, {**FILES, "app/kustomization.yaml": BUILDS["prefix"]})
    outputs = set()
    for path in (".", "./", str(tmp_path), f"../{tmp_path.name}"):
        folder = tmp_path.parent / "out"
        done = render("-o", str(folder), root=path)
        assert done.returncode == 0, done.stderr
        outputs.add("\n".join(file.read_text() for file in sorted(folder.rglob("*")) if file.is_file()))
        shutil.rmtree(folder)
    assert len(outputs) == 1


def test_a_patch_of_what_a_chart_would_make_is_left_out_with_it(render, tmp_path):
    patch = "apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\n{rest}"
    tree(tmp_path, {"app/service.yaml": SERVICE, "app/chart.yaml": patch.format(kind="ConfigMap", name="of-the-chart", rest="data: {a: b}\n"),
                    "app/web.yaml": patch.format(kind="Service", name="web", rest="spec: {ports: [{port: 443, name: https}]}\n"),
                    "app/kustomization.yaml": "resources: [service.yaml]\nhelmCharts: [{name: argo-cd, repo: https://example.com}]\n"
                                              "patches: [{path: chart.yaml}, {path: web.yaml}]\n"})
    done = render()
    assert done.returncode == 0, done.stderr
    assert "found: patch of ConfigMap/of-the-chart" in done.stderr
    assert "StatefulSet" in done.stdout
    (tmp_path / "app/kustomization.yaml").write_text("resources: [service.yaml]\npatches: [{path: chart.yaml}]\n")
    refused = render()
    assert refused.returncode == 1
    assert 'no resource matches strategic merge patch "ConfigMap' in refused.stderr


def test_leaves_out_a_patch_in_its_own_kustomization_alone(render, tmp_path):
    patch = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop, annotations: {tailscale.com/hostname: mine}}\n"
    tree(tmp_path, {"kustomization.yaml": "resources: [a, b]\n",
                    "a/kustomization.yaml": "resources: [https://example.com/x.yaml]\npatches: [{path: patch.yaml}]\n", "a/patch.yaml": patch,
                    "b/kustomization.yaml": "resources: [service.yaml]\npatches: [{path: patch.yaml}]\n", "b/patch.yaml": patch, "b/service.yaml": SERVICE})
    done = render()
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("found: patch of Service/web") == 1
    assert "hostname: mine" in done.stdout


def test_reads_what_kustomize_has_changed_alone(render, tmp_path):
    """A Service is called web-x after the build: web must not be taken for the backend."""
    ingress = ("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\nspec:\n  ingressClassName: tailscale\n"
               "  defaultBackend: {service: {name: web, port: {name: http}}}\n")
    tree(tmp_path, {"app/kustomization.yaml": "nameSuffix: -x\nresources: [plain.yaml, service.yaml]\n",
                    "app/plain.yaml": SERVICE.replace(", annotations: {tailscale.com/expose: \"true\"}", ""),
                    "app/service.yaml": SERVICE.replace("name: web,", "name: other,"), "ingress.yaml": ingress})
    refused = render()
    assert refused.returncode == 1
    assert "[missing-backend-service]" in refused.stderr


@pytest.mark.parametrize("feature", ["", "labels: [{pairs: {a: b}}]\n"])
@pytest.mark.parametrize("field", ["resources", "bases"])
def test_the_first_run_may_find_its_output_listed(render, tmp_path, feature, field):
    tree(tmp_path, {"app/service.yaml": SERVICE, "app/kustomization.yaml": "resources: [service.yaml]\n",
                    "kustomization.yaml": f"{feature}{field}: [app, tailnet]\n"})
    for _ in range(2):
        done = render("-o", "tailnet")
        assert done.returncode == 0, done.stderr
    assert list((tmp_path / "tailnet").rglob("statefulset*"))


EGRESS = """# kept
apiVersion: v1
kind: Service
metadata:
  name: db
  annotations: {tailscale.com/tailnet-fqdn: db.example.ts.net}
spec:
  type: ExternalName
  externalName: placeholder  # kept
"""


def fixed(tailrender, tools, root):
    return subprocess.run([tailrender, "fix", root, "--kustomize", tools / "kustomize"], capture_output=True, text=True, timeout=120)


def test_fix_edits_the_file_that_kustomize_was_given(render, tailrender, tools, tmp_path):
    tree(tmp_path, {"app/kustomization.yaml": "namespace: shop\nlabels: [{pairs: {a: b}}]\nresources: [db.yaml]\n", "app/db.yaml": EGRESS})
    refused = render()
    assert refused.returncode == 1
    assert "app/db.yaml:9:17: error: Service/shop/db: this Service must name its proxy" in refused.stderr
    done = fixed(tailrender, tools, tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "app/db.yaml").read_text(encoding="utf-8")
    assert text == EGRESS.replace("placeholder", "ts-db-p4q52.tailscale.svc.cluster.local")
    assert render().returncode == 0


def test_fix_changes_nothing_that_two_builds_share(tailrender, tools, tmp_path):
    tree(tmp_path, {"base/kustomization.yaml": "resources: [db.yaml]\n", "base/db.yaml": EGRESS,
                    **{f"{name}/kustomization.yaml": f"namespace: {name}\nlabels: [{{pairs: {{a: b}}}}]\nresources: [../base]\n" for name in "ab"}})
    done = fixed(tailrender, tools, tmp_path)
    assert done.returncode == 1
    assert "two documents share this text" in done.stderr
    assert (tmp_path / "base/db.yaml").read_text(encoding="utf-8") == EGRESS


def test_fix_needs_the_name_that_the_file_says(tailrender, tools, tmp_path):
    tree(tmp_path, {"app/kustomization.yaml": "namespace: shop\nnamePrefix: a-\nresources: [db.yaml]\n", "app/db.yaml": EGRESS})
    done = fixed(tailrender, tools, tmp_path)
    assert done.returncode == 1
    assert "write that line where the build takes this Service from" in done.stderr


def test_leaves_out_a_secret_that_git_has_not(render, tmp_path):
    tree(tmp_path, {**FILES, "app/kustomization.yaml": "namePrefix: prod-\nresources: [service.yaml, db-secret.yaml]\n"})
    done = render()
    assert done.returncode == 0 and "name: ts-prod-web-" in done.stdout
    assert "db-secret.yaml" in done.stderr and "[not-built]" in done.stderr

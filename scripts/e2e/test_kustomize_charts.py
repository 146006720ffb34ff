"""Charts of kustomizations as the real kustomize inflates them, and values of charts that cannot be read."""
import pytest
import yaml

import test_charts
from test_charts import CHART, chart, documents, run, wanted
from test_kustomize_builds import tree

COVERS = ["renderer/engines/helm", "renderer/engines/kustomize"]
PROGRAMS = ["helm3", "kustomize", "kubernetes"]
render = test_charts.render
INFLATED = "helmCharts: [{name: web, releaseName: web, valuesInline: {annotations: {tailscale.com/expose: 'true'}}}]\n"
GATED = CHART["templates/service.yaml"].replace("{{ toJson .Values.annotations }}", "{tailscale.com/expose: \"{{ .Values.expose }}\"}")
VALUES = "expose: false\nport: 80\n"
OWN = CHART["templates/service.yaml"].replace("{{ .Release.Name }}", "own\n          namespace: shop") \
    .replace("{{ toJson .Values.annotations }}", '{tailscale.com/expose: "true"}').replace("{{ .Values.port }}", "80")


def inflated(tools, folder):
    return run(tools / "kustomize", "build", "--enable-helm", "--helm-command", tools / "helm", folder)


@pytest.mark.parametrize("place", ["app", "app/base"])
def test_objects_of_a_chart_get_the_namespaces_that_kustomize_gives(render, tools, tailrender, tmp_path, place):
    more = CHART["templates/service.yaml"].replace("{{ .Release.Name }}", "more\n          namespace: {{ .Release.Namespace }}")
    values = "{annotations: {tailscale.com/expose: 'true'}}"
    tree(tmp_path, {"repo/app/kustomization.yaml": "namespace: shop\n" + "resources: [base]\n" * (place == "app/base"),
                    **chart(f"repo/{place}/charts/web", {"templates/more.yaml": more})})
    with open(tmp_path / f"repo/{place}/kustomization.yaml", "a", encoding="utf-8") as file:
        file.write(f"helmCharts: [{{name: web, releaseName: web, valuesInline: {values}}}]\n")
    stream = run(tools / "kustomize", "build", "--enable-helm", "--helm-command", tools / "helm", tmp_path / "repo/app")
    assert {text["metadata"].get("namespace") for text in yaml.safe_load_all(stream)} == {None, "shop"}
    assert documents(render("--namespace", "other")) == wanted(tailrender, stream, "--namespace", "other")


def test_words_that_are_no_booleans_stay_words(render, tools, tailrender, tmp_path):
    more = CHART["templates/service.yaml"].replace("{{ .Release.Name }}", "y\n          namespace: {{ .Release.Namespace }}\n          labels: {app: y, no: n}")
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\ndata:\n  y: axis\n  on: x\n"
    tree(tmp_path, {"repo/app/kustomization.yaml": "namespace: shop\n" + INFLATED,
                    **chart("repo/app/charts/web", {"templates/more.yaml": more.replace("name: y\n", 'name: "more"\n'), "templates/words.yaml": config})})
    stream = inflated(tools, tmp_path / "repo/app")
    assert '"y"' in stream and '"on"' in stream
    assert documents(render()) == wanted(tailrender, stream, "--namespace", "shop")


def test_one_chart_for_two_namespaces(render, tmp_path):
    tree(tmp_path, {"repo/kustomization.yaml": "resources: [a, b]\n", **{f"repo/{name}/kustomization.yaml": f"namespace: {name}\nresources: [../base]\n" for name in "ab"},
                    "repo/base/kustomization.yaml": INFLATED, **chart("repo/base/charts/web")})
    done = render()
    assert done.returncode == 1 and "this chart is for several namespaces [chart-not-usable]" in done.stderr and "found: a, b" in done.stderr, done.stderr


@pytest.mark.parametrize("text", [None, "expose: true\na: [\n", "<<<<<<< HEAD\nexpose: true\n=======\n>>>>>>> b\n"])
def test_values_of_a_kustomization_that_cannot_be_read(render, tmp_path, text):
    tree(tmp_path, {"repo/app/kustomization.yaml": "namespace: shop\nhelmCharts: [{name: web, releaseName: web, valuesFile: v.yaml}]\n",
                    "repo/app/v.yaml": "expose: true\n", "repo/own.yaml": OWN,
                    **chart("repo/app/charts/web", {"values.yaml": VALUES, "templates/service.yaml": GATED})})
    assert "shop-web" in str(render("-o", "out").stderr)
    if text is None:
        (tmp_path / "repo/app/v.yaml").unlink()
    else:
        (tmp_path / "repo/app/v.yaml").write_text(text)
    done = render("-o", "out")
    assert done.returncode == 1 and "kustomize cannot read the values of this chart [chart-not-usable]" in done.stderr, done.stderr


APPLICATION = """\
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {name: web, namespace: argocd}
    spec:
      project: default
      sources:
      - {repoURL: https://example.com/acme/fleet.git, path: own}
      - {repoURL: https://example.com/acme/fleet.git, path: charts/web, helm: {valueFiles: [prod.yaml]}}
      destination: {server: https://kubernetes.default.svc, namespace: shop}
    """


@pytest.mark.parametrize("text", ["expose: true\na: [\n", "- expose: true\n"])
def test_values_of_an_application_that_cannot_be_read(render, tmp_path, text):
    tree(tmp_path, {"repo/apps/web.yaml": APPLICATION, "repo/own/own.yaml": OWN, "repo/charts/web/prod.yaml": "expose: true\n",
                    **chart("repo/charts/web", {"values.yaml": VALUES, "templates/service.yaml": GATED})})
    assert "shop-web" in str(render("-o", "out").stderr)
    (tmp_path / "repo/charts/web/prod.yaml").write_text(text)
    done = render("-o", "out")
    assert done.returncode == 1 and "Application/argocd/web applies nothing: helm refuses its values" in done.stderr, done.stderr


def test_a_listed_file_that_is_not_there(render, tmp_path):
    tree(tmp_path, {"repo/own.yaml": OWN, "repo/app/kustomization.yaml": "namespace: shop\nnamePrefix: p-\nresources: [web.yaml]\n",
                    "repo/app/web.yaml": OWN.replace("name: own", "name: web").replace("          namespace: shop\n", "")})
    assert "shop-p-web" in str(render("-o", "out").stderr)
    (tmp_path / "repo/app/web.yaml").rename(tmp_path / "repo/app/service.yaml")
    done = render("-o", "out")
    assert done.returncode == 1 and "the objects of app/web.yaml are not known: app/kustomization.yaml, which lists it, is not built" in done.stderr, done.stderr


ROOT = """\
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {name: root, namespace: argocd}
    spec:
      project: default
      source: {repoURL: https://example.com/acme/fleet.git, path: root}
      destination: {server: https://kubernetes.default.svc}
    """
APPLICATIONS = """\
    {{- range .Values.applications }}
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {name: {{ . }}, namespace: argocd}
    spec:
      project: default
      source: {repoURL: {{ $.Values.repoURL }}, path: {{ . }}}
      destination: {server: https://kubernetes.default.svc, namespace: shop}
    {{- end }}
    """
INFLATED_ROOT = "helmCharts: [{name: all, releaseName: all, valuesInline: {repoURL: https://example.com/acme/fleet.git, applications: [own]}}]\n"


def test_applications_that_a_chart_makes_are_followed(render, tmp_path):
    tree(tmp_path, {"repo/root.yaml": ROOT, "repo/root/kustomization.yaml": INFLATED_ROOT, "repo/own/own.yaml": OWN,
                    "repo/root/charts/all/Chart.yaml": CHART["Chart.yaml"].replace("web", "all"), "repo/root/charts/all/templates/applications.yaml": APPLICATIONS})
    assert "shop-own" in str(render("-o", "out").stderr)
    done = render("-o", "out", "--kustomize", "none", "--allow-empty")
    assert done.returncode == 1 and "[roots-in-chart]" in done.stderr, done.stderr
    (tmp_path / "repo/root/kustomization.yaml").write_text(INFLATED_ROOT.replace("[own]", "[]"))
    done = render("-o", "out", "--allow-empty")
    assert done.returncode == 0 and "removes 1 device: shop-own" in done.stderr, done.stderr


@pytest.mark.parametrize("version, is_taken", [("1.2.0", True), ("v1.2.0", True), ("^1.1.0", True), ("1.2.x", True), ("1.3.0", False), ("~1.3", False)])
def test_a_chart_of_another_version_is_not_taken(render, tmp_path, version, is_taken):
    entry = INFLATED.replace("name: web,", f"name: web, repo: https://example.com/charts, version: {version},", 1)
    tree(tmp_path, {"repo/kustomization.yaml": "namespace: shop\n" + entry, **chart("repo/charts/web")})
    done = render("--allow-empty")
    assert done.returncode == 0 and ("shop-web" in done.stderr, "[not-built]" in done.stderr) == (is_taken, not is_taken), done.stderr

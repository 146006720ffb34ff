"""Charts that are in the tree or in a directory of --charts, against the real helm: clusters that apply them get what `helm template |
tailrender post-render` gives.

A chart that is not rendered is a warning that names the place where it is exposed.
"""
import base64
import os
import shutil
import subprocess
import textwrap

import pytest
import yaml

from shared.checks import run
from shared.images import OWN_IMAGES
from test_kustomize_builds import tree

COVERS = ["renderer/engines/helm"]
PROGRAMS = ["helm3", "helm4", "kustomize", "kubernetes"]
OWN = "https://example.com/acme/fleet.git"
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.0\n",
    "values.yaml": "annotations: {}\nport: 80\n",
    "templates/service.yaml": """\
        apiVersion: v1
        kind: Service
        metadata:
          name: {{ .Release.Name }}
          annotations: {{ toJson .Values.annotations }}
        spec:
          selector: {app: web}
          ports: [{port: {{ .Values.port }}}]
        """,
}
APPLICATION = f"""\
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {{name: shop, namespace: argocd}}
    spec:
      project: default
      source:
        repoURL: {OWN}
        path: charts/web
        helm: {{valueFiles: [prod.yaml], valuesObject: {{annotations: {{tailscale.com/expose: "true"}}}}, parameters: [{{name: port, value: "8080"}}]}}
      destination: {{server: https://kubernetes.default.svc, namespace: shop}}
    """
EXPOSED = ("--set-string", r"annotations.tailscale\.com/expose=true")
RELEASE = """\
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata: {name: web, namespace: shop}
    spec:
      interval: 1h
      chart: {spec: {chart: web, version: VERSION, sourceRef: {kind: HelmRepository, name: acme}}}
      valuesFrom: [{kind: ConfigMap, name: web-values}, {kind: ConfigMap, name: web-values, valuesKey: port, targetPath: port}]
      values: {annotations: {tailscale.com/expose: "true"}}
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: web-values, namespace: shop}
    data: {values.yaml: "annotations: {tailscale.com/hostname: shop}", port: "8443"}
    """


def chart(folder, files=None):
    return {f"{folder}/{path}": text for path, text in {**CHART, **(files or {})}.items()}


@pytest.fixture(params=["helm", "helm4"])
def helm(request, tools):
    return tools / request.param


@pytest.fixture
def render(tailrender, tools, tmp_path):
    def call(*arguments, path=str(tools), verb="render", only=("--only", "generated")):
        only = () if verb == "roots" else only
        return subprocess.run([tailrender, verb, "repo", *only, *arguments], cwd=tmp_path, capture_output=True, text=True,
                              env={"PATH": path, "TMPDIR": os.environ.get("TMPDIR", "/tmp")}, timeout=120)
    return call


def wanted(tailrender, stream, *arguments):
    """Returns what post-render adds to a stream."""
    done = subprocess.run([tailrender, "post-render", "--quiet", *arguments], input=stream, capture_output=True, text=True, check=True)
    sources = list(yaml.safe_load_all(stream))
    return [document for document in yaml.safe_load_all(done.stdout) if document not in sources]


def documents(done):
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def test_chart_of_an_application(render, helm, tailrender, tmp_path):
    tree(tmp_path, {"repo/apps/shop.yaml": APPLICATION, **chart("repo/charts/web", {"prod.yaml": "annotations: {tailscale.com/hostname: shop}\n"})})
    web = tmp_path / "repo/charts/web"
    stream = run(helm, "template", "shop", web, "--namespace", "shop", "--values", web / "prod.yaml", "--set", "port=8080", *EXPOSED)
    ours = render("--helm", helm)
    assert documents(ours) == wanted(tailrender, stream, "--namespace", "shop")
    assert f"1 chart rendered by helm {run(helm, 'version', '--template', '{{.Version}}')}\n" in ours.stderr
    assert "hidden-exposure" not in ours.stderr


@pytest.mark.parametrize("version, is_found", [("1.2.0", True), ("v1.2.0", True), ('">=1.0.0"', True), ("1.3.0", False)])
@pytest.mark.parametrize("is_archive", [False, True])
def test_release_of_a_chart_at_hand(render, tools, tailrender, tmp_path, version, is_found, is_archive):
    tree(tmp_path, {"repo/shop.yaml": RELEASE.replace("VERSION", version), **chart("charts/web")})
    if is_archive:
        run(tools / "helm", "package", tmp_path / "charts/web", "--destination", tmp_path / "archives")
    ours = render("--charts", "archives" if is_archive else "charts", *(() if is_found else ("--allow-empty",)))
    assert ("hidden-exposure" in ours.stderr) != is_found
    if is_found:
        stream = run(tools / "helm", "template", "web", tmp_path / "charts/web", "--namespace", "shop", "--set", "port=8443",
                     "--set-string", r"annotations.tailscale\.com/hostname=shop", *EXPOSED)
        assert documents(ours) == wanted(tailrender, stream, "--namespace", "shop")
    else:
        assert documents(ours) == []


def test_needs_helm_and_the_chart(render, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": RELEASE.replace("VERSION", "1.2.0"), **chart("charts/web")})
    done = render("--charts", "charts", path="/nonexistent")
    assert done.returncode == 1 and done.stdout == "" and "HelmRelease/shop/web" in done.stderr and "[no-helm]" in done.stderr, done.stderr
    for done in (render("--charts", "charts", "--helm", "none", "--allow-empty"), render("--allow-empty")):
        assert done.returncode == 0 and "HelmRelease/shop/web: a chart is configured to expose something" in done.stderr, done.stderr
        assert "StatefulSet" not in done.stdout


def test_charts_that_a_chart_depends_on(render, tools, tmp_path):
    parent = {"repo/charts/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies:\n"
                                             "- {name: web, version: 1.x, repository: REPOSITORY}\n",
              "repo/charts/shop/values.yaml": "web: {annotations: {tailscale.com/expose: 'true'}}\n",
              "repo/apps/shop.yaml": APPLICATION.replace("charts/web", "charts/shop").replace("valueFiles: [prod.yaml], ", "")}
    local = {path: text.replace("REPOSITORY", "file://../web") for path, text in parent.items()}
    tree(tmp_path, {**local, **chart("repo/charts/web"), **chart("elsewhere/web")})
    assert "name: ts-shop-" in render().stdout
    chart_file, listed = local["repo/charts/shop/Chart.yaml"].replace("v2", "v1").split("dependencies:")
    tree(tmp_path, {"repo/charts/shop/Chart.yaml": chart_file, "repo/charts/shop/requirements.yaml": "dependencies:" + listed})
    assert "name: ts-shop-" in render().stdout, "of Helm 2"
    (tmp_path / "repo/charts/shop/requirements.yaml").unlink()
    tree(tmp_path, {path: text.replace("REPOSITORY", "https://example.com/charts") for path, text in parent.items()})
    lacking = render("--allow-empty")
    assert lacking.returncode == 0 and "StatefulSet" not in lacking.stdout
    assert "no chart web" in lacking.stderr and "use --charts DIR with a directory that contains it" in lacking.stderr
    assert "hidden-exposure" in lacking.stderr
    assert "name: ts-shop-" in render("--charts", "elsewhere").stdout


def test_a_chart_that_fails_is_an_error(render, tmp_path):
    broken = {"templates/extra.yaml": '{{ fail "no room" }}\n', "prod.yaml": ""}
    tree(tmp_path, {"repo/apps/shop.yaml": APPLICATION, **chart("repo/charts/web", broken)})
    failed = render()
    assert failed.returncode == 1 and failed.stdout == ""
    assert "[helm-failed]" in failed.stderr and "no room" in failed.stderr and "[hidden-exposure]" in failed.stderr
    tree(tmp_path, chart("repo/charts/web", {"templates/extra.yaml": 'kind: Secret\n# {{ fail "p4ssw0rd" }}\n'}))
    hidden = render()
    assert "web/templates/extra.yaml:2:5: a message that may hold values of a Secret\n" in hidden.stderr and "p4ssw0rd" not in hidden.stderr


def test_chart_that_makes_applications(render, tmp_path):
    """There are two of them, one below the other; the first one is installed by hand."""
    plain = "".join(line for line in APPLICATION.splitlines(keepends=True) if "helm:" not in line)
    application = "{{- range .Values.apps }}\n---\n" + textwrap.dedent(plain).replace("name: shop", "name: {{ . }}").replace("charts/web", "{{ . }}") + "{{- end }}\n"
    tree(tmp_path, {
        "repo/top/Chart.yaml": "apiVersion: v2\nname: top\nversion: 0.1.0\n", "repo/top/values.yaml": "apps: [below]\n",
        "repo/below/Chart.yaml": "apiVersion: v2\nname: below\nversion: 0.1.0\n", "repo/below/values.yaml": "apps: [shop]\n",
        "repo/shop/service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web, annotations: {tailscale.com/expose: 'true'}}\n"
                                  "spec: {ports: [{port: 80}]}\n",
    })
    for chart_name in ("top", "below"):
        (tmp_path / f"repo/{chart_name}/templates").mkdir()
        (tmp_path / f"repo/{chart_name}/templates/apps.yaml").write_text(application)
    assert "name: ts-web-" in render().stdout
    assert [line.split()[:2] for line in render(verb="roots").stdout.splitlines() if line.strip()] == [
        ["chart", "top"], ["Application", "below"], ["Application", "shop"]]
    without = render("--helm", "none")
    assert without.returncode == 1 and without.stdout == "" and "[roots-in-chart]" in without.stderr
    shutil.rmtree(tmp_path / "repo/top")
    tree(tmp_path, {"repo/own.yaml": APPLICATION.replace("charts/web", "below").replace("name: shop,", "name: own,")})
    lacking = render()
    assert lacking.returncode == 1 and "[roots-in-chart]" in lacking.stderr and "no values file prod.yaml" in lacking.stderr, lacking.stderr


def test_strangers_chart(render, tmp_path):
    """The chart reads nothing of the machine, opens no connection, and ends."""
    secret = tmp_path / "secret"
    secret.write_text("p4ssw0rd")
    templates = {
        "templates/file.yaml": f'{{{{ .Files.Get "{secret}" }}}}{{{{ .Files.Get "../../../secret" }}}}\n',
        "templates/name.yaml": '# {{ getHostByName "example.com" }}\n# {{ lookup "v1" "Secret" "kube-system" "" }}\n',
    }
    tree(tmp_path, {"repo/apps/shop.yaml": APPLICATION, **chart("repo/charts/web", {**templates, "prod.yaml": ""})})
    done = render()
    assert "p4ssw0rd" not in done.stdout + done.stderr and "name: ts-shop-" in done.stdout
    tree(tmp_path, chart("repo/charts/web", {"templates/name.yaml": '{{ range until 100000000 }}{{ repeat 1000000 "x" }}{{ end }}\n'}))
    bomb = render()
    assert bomb.returncode == 1 and bomb.stdout == "" and "[helm-failed]" in bomb.stderr
    (tmp_path / "repo/charts/web/templates/name.yaml").unlink()
    (tmp_path / "repo/charts/web/templates/name.yaml").symlink_to(secret)
    link = render()
    assert link.returncode == 1 and "symbolic-link" in link.stderr and "p4ssw0rd" not in link.stdout + link.stderr


def kustomization(merge):
    return f"""\
        namespace: shop
        namePrefix: prod-
        resources: [config.yaml]
        helmCharts:
        - {{name: web, version: 1.2.0, releaseName: front, valuesFile: values.yaml, additionalValuesFiles: [more.yaml], valuesMerge: {merge},
           valuesInline: {{annotations: {{tailscale.com/expose: "true", tailscale.com/hostname: inline}}, port: 1}}}}
        """


@pytest.mark.parametrize("merge", ["override", "merge", "replace"])
@pytest.mark.parametrize("place", ["repo/app/charts/web", "elsewhere/web"])
def test_charts_of_a_kustomization(render, tools, tailrender, tmp_path, merge, place):
    tree(tmp_path, {
        "repo/app/kustomization.yaml": kustomization(merge), "repo/app/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
        "repo/app/values.yaml": "annotations: {tailscale.com/hostname: file, tailscale.com/tags: 'tag:a'}\nport: 2\n",
        "repo/app/more.yaml": "annotations: {tailscale.com/tags: 'tag:b'}\n",
        **chart(place), **chart("reference/charts/web"),
    })
    for file in (tmp_path / "repo/app").glob("*.yaml"):
        (tmp_path / "reference" / file.name).write_text(file.read_text())
    stream = run(tools / "kustomize", "build", "--enable-helm", "--helm-command", tools / "helm", tmp_path / "reference")
    ours = render("--charts", "elsewhere") if place.startswith("elsewhere") else render()
    assert documents(ours) == wanted(tailrender, stream, "--namespace", "shop")
    assert "hidden-exposure" not in ours.stderr and "not-built" not in ours.stderr
    assert "repo/app/kustomization.yaml (kustomize build app)\n" in ours.stderr
    without = render("--helm", "none", "--allow-empty")
    assert without.returncode == 0 and "[hidden-exposure]" in without.stderr and "chart web" in without.stderr


def test_what_is_left_beside_a_chart_has_its_place(render, tmp_path):
    tree(tmp_path, {"repo/app/kustomization.yaml": "# of the\n# shop\n" + textwrap.dedent(kustomization("merge")).replace(
        "config.yaml", "https://example.com/crds.yaml").replace(", valuesFile: values.yaml, additionalValuesFiles: [more.yaml]", ""),
        **chart("repo/app/charts/web")})
    done = render()
    assert done.returncode == 0, done.stderr
    assert "repo/app/kustomization.yaml:5:13: warning: this is remote and not fetched: what it exposes to the tailnet would be missing [not-built]" in done.stderr


def application(helm, path="charts/web"):
    return "\n".join(line.replace("charts/web", path) if "helm:" not in line else f"        helm: {helm}" for line in textwrap.dedent(APPLICATION).splitlines()
                     ).replace("        helm:", "    helm:") + "\n"


def test_parameters_are_texts_and_keep_their_commas(render, tmp_path):
    values = """{parameters: [
        {name: 'annotations.tailscale\\.com/expose', value: "true", forceString: true},
        {name: 'annotations.tailscale\\.com/tags', value: "tag:a,tag:b"}]}"""
    tree(tmp_path, {"repo/apps/shop.yaml": application(values.replace("\n", " ")), **chart("repo/charts/web")})
    done = render()
    assert "shop-shop  Service  tag:a,tag:b " in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["--set=port=99", "--set-file=x=/etc/hostname"])
def test_names_are_no_flags(render, tmp_path, name):
    values = f'{{releaseName: "{name}", valuesObject: {{annotations: {{tailscale.com/expose: "true"}}}}}}'
    tree(tmp_path, {"repo/apps/shop.yaml": application(values), **chart("repo/charts/web")})
    done = render()
    assert done.stdout == "" and "[helm-failed]" in done.stderr


def test_names_are_no_paths(render, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": RELEASE.replace("VERSION", "1.2.0").replace("chart: web,", 'chart: "..",'),
                    **chart("charts"), **chart("charts/lib/other")})
    release = render("--charts", "charts/lib")
    assert release.stdout == "" and "[chart-not-usable]" in release.stderr and 'name ".."' in release.stderr
    (tmp_path / "repo/shop.yaml").unlink()
    tree(tmp_path, {"repo/apps/shop.yaml": application('{valuesObject: {web: {annotations: {tailscale.com/expose: "true"}}}}', "charts/top"),
                    "repo/charts/top/Chart.yaml": "apiVersion: v2\nname: top\nversion: 1.0.0\ndependencies: [{name: ../other, version: 1.x, repository: https://x.invalid}]\n"})
    dependency = render("--charts", "charts/lib")
    assert dependency.stdout == "" and "[chart-not-usable]" in dependency.stderr and 'name "../other"' in dependency.stderr


def test_charts_without_end(render, tmp_path):
    dependencies = ", ".join(f"{{name: x{i}, version: 1.x, repository: 'file://.'}}" for i in range(4))
    tree(tmp_path, {"repo/apps/shop.yaml": APPLICATION, **chart("repo/charts/web", {
        "prod.yaml": "", "Chart.yaml": f"apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{dependencies}]\n"})})
    done = render("--allow-empty")
    assert done.returncode == 0 and done.stdout == "" and "more than 200 charts" in done.stderr
    for i in range(4):
        (tmp_path / f"repo/charts/web/l{i}").symlink_to(".")
    links = render()
    assert links.stdout == "" and ("[symbolic-link]" in links.stderr or "a link to a directory" in links.stderr)


def test_archives_and_values_may_hold_secrets(render, tools, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": RELEASE.replace("VERSION", "1.2.0"),
                    **chart("charts/web", {"templates/extra.yaml": 'kind: Secret\n# {{ fail "p4ssw0rd" }}\n'})})
    run(tools / "helm", "package", tmp_path / "charts/web", "--destination", tmp_path / "archives")
    done = render("--charts", "archives")
    assert "[helm-failed]" in done.stderr and "p4ssw0rd" not in done.stderr
    tree(tmp_path, {"repo/apps/shop.yaml": application('{valuesObject: {password: p4ssw0rd, annotations: {tailscale.com/expose: "true"}}}'),
                    **chart("repo/charts/web", {"values.schema.json": '{"properties": {"password": {"pattern": "^a"}}}'})})
    (tmp_path / "repo/shop.yaml").unlink()
    schema = render()
    assert "[helm-failed]" in schema.stderr and "p4ssw0rd" not in schema.stderr and "charts/web --values VALUES\n" in schema.stderr, schema.stderr


@pytest.mark.parametrize("change, found", [
    (("name: web-values, namespace", "name: other, namespace"), "no values.yaml in a ConfigMap web-values"),
    (("      values:", "      postRenderers: [{kustomize: {}}]\n      values:"), "postRenderers"),
])
def test_what_is_lacking_is_named(render, tmp_path, change, found):
    tree(tmp_path, {"repo/shop.yaml": RELEASE.replace("VERSION", "1.2.0").replace(*change), **chart("charts/web")})
    done = render("--charts", "charts", "--allow-empty")
    assert done.returncode == 0 and done.stdout == ""
    assert "[chart-not-usable]" in done.stderr and f"found: {found}" in done.stderr and "[hidden-exposure]" in done.stderr


def test_a_device_does_not_leave_since_values_are_in_a_secret_now(render, tmp_path):
    release, service = RELEASE.split("---")[0].replace("VERSION", "1.2.0"), CHART["templates/service.yaml"].replace("{{ .Release.Name }}", "own")
    tree(tmp_path, {"repo/shop.yaml": release[:release.index("      valuesFrom")] + "      values: {annotations: {tailscale.com/expose: \"true\"}}\n",
                    "repo/own.yaml": service.replace("{{ toJson .Values.annotations }}", '{tailscale.com/expose: "true"}').replace("{{ .Values.port }}", "80"),
                    **chart("charts/web")})
    documents(render("--charts", "charts", "-o", "out", "--namespace", "shop"))
    tree(tmp_path, {"repo/shop.yaml": release[:release.index("      valuesFrom")] + "      valuesFrom: [{kind: Secret, name: web-values}]\n"})
    done = render("--charts", "charts", "-o", "out", "--namespace", "shop")
    assert done.returncode == 1 and 'device "shop-web" would be removed' in done.stderr, done.stderr
    assert "the objects of HelmRelease/shop/web are not known: values.yaml of Secret web-values" in done.stderr
    (tmp_path / "repo/shop.yaml").unlink()
    documents(render("--charts", "charts", "-o", "out", "--namespace", "shop"))


@pytest.mark.parametrize("files, missing, is_rendered", [
    (["charts/base.yaml", "prod.yaml"], False, True), (["charts/base.yaml", "none.yaml"], True, True), (["none.yaml"], False, False)])
def test_values_files_of_flux_replace_those_of_the_chart(render, tools, tailrender, tmp_path, files, missing, is_rendered):
    spec = f"{{chart: ./charts/web, valuesFiles: {files}, ignoreMissingValuesFiles: {str(missing).lower()}, sourceRef: {{kind: GitRepository, name: own}}}}"
    own = """\
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {name: web, namespace: shop}
        spec:
          interval: 1h
          chart: {spec: SPEC}
          values: {annotations: {tailscale.com/expose: "true"}}
        """
    values = {"repo/charts/base.yaml": "port: 8080\nannotations: {tailscale.com/tags: 'tag:a', tailscale.com/hostname: base}\n",
              "repo/prod.yaml": "annotations: {tailscale.com/hostname: prod}\n"}
    tree(tmp_path, {"repo/shop.yaml": own.replace("SPEC", spec), **values,
                    **chart("repo/charts/web", {"values.yaml": "annotations: {tailscale.com/tailnet-fqdn: default}\nport: 1\n"})})
    ours = render()
    assert ("[chart-not-usable]" not in ours.stderr and "StatefulSet" in ours.stdout) == is_rendered, ours.stderr
    if is_rendered:
        (tmp_path / "repo/charts/web/values.yaml").write_text("")
        given = [word for file in files if (tmp_path / "repo" / file).is_file() for word in ("--values", tmp_path / "repo" / file)]
        stream = run(tools / "helm", "template", "web", tmp_path / "repo/charts/web", "--namespace", "shop", *given, *EXPOSED)
        assert documents(ours) == wanted(tailrender, stream, "--namespace", "shop")


def test_parameters_from_files(render, tmp_path):
    values = """{valuesObject: {annotations: {tailscale.com/expose: "true"}},
        fileParameters: [{name: 'annotations.tailscale\\.com/hostname', path: FILE}]}"""
    tree(tmp_path, {"repo/charts/web/name.txt": "true", **chart("repo/charts/web")})
    for file, is_there in (("name.txt", True), ("/charts/web/name.txt", True), ("none.txt", False), ("../../../secret", False)):
        (tmp_path / "secret").write_text("p4ssw0rd")
        tree(tmp_path, {"repo/apps/shop.yaml": application(values.replace("\n", " ").replace("FILE", file))})
        done = render()
        assert ("  Service  " in done.stderr and "\ntrue  " in done.stderr) == is_there, done.stderr
        assert f"no file {file} of a parameter" in done.stderr or is_there
        assert "p4ssw0rd" not in done.stdout + done.stderr


def test_chart_in_a_helm_chart(render, helm, tools, tmp_path):
    tree(tmp_path, chart("charts/web"))
    run(tools / "helm", "package", tmp_path / "charts/web", "--destination", tmp_path / "archives")
    content = base64.b64encode((tmp_path / "archives/web-1.2.0.tgz").read_bytes()).decode()
    for spelled, is_chart in ((content, True), ("'no base64'", False)):
        tree(tmp_path, {"repo/shop.yaml": f"""\
            apiVersion: helm.cattle.io/v1
            kind: HelmChart
            metadata: {{name: web, namespace: kube-system}}
            spec:
              chartContent: {spelled}
              targetNamespace: shop
              values: {{annotations: {{tailscale.com/expose: "true"}}}}
            """})
        done = render("--helm", helm)
        assert ("StatefulSet" in done.stdout) == is_chart, done.stderr
        assert ("chartContent that is not base64" in done.stderr) != is_chart


def test_charts_that_make_themselves(render, tmp_path):
    """A chart may install itself and others, as Argo CD's may."""
    made = "".join("---\n" + textwrap.dedent("\n".join(line for line in APPLICATION.splitlines() if "helm:" not in line)
                                             ).replace("name: shop", f"name: {name}").replace("charts/web", name) + "\n" for name in ("top", "shop"))
    tree(tmp_path, {"repo/top/Chart.yaml": "apiVersion: v2\nname: top\nversion: 0.1.0\n", "repo/top/values.yaml": "",
                    "repo/shop/service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web, annotations: {tailscale.com/expose: 'true'}}\n"
                                              "spec: {ports: [{port: 80}]}\n"})
    (tmp_path / "repo/top/templates").mkdir()
    (tmp_path / "repo/top/templates/apps.yaml").write_text(made)
    assert "name: ts-web-" in render().stdout


UMBRELLA = {
    "Chart.yaml": "apiVersion: v2\nname: net\nversion: 0.1.0\ndependencies:\n"
                  "- {name: tailscale-operator, version: ~1.102.0, repository: 'https://pkgs.tailscale.com/helmcharts'FIELDS}\n",
    "values.yaml": "KEY: {enabled: true, proxyConfig: {defaultTags: 'tag:home'}}\nhost: edge\n",
    "templates/exit.yaml": "apiVersion: tailscale.com/v1alpha1\nkind: Connector\nmetadata: {name: exit}\n"
                           "spec: {hostname: {{ .Values.host }}, exitNode: true}\n",
    "templates/shop.yaml": "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: shop, annotations: {tailscale.com/funnel: 'true'}}\n"
                           "spec:\n  ingressClassName: tailscale\n  defaultBackend: {service: {name: shop, port: {number: 80}}}\n  tls: [{hosts: [shop]}]\n",
    "templates/service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: shop}\nspec: {clusterIP: 10.0.0.7, ports: [{port: 80}]}\n",
    "templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n",
}
NET_RELEASE = """\
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata: {name: net, namespace: network}
    spec:
      interval: 1h
      chart: {spec: {chart: ./charts/net, sourceRef: {kind: GitRepository, name: own}}}
      values: {host: gate}
    """
NET_KUSTOMIZATION = "namespace: network\nhelmGlobals: {chartHome: ../charts}\nhelmCharts:\n- {name: net, releaseName: net, valuesInline: {host: gate}}\n"


def umbrella(key="tailscale-operator", fields="", files=None):
    files = {**UMBRELLA, **(files or {})}
    return {f"repo/charts/net/{path}": text.replace("KEY", key).replace("FIELDS", fields) for path, text in files.items() if text is not None}


NET = {
    "flux": {"repo/net.yaml": NET_RELEASE},
    "argo": {"repo/apps/net.yaml": application("{valuesObject: {host: gate}}", "charts/net").replace("namespace: shop", "namespace: network")},
    "kustomize": {"repo/net/kustomization.yaml": NET_KUSTOMIZATION},
}


@pytest.mark.parametrize("by", NET)
@pytest.mark.parametrize("key, fields", [("tailscale-operator", ""), ("ts", ", alias: ts, condition: ts.enabled")])
def test_charts_that_depend_on_the_operators(render, tmp_path, by, key, fields):
    """The chart's own objects are inputs, and its values for the operator are settings."""
    tree(tmp_path, {**NET[by], **umbrella(key, fields)})
    done = render()
    assert done.returncode == 0, done.stderr
    rows = [line.split()[:3] for line in done.stderr.splitlines()]
    assert ["gate", "Connector", "tag:home"] in rows and ["shop", "Ingress", "tag:home"] in rows, done.stderr
    assert "PUBLIC" in done.stderr and "[operator-live]" in done.stderr and "1.102.0" in done.stderr
    assert "hidden-exposure" not in done.stderr and "not rendered:" not in done.stderr


def test_charts_of_the_operator_that_are_at_hand_are_not_rendered(render, tools, tmp_path):
    operator = {"Chart.yaml": "apiVersion: v2\nname: tailscale-operator\nversion: 1.102.3\n", "values.yaml": "",
                "templates/_names.tpl": '{{ define "ts.name" }}edge{{ end }}', "templates/fails.yaml": '{{ fail "tailscale" }}\n'}
    tree(tmp_path, {**NET["argo"], **umbrella(files={"templates/exit.yaml": UMBRELLA["templates/exit.yaml"].replace(".Values.host", 'include "ts.name" .')}),
                    **{f"repo/charts/net/charts/tailscale-operator/{path}": text for path, text in operator.items()}})
    copy = render()
    assert "edge  " in copy.stderr and "1.102.3" in copy.stderr, copy.stderr
    run(tools / "helm", "package", tmp_path / "repo/charts/net/charts/tailscale-operator", "--destination", tmp_path / "repo/charts/net/charts")
    subprocess.run(["rm", "-r", tmp_path / "repo/charts/net/charts/tailscale-operator"], check=True)
    tree(tmp_path, umbrella())
    assert "gate  " in render().stderr


def test_other_charts_that_they_depend_on_are_needed(render, tmp_path):
    files = {"Chart.yaml": UMBRELLA["Chart.yaml"] + "- {name: common, version: 1.x, repository: 'https://charts.example.com'}\n"}
    tree(tmp_path, {**NET["flux"], **umbrella(files=files)})
    done = render("--allow-empty")
    assert done.returncode == 0 and "StatefulSet" not in done.stdout
    assert "[chart-not-usable]" in done.stderr and "no chart common" in done.stderr and "[operator-live]" in done.stderr and "[hidden-exposure]" in done.stderr
    complete = render("-o", "out", only=())
    assert complete.returncode == 1 and "no chart common" in complete.stderr and not (tmp_path / "out").exists()
    common = {"repo/charts/net/charts/common/Chart.yaml": "apiVersion: v2\nname: common\nversion: 1.0.0\n"}
    tree(tmp_path, common)
    assert "gate  " in render().stderr


@pytest.mark.parametrize("by", ["flux", "argo"])
def test_complete_trees_have_all_that_such_a_chart_makes(render, tmp_path, by):
    tree(tmp_path, {**NET[by], **umbrella()})
    done = render("-o", "out", *OWN_IMAGES, only=())
    assert done.returncode == 0, done.stderr
    made = (tmp_path / "out/charts/net/helm-template-net.yaml" if by == "flux" else tmp_path / "out/charts/net/helm-template-shop.yaml").read_text()
    objects = [one for one in yaml.safe_load_all(made) if one]
    assert {(one["kind"], one["metadata"]["namespace"]) for one in objects} >= {("ConfigMap", "network"), ("Ingress", "network"), ("Service", "network")}
    assert "gate  " in done.stderr and "PUBLIC" in done.stderr and "tailscale-operator  Deployment" not in done.stderr, done.stderr
    assert "hidden-exposure" not in done.stderr and "operator-live" not in done.stderr


@pytest.mark.parametrize("is_archive", [False, True])
def test_schemas_that_refer_to_the_network_are_skipped(render, helm, tmp_path, is_archive):
    schema = '{"type": "object", "properties": {"port": {"$ref": "https://example.com/port.json"}}}'
    tree(tmp_path, {"repo/shop.yaml": RELEASE.replace("VERSION", "1.2.0"), **chart("charts/web", {"values.schema.json": schema})})
    if is_archive:
        run(helm, "package", tmp_path / "charts/web", "--destination", tmp_path / "archives")
    done = render("--helm", helm, "--charts", "archives" if is_archive else "charts")
    assert done.returncode == 0 and "StatefulSet" in done.stdout, done.stderr


def test_other_schemas_count(render, helm, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": RELEASE.replace("VERSION", "1.2.0"),
                    **chart("charts/web", {"values.schema.json": '{"properties": {"port": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"maximum": 80}}}'})})
    done = render("--helm", helm, "--charts", "charts")
    assert done.returncode == 1 and "[helm-failed]" in done.stderr, done.stderr

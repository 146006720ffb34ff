"""Fields about objects that are not built, compared with the real kustomize and helm.

A patch that exposes an object of a chart or a remote resource is an error at its place. If the chart, or a copy, is in the tree, the same
objects are rendered. An Ingress that names a port of a Service that a chart makes is rendered then as well, and otherwise left out.
"""

import pytest

from test_charts import CHART as WEB, RELEASE as RELEASE_OF_WEB, chart, documents
from test_kustomize_builds import renderer, tree

COVERS = ["renderer/engines/kustomize", "renderer/engines/helm"]
PROGRAMS = ["helm3", "kustomize", "kubernetes"]
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n"
EXPOSE = """\
patches:
- target: {kind: Service, name: web}
  patch: |-
    - op: add
      path: /metadata/annotations
      value: {tailscale.com/expose: "true"}
"""
MERGE = """\
patches:
- patch: |-
    apiVersion: v1
    kind: Service
    metadata: {name: web}
    spec: {type: LoadBalancer, loadBalancerClass: tailscale}
"""
ALL = "commonAnnotations: {tailscale.com/expose: \"true\"}\n"
REMOTE = "namespace: shop\nresources: [https://example.com/web.yaml]\n"
CHART = "namespace: shop\nhelmCharts: [{name: web, version: 1.2.0, releaseName: web}]\n"
FLUX = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {url: https://example.com/acme/fleet}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1h, path: ./cluster, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  interval: 1h
  path: ./web
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  targetNamespace: shop
  patches:
  - target: {kind: HelmRelease}
    patch: |
      - op: add
        path: /spec/values
        value: {annotations: {tailscale.com/expose: "true"}}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
spec:
  interval: 1h
  chart: {spec: {chart: web, version: 1.2.0, sourceRef: {kind: HelmRepository, name: acme}}}
"""
RELEASE_IN_TREE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  interval: 1h
  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: flux-system}}}
  VALUES
"""
PORT_OF_A_CHART = """\
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata: {name: web, namespace: shop}
    spec: {chart: {spec: {chart: web, version: 1.2.0, sourceRef: {kind: HelmRepository, name: acme}}}}
    ---
    apiVersion: networking.k8s.io/v1
    kind: Ingress
    metadata: {name: web, namespace: shop}
    spec:
      ingressClassName: tailscale
      tls: [{hosts: [web]}]
      defaultBackend: {service: {name: web, port: {name: http}}}
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: db, namespace: shop, annotations: {tailscale.com/expose: "true"}}
    spec: {selector: {app: db}, ports: [{port: 5432}]}
    """


CHART_OF_UNITS = {
    "repo/charts/roots/Chart.yaml": "apiVersion: v2\nname: roots\nversion: 0.1.0\n",
    "repo/charts/roots/values.yaml": "apps: []\n",
    "repo/charts/roots/templates/apps.yaml": """\
{{- range .Values.apps }}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: {{ . }}, namespace: flux-system}
spec: {interval: 1h, path: ./{{ . }}, prune: true, targetNamespace: shop, sourceRef: {kind: GitRepository, name: flux-system}}
{{- end }}
"""}


@pytest.fixture
def render(tailrender, tools, tmp_path):
    return renderer(tailrender, tools, tmp_path, "repo")


@pytest.mark.parametrize("change", [EXPOSE, MERGE, ALL])
def test_of_a_remote_resource(render, tmp_path, change):
    tree(tmp_path, {"repo/app/kustomization.yaml": REMOTE + change})
    done = render()
    assert done.returncode == 1 and done.stdout == ""
    assert "repo/app/kustomization.yaml:" in done.stderr and "[unbuilt-exposure]" in done.stderr
    tree(tmp_path, {"repo/app/kustomization.yaml": (REMOTE + change).replace("https://example.com/", ""), "repo/app/web.yaml": SERVICE})
    copied = render()
    assert copied.returncode == 0, copied.stderr
    assert "shop-web" in copied.stdout


@pytest.mark.parametrize("change", [EXPOSE, MERGE])
def test_of_an_object_that_is_built_beside_it(render, tmp_path, change):
    tree(tmp_path, {"repo/app/kustomization.yaml": REMOTE.replace("[", "[own.yaml, ") + change, "repo/app/own.yaml": SERVICE})
    done = render()
    assert done.returncode == 0, done.stderr
    assert "shop-web" in done.stdout and "[not-built]" in done.stderr


@pytest.mark.parametrize("change", [EXPOSE, MERGE, ALL])
def test_of_a_chart(render, tmp_path, change):
    tree(tmp_path, {"repo/app/kustomization.yaml": CHART + change, **chart("elsewhere/web")})
    refused = render()
    assert refused.returncode == 1 and "[unbuilt-exposure]" in refused.stderr and "--charts DIR" in refused.stderr
    done = render("--charts", "elsewhere")
    assert done.returncode == 0, done.stderr
    assert "shop-web" in done.stdout


def test_of_a_release(render, tmp_path):
    tree(tmp_path, {"repo/cluster/all.yaml": FLUX, "repo/web/release.yaml": RELEASE, **chart("elsewhere/web")})
    refused = render()
    assert refused.returncode == 1 and refused.stdout == ""
    assert "repo/cluster/all.yaml:21:5: error: this exposes something that is not rendered [unbuilt-exposure]" in refused.stderr
    done = render("--charts", "elsewhere")
    assert done.returncode == 0, done.stderr
    assert "shop-web" in done.stdout


def test_names_of_ports_of_services_that_a_chart_makes(render, tmp_path):
    service = WEB["templates/service.yaml"].replace("ports: [{port", "ports: [{name: http, port")
    tree(tmp_path, {"repo/shop/web.yaml": PORT_OF_A_CHART, **chart("charts/web", {"templates/service.yaml": service, "values.yaml": "annotations: {}\nport: 8080\n"})})
    rendered = render("--charts", "charts")
    assert "shop/web:8080" in rendered.stderr and "Ingress/shop/web" in rendered.stdout, rendered.stderr
    left = render()
    assert left.returncode == 0 and "[missing-backend-service]" in left.stderr and "--charts DIR" in left.stderr
    assert "Ingress/shop/web" not in left.stdout and "Service/shop/db" in left.stdout
    tree(tmp_path, {"charts/web/templates/service.yaml": WEB["templates/service.yaml"]})
    wrong = render("--charts", "charts")
    assert wrong.returncode == 1 and "[backend-port-not-found]" in wrong.stderr


@pytest.mark.parametrize("beside", ["", "labels: [{pairs: {team: web}}]\n"])
def test_what_was_at_hand_once_is_not_gone(render, tmp_path, beside):
    exposed = SERVICE.replace("{name: web}", '{name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}')
    tree(tmp_path, {"repo/own/web.yaml": exposed.replace("name: web", "name: own", 1), "copy/deploy/kustomization.yaml": "resources: [web.yaml]\n", "copy/deploy/web.yaml": exposed,
                    "repo/app/kustomization.yaml": "resources: ['https://example.com/acme/web//deploy?ref=v1']\n" + beside,
                    "repo/db/kustomization.yaml": "helmCharts: [{name: db, version: 1.2.0, releaseName: db, repo: 'https://example.com'}]\n",
                    **chart("charts/db", {"Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.2.0\n", "values.yaml": 'annotations: {tailscale.com/expose: "true"}\nport: 80\n'})})
    at_hand = ("--source", "https://example.com/acme/web=copy"), ("--charts", "charts")
    done = render("-o", "out", "--namespace", "shop", *at_hand[0], *at_hand[1])
    assert done.returncode == 0 and "shop-web" in done.stderr and "shop-db" in done.stderr, done.stderr
    for left, lost in zip(at_hand, ("db", "web")):
        done = render("-o", "out", "--namespace", "shop", *left)
        assert done.returncode == 1 and "[unexplained-removal]" in done.stderr and f'device "shop-{lost}" would be removed' in done.stderr, done.stderr


def test_a_chart_may_ask_whether_the_cluster_has_our_kinds(render, tmp_path):
    guarded = '        {{- if .Capabilities.APIVersions.Has "tailscale.com/v1alpha1/Connector" }}\n' + WEB["templates/service.yaml"] + "{{- end }}\n"
    tree(tmp_path, {"repo/shop.yaml": RELEASE_OF_WEB.replace("VERSION", "1.2.0"), **chart("charts/web", {"templates/service.yaml": guarded})})
    made = documents(render("--charts", "charts", "--namespace", "shop"))
    assert [one["metadata"]["name"][:7] for one in made if one["kind"] == "StatefulSet"] == ["ts-web-"]


def test_values_that_are_not_known_may_expose_something(render, tmp_path):
    guarded = "        {{- if .Values.on }}\n" + WEB["templates/service.yaml"].replace("{{ toJson .Values.annotations }}", '{tailscale.com/expose: "true"}') + "{{- end }}\n"
    for values, is_said in (("valuesFrom: [{kind: Secret, name: web}]", True), ("valuesFrom: [{kind: Secret, name: web, optional: true}]", True),
                            ("valuesFrom: [{kind: Secret, name: web, valuesKey: a, targetPath: web.enabled}]", True),
                            ("valuesFrom: [{kind: Secret, name: web, valuesKey: a, targetPath: web.password}]", False), ("values: {on: false}", False)):
        tree(tmp_path, {"repo/shop.yaml": RELEASE_IN_TREE.replace("VALUES", values), **chart("repo/charts/web", {"templates/service.yaml": guarded})})
        done = render("--allow-empty")
        assert done.returncode == 0, done.stderr
        assert ("this chart may expose something, depending on values that are not known [hidden-exposure]" in done.stderr) == is_said, done.stderr


@pytest.mark.parametrize("condition", [
    '.Release.IsUpgrade', '(lookup "v1" "ConfigMap" "shop" "web")', '.Capabilities.APIVersions.Has "example.com/v1/Web"',
])
def test_what_a_cluster_answers_may_expose_something(render, tmp_path, condition):
    exposed = WEB["templates/service.yaml"].replace("{{ toJson .Values.annotations }}", '{tailscale.com/expose: "true"}')
    for template, is_said in (("        {{- if CONDITION }}\n" + exposed + "{{- end }}\n", True), ("        {{- if not (CONDITION) }}\n" + exposed + "{{- end }}\n", False)):
        tree(tmp_path, {"repo/shop.yaml": RELEASE_OF_WEB.replace("VERSION", "1.2.0"), **chart("charts/web", {"templates/service.yaml": template.replace("CONDITION", condition)})})
        done = render("--charts", "charts", "--namespace", "shop", "--allow-empty")
        assert done.returncode == 0, done.stderr
        assert ("this chart may expose something, depending on what is in the cluster [hidden-exposure]" in done.stderr) == is_said, done.stderr
        assert ("StatefulSet" in done.stdout) != is_said


SYNC = FLUX.split("---\n", 2)
VARIABLES = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 1h
  path: ./apps
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: POST_BUILD
"""
INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec: {ingressClassName: "CLASS", defaultBackend: {service: {name: web, port: {number: 80}}}}
---
""" + SERVICE.replace("{name: web}", "{name: web, namespace: shop}", 1)
PATCH = "patches:\n- target: {kind: Ingress}\n  patch: |-\n    - op: replace\n      path: /spec/ingressClassName\n      value: ${CLASS}\n"


@pytest.mark.parametrize("kustomization, ingress_class", [("namePrefix: a-\n", "${CLASS}"), (PATCH, "nginx")])
def test_a_class_may_be_a_variable(render, tmp_path, kustomization, ingress_class):
    for post_build, wanted in (("{substitute: {CLASS: tailscale}}", 0), ("{substituteFrom: [{kind: Secret, name: vars}]}", 1), ("{substitute: {CLASS: nginx}}", None)):
        tree(tmp_path, {"repo/cluster/all.yaml": "---\n".join([*SYNC[:2], VARIABLES.replace("POST_BUILD", post_build)]),
                        "repo/apps/web.yaml": INGRESS.replace("CLASS", ingress_class, 1) if ingress_class == "nginx" else INGRESS.replace("CLASS", "${CLASS}", 1),
                        "repo/apps/kustomization.yaml": "resources: [web.yaml]\n" + kustomization})
        done = render("--allow-empty")
        assert done.returncode == (wanted or 0), done.stderr
        assert ("Ingress/shop/" in done.stdout) == (wanted == 0)
        assert ("[unresolved-variable]" in done.stderr) == (wanted == 1)


def test_what_a_unit_adds_may_break_its_build(render, tmp_path):
    patch = "patches:\n  - target: {kind: Service}\n    patch: |-\n      - op: replace\n        path: /spec/nope/x\n        value: 1\n"
    exposed = SERVICE.replace("{name: web}", '{name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}', 1)
    tree(tmp_path, {"repo/cluster/sync.yaml": "---\n".join(SYNC[:2]),
                    "repo/cluster/apps.yaml": VARIABLES.replace("  postBuild: POST_BUILD\n", "  components: [./room]\n  " + patch),
                    "repo/apps/web.yaml": exposed, "repo/apps/kustomization.yaml": "resources: [web.yaml]\n"})
    done = render()
    assert done.returncode == 1 and "[kustomize-failed]" in done.stderr, done.stderr
    assert 'cluster/apps.yaml:11:5: note: Kustomization flux-system/apps adds "patches"' in done.stderr, done.stderr
    assert 'cluster/apps.yaml:9:16: note: Kustomization flux-system/apps adds "components"' in done.stderr, done.stderr
    assert "apps, with what Kustomization flux-system/apps adds to its kustomization.yaml" in done.stderr, done.stderr


@pytest.mark.parametrize("kustomization, patch, is_suspended", [
    ("labels: [{pairs: {team: a}}]\n", "", False), ("namePrefix: a-\n", "", False), ("components: [../room]\n", "", False),
    ("patches: [{target: {kind: HelmRelease}, patch: '- {op: add, path: /spec/suspend, value: true}'}]\n", "", True),
    ("", "patches: [{target: {kind: HelmRelease}, patch: '- {op: add, path: /spec/suspend, value: true}'}]\n", True)])
def test_a_build_may_install_a_chart_that_exposes(render, tmp_path, kustomization, patch, is_suspended):
    """Neither the kustomization nor its release mentions Tailscale, but the chart in the tree does."""
    template = 'kind: Service\napiVersion: v1\nmetadata: {name: {{ .Release.Name }}, annotations: {tailscale.com/expose: "true"}}\nspec: {ports: [{port: 80}]}\n'
    room = {"repo/room/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [room.yaml]\n",
            "repo/room/room.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"}
    tree(tmp_path, {**room, "repo/cluster/sync.yaml": "---\n".join(SYNC[:2]), "repo/cluster/own.yaml": SERVICE,
                    "repo/cluster/apps.yaml": VARIABLES.replace("  postBuild: POST_BUILD\n", "  " + patch if patch else ""),
                    "repo/apps/release.yaml": RELEASE_IN_TREE.replace("VALUES", "values: {}"),
                    "repo/apps/kustomization.yaml": "resources: [release.yaml]\n" + kustomization,
                    **chart("repo/charts/web", {"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.0\n", "templates/service.yaml": template})})
    done = render()
    assert done.returncode == 0 and "kind: StatefulSet" in done.stdout, done.stderr
    assert ("HelmRelease/shop/web: spec.suspend is true" in done.stderr) == is_suspended, done.stderr


OPERATOR = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ts, namespace: tailscale}
spec:
  interval: 1h
  chart: {spec: {chart: tailscale-operator, version: 1.98.10, sourceRef: {kind: HelmRepository, name: tailscale}}}
  valuesFrom: [{kind: ConfigMap, name: v}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: v, namespace: tailscale}
data: {values.yaml: 'proxyConfig: {defaultTags: "tag:plain"}'}
"""


def test_patched_values_of_the_operator(render, tmp_path):
    patch = "patches:\n  - target: {kind: ConfigMap, name: v}\n    patch: |\n      - {op: replace, path: /data/values.yaml, value: 'proxyConfig: {defaultTags: \"tag:prod\"}'}\n"
    exposed = SERVICE.replace("{name: web}", '{name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}', 1)
    tree(tmp_path, {"repo/cluster/sync.yaml": "---\n".join(SYNC[:2]), "repo/cluster/web.yaml": exposed, "repo/apps/operator.yaml": OPERATOR,
                    "repo/cluster/apps.yaml": VARIABLES.replace("  postBuild: POST_BUILD\n", "  " + patch)})
    done = render("-o", "out")
    assert done.returncode == 0 and "tag:prod" in done.stderr, done.stderr


LIBRARY = {"Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\n", "values.yaml": "{}\n",
           "templates/service.yaml": "kind: Service\napiVersion: v1\nmetadata: {name: lib}\nspec: {ports: [{port: 80}]}\n"}


@pytest.mark.parametrize("edit, wanted", [
    ({"repo/charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.0\ndependencies: [{name: lib, version: 1.0.0, repository: 'oci://example.com/charts'}]\n"},
     "[unexplained-removal]"),
    ({"repo/charts/web/templates/more.yaml": '{{ required "set room" .Values.room }}\n'}, "[helm-failed]"),
    ({"repo/shop.yaml": "values: {}\n  valuesFrom: [{kind: Secret, name: web}]"}, "[unexplained-removal]"),
])
def test_a_chart_that_no_longer_names_tailscale_may_still_expose(render, tmp_path, edit, wanted):
    plain = {"repo/own.yaml": SERVICE.replace("{name: web}", '{name: own, namespace: shop, annotations: {tailscale.com/expose: "true"}}', 1)}
    parent = "apiVersion: v2\nname: web\nversion: 1.2.0\ndependencies: [{name: lib, version: 1.0.0, repository: 'file://../lib'}]\n"
    tree(tmp_path, {**plain, "repo/shop.yaml": RELEASE_IN_TREE.replace("VALUES", 'values: {annotations: {tailscale.com/expose: "true"}}'),
                    **chart("repo/charts/web", {"Chart.yaml": parent}), **chart("repo/charts/lib", LIBRARY)})
    done = render("-o", "out")
    assert done.returncode == 0 and "shop-web" in done.stderr, done.stderr
    without = {"repo/shop.yaml": RELEASE_IN_TREE.replace("VALUES", "values: {}")}
    given = {path: RELEASE_IN_TREE.replace("VALUES", text) if path == "repo/shop.yaml" else text for path, text in edit.items()}
    tree(tmp_path, {**without, **given})
    done = render("-o", "out")
    assert done.returncode == 1 and wanted in done.stderr, done.stderr
    tree(tmp_path, {**without, "repo/charts/web/Chart.yaml": parent, "repo/charts/web/templates/more.yaml": "# none\n"})
    done = render("-o", "out")
    assert done.returncode == 0 and "removes 1 device: shop-web" in done.stderr, done.stderr


def test_units_of_a_release(render, tmp_path):
    """A HelmRelease whose chart creates Kustomizations: its values decide which of them exist."""
    exposed = SERVICE.replace("name: web}", 'name: NAME, annotations: {tailscale.com/expose: "true"}}')
    release = RELEASE_IN_TREE.replace("charts/web", "charts/roots").replace("namespace: shop", "namespace: flux-system")
    of_config_map = "valuesFrom: [{kind: ConfigMap, name: apps}]"
    values = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: apps, namespace: flux-system}\ndata: {values.yaml: 'apps: [db]'}\n"
    tree(tmp_path, {**CHART_OF_UNITS, "repo/cluster/sync.yaml": FLUX[:FLUX.rindex("---")],
                    "repo/web/web.yaml": exposed.replace("NAME", "web"), "repo/db/db.yaml": exposed.replace("NAME", "db"),
                    "repo/cluster/values.yaml": values})

    def with_values(text, *arguments):
        tree(tmp_path, {"repo/cluster/release.yaml": release.replace("VALUES", text)})
        return render("-o", "out", *arguments)
    inline = with_values("values: {apps: [web, db]}")
    assert inline.returncode == 0 and "shop-web " in inline.stderr and "shop-db " in inline.stderr, inline.stderr
    of_a_map = with_values(of_config_map)
    assert of_a_map.returncode == 0 and "removes 1 device: shop-web" in of_a_map.stderr, of_a_map.stderr
    suspended = with_values("suspend: true\n  values: {apps: [web]}")
    assert suspended.returncode == 1 and "[unexplained-removal]" in suspended.stderr, suspended.stderr
    assert "HelmRelease flux-system/web is kept: spec.suspend is true" in suspended.stderr, suspended.stderr
    unknown = with_values(of_config_map.replace("ConfigMap", "Secret"))
    assert unknown.returncode == 1 and "[roots-in-chart]" in unknown.stderr and "Secret apps" in unknown.stderr, unknown.stderr
    filled = with_values("values: {apps: [web]}")
    assert filled.returncode == 0, filled.stderr
    (tmp_path / "repo/cluster/release.yaml").rename(tmp_path / "repo/web/release.yaml")
    left_out = render("-o", "out")  # nothing applies its directory
    assert left_out.returncode == 1 and "[empty-output]" in left_out.stderr, left_out.stderr


@pytest.mark.parametrize("change", ["patches: [{target: {kind: HelmRelease}, patch: '[{op: add, path: /spec/values/apps/-, value: db}]'}]",
                                    "postBuild: {substitute: {APP: web}}"])
def test_units_of_a_release_that_is_changed(render, tmp_path, change):
    """Two clusters apply the release; in one of them patches or variables change it."""
    def sync(cluster, more):
        return (FLUX[:FLUX.rindex("---")].replace("./cluster,", f"./clusters/{cluster},")
                + "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: infra, namespace: flux-system}\n"
                  f"spec:\n  interval: 1h\n  path: ./infra\n  prune: true\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n  {more}\n")
    exposed = SERVICE.replace("name: web}", 'name: web, annotations: {tailscale.com/expose: "true"}}')
    release = RELEASE_IN_TREE.replace("charts/web", "charts/roots").replace("namespace: shop", "namespace: flux-system")
    app = "'${APP}'" if "APP" in change else "web"
    tree(tmp_path, {**CHART_OF_UNITS, "repo/clusters/home/sync.yaml": sync("home", ""), "repo/clusters/lab/sync.yaml": sync("lab", change),
                    "repo/infra/release.yaml": release.replace("VALUES", f"values: {{apps: [{app}]}}"),
                    "repo/web/web.yaml": exposed, "repo/db/db.yaml": exposed.replace("name: web,", "name: db,")})
    lab = render("--cluster", "clusters/lab")
    assert lab.returncode == 1 and "[roots-in-chart]" in lab.stderr and "patches or variables may change" in lab.stderr, lab.stderr
    home = render("--cluster", "clusters/home")
    assert ("shop-web" in home.stdout) == ("APP" not in change), home.stderr


def test_values_of_a_generator_have_variables(render, tmp_path):
    """Flux fills variables in generated ConfigMaps, too."""
    flux = FLUX[:FLUX.rindex("  patches:")] + "  postBuild: {substitute: {EXPOSE: 'true'}}\n"
    tree(tmp_path, {"repo/cluster/sync.yaml": flux, "repo/charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.0\n",
                    "repo/charts/web/templates/web.yaml": SERVICE.replace(
                        "name: web}", "name: web, annotations: {tailscale.com/expose: {{ .Values.expose | quote }}}}"),
                    "repo/web/kustomization.yaml": "namespace: shop\nresources: [release.yaml]\nconfigMapGenerator:\n"
                                                   "- {name: web, files: [values.yaml=settings.yaml]}\n"
                                                   "generatorOptions: {disableNameSuffixHash: true}\n",
                    "repo/web/settings.yaml": "expose: '${EXPOSE}'\n",
                    "repo/web/release.yaml": RELEASE_IN_TREE.replace("VALUES", "valuesFrom: [{kind: ConfigMap, name: web}]")})
    done = render()
    assert done.returncode == 0 and "shop-web" in done.stdout, done.stderr


def test_manifests_that_move_to_a_remote_base(render, tmp_path):
    """A base that is not at hand may have a manifest of the tree only if it was not there before."""
    exposed = SERVICE.replace("name: web}", 'name: NAME, annotations: {tailscale.com/expose: "true"}}')
    base = "https://example.com/base.yaml"
    flux = FLUX[:FLUX.rindex("  patches:")]
    tree(tmp_path, {"repo/cluster/sync.yaml": flux, "repo/web/kustomization.yaml": "resources: [web.yaml, db.yaml]\n",
                    "repo/web/web.yaml": exposed.replace("NAME", "web"), "repo/web/db.yaml": exposed.replace("NAME", "db")})
    assert render("-o", "out").returncode == 0
    tree(tmp_path, {"repo/web/kustomization.yaml": f"resources: [web.yaml, {base}]\n"})
    (tmp_path / "repo/web/db.yaml").unlink()
    moved = render("-o", "out")
    assert moved.returncode == 1 and "[unexplained-removal]" in moved.stderr and f"uses {base}" in moved.stderr, moved.stderr
    tree(tmp_path, {"repo/web/kustomization.yaml": f"resources: [web.yaml, db.yaml, {base}]\n",
                    "repo/web/db.yaml": exposed.replace("NAME", "db")})
    assert render("-o", "out").returncode == 0
    tree(tmp_path, {"repo/web/kustomization.yaml": f"resources: [web.yaml, {base}]\n"})
    (tmp_path / "repo/web/db.yaml").unlink()
    deleted = render("-o", "out")
    assert deleted.returncode == 0 and "removes 1 device: shop-db" in deleted.stderr, deleted.stderr


CLASS_CHART = {"charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n", "charts/web/values.yaml": "cls: nginx\n",
               "charts/web/templates/web.yaml": SERVICE + "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec:\n"
               "  ingressClassName: {{ .Values.cls }}\n  tls: [{hosts: [web]}]\n  defaultBackend: {service: {name: web, port: {number: 80}}}\n# tailscale\n"}
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: "https://example.com/acme/den.git", path: charts/web, helm: {valueFiles: [prod.yaml]}}
  destination: {server: "https://kubernetes.default.svc", namespace: shop}
"""


@pytest.mark.parametrize("file, text", [
    ("charts/web/prod.yaml", "cls: ENC[AES256_GCM,data:abc,iv:x,tag:y,type:str]\nsops: {version: 3.8.1}\n"),
    ("web.yaml", APPLICATION.replace("[prod.yaml]", "[$values/charts/web/prod.yaml]"))])
def test_a_class_in_values_that_are_not_known(render, tmp_path, file, text):
    tree(tmp_path, {"repo/web.yaml": APPLICATION, "repo/charts/web/prod.yaml": "cls: tailscale\n", **{f"repo/{path}": one for path, one in CLASS_CHART.items()}})
    done = render("-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "web  " in done.stderr
    tree(tmp_path, {f"repo/{file}": text})
    done = render("-o", str(tmp_path / "out"))
    assert done.returncode == 1, done.stderr
    assert "[unexplained-removal]" in done.stderr

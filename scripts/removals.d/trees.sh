# shellcheck shell=bash disable=SC2154
# The small repositories of scripts/removals, and the functions that check a run.
fail() {
  printf '%s: %s\n' "$edit" "$*" >&2
  [ ! -f said ] || cat said >&2
  exit 1
}
service() {
  mkdir -p "$(dirname "$1")"
  printf 'apiVersion: v1\nkind: Service\nmetadata: {name: %s, namespace: media, annotations: {tailscale.com/expose: "true"}}\nspec: {selector: {app: a}, ports: [{port: 80}]}\n' "$2" >"$1"
}
kustomization() {
  mkdir -p "$(dirname "$1")"
  printf 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: %s, namespace: flux-system}\nspec:\n  interval: 1h\n  path: %s\n  prune: true\n  sourceRef: {kind: GitRepository, name: flux-system}\n' "$2" "$3" >"$1"
}
application() {
  mkdir -p "$(dirname "$1")"
  printf 'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: %s\n  namespace: argocd\nspec:\n  project: default\n  source: {repoURL: "https://example.com/acme/den.git", path: %s}\n  destination: {server: "https://kubernetes.default.svc", namespace: media}\n' "$2" "$3" >"$1"
}
# A fake helm with three commands, which needs no other programs. What a chart gives changes with its version.
helm() {
  [ ! -f charts/chart/Chart.yaml ] || sed -i 's,^version: .*,&.1,' charts/chart/Chart.yaml
  cat >"$bin/helm" <<END
#!/bin/sh
case \$1 in
version) echo v3.19.0 ;;
template) $1 ;;
*) echo "Error: lookup charts.example.com: no such host" >&2; exit 1 ;;
esac
END
  chmod +x "$bin/helm"
}
working_helm() {
  helm "printf 'apiVersion: v1\\nkind: Service\\nmetadata: {name: chart, namespace: media, annotations: {tailscale.com/expose: \"true\"}}\\nspec: {selector: {app: a}, ports: [{port: 80}]}\\n'"
}
chart() {
  mkdir -p charts/chart/templates
  printf 'apiVersion: v2\nname: chart\nversion: 1.0.0\n' >charts/chart/Chart.yaml
  printf '# tailscale\n' >charts/chart/templates/service.yaml
}
flux() {
  kustomization clusters/den/flux-system/sync.yaml flux-system ./clusters/den
  kustomization clusters/den/media.yaml media ./media
  service media/film.yaml film
  service media/song.yaml song
  service media/Kept/book.yaml book
  printf 'resources:\n- film.yaml\n- song.yaml\n- Kept/book.yaml\n' >media/kustomization.yaml
}
artifact() {
  flux
  sed -i 's,path: ./media,path: ./,; s,sourceRef: .*,sourceRef: {kind: ExternalArtifact\, name: media},' clusters/den/media.yaml
  printf 'apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata:\n  name: media\n  namespace: flux-system\nspec:\n  sources: [{alias: den, kind: GitRepository, name: flux-system}]\n  artifacts:\n  - name: media\n    copy: [{from: "@den/media/**", to: "@artifact/"}]\n' >clusters/den/artifact.yaml
}
argo() {
  application root.yaml root apps
  application apps/media.yaml media media
  application apps/tools.yaml tools tools
  service media/film.yaml film
  service tools/wiki.yaml wiki
}
one_application() {
  application root.yaml root apps
  application apps/media.yaml media media
  service media/film.yaml film
}
sets() {
  flux
  printf 'apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: zoo, namespace: media}\nspec:\n  inputs:\n  - {name: ape}\n  - {name: bee}\n  resources:\n  - apiVersion: v1\n    kind: Service\n    metadata: {name: << inputs.name >>, namespace: media, annotations: {tailscale.com/expose: "true"}}\n    spec: {selector: {app: a}, ports: [{port: 80}]}\n' >clusters/den/zoo.yaml
}
operator() {
  flux
  kustomization clusters/den/ts.yaml ts ./ts
  mkdir ts
  printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ts, namespace: tailscale}\nspec:\n  interval: 1h\n  chart: {spec: {chart: tailscale-operator, sourceRef: {kind: HelmRepository, name: ts}}}\n  values: {proxyConfig: {defaultTags: "tag:den"}}\n' >ts/op.yaml
}
umbrella() {
  argo
  application apps/ts.yaml ts charts/ts
  mkdir -p charts/ts
  printf 'apiVersion: v2\nname: ts\nversion: 1.0.0\ndependencies:\n- {name: tailscale-operator, version: 1.98.4, repository: "https://pkgs.tailscale.com/helmcharts"}\n' >charts/ts/Chart.yaml
  printf 'tailscale-operator: {proxyConfig: {defaultTags: "tag:den"}}\n' >charts/ts/values.yaml
}
nested_sets() {
  flux
  printf 'apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: zoo, namespace: media}\nspec:\n  resources:\n  - apiVersion: fluxcd.controlplane.io/v1\n    kind: ResourceSet\n    metadata: {name: cage, namespace: media}\n    spec:\n      resources:\n      - apiVersion: v1\n        kind: Service\n        metadata: {name: ape, namespace: media, annotations: {tailscale.com/expose: "true"}}\n        spec: {selector: {app: a}, ports: [{port: 80}]}\n' >clusters/den/zoo.yaml
}
inputs() {
  flux
  printf 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: zoo, namespace: media}\nspec: {ingressClassName: tailscale, tls: [{hosts: [zoo]}], defaultBackend: {service: {name: song, port: {number: 80}}}}\n' >media/zoo.yaml
  printf 'apiVersion: tailscale.com/v1alpha1\nkind: Connector\nmetadata: {name: ape}\nspec: {exitNode: true}\n' >media/ape.yaml
  printf 'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: bee, namespace: media, annotations: {tailscale.com/expose: "true"}}\n  spec: {selector: {app: a}, ports: [{port: 80}]}\n' >media/bee.yaml
  printf -- '- %s\n' zoo.yaml ape.yaml bee.yaml >>media/kustomization.yaml
}
# An input by the settings of the operator.
classes() {
  flux
  printf 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: zoo, namespace: media}\nspec: {ingressClassName: den, tls: [{hosts: [zoo]}], defaultBackend: {service: {name: song, port: {number: 80}}}}\n' >media/zoo.yaml
  printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: tailscale-operator, namespace: tailscale}\nspec:\n  interval: 1h\n  chart: {spec: {chart: tailscale-operator, version: 1.98.4, sourceRef: {kind: HelmRepository, name: tailscale}}}\n  values: {ingressClass: {name: den}}\n' >media/operator.yaml
  printf -- '- %s\n' zoo.yaml operator.yaml >>media/kustomization.yaml
}
plain() {
  printf 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: zoo, namespace: media, annotations: {tailscale.com/funnel: "true"}}\nspec: {ingressClassName: tailscale, tls: [{hosts: [zoo]}], defaultBackend: {service: {name: film, port: {number: 80}}}}\n' >zoo.yaml
  service media/film.yaml film
}
plain_release() {
  plain
  chart
  working_helm
  helm_release release.yaml
}
plain_map() {
  printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain, namespace: media}\n' >media/plain.yaml
}
loose() {
  kustomization clusters/den/flux-system/sync.yaml flux-system ./clusters/den
  kustomization clusters/den/media.yaml media ./media
  service media/film.yaml film
  plain_map
}
helm_release() {
  printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: chart, namespace: media}\nspec:\n  interval: 1h\n  chart: {spec: {chart: ./charts/chart, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}\n' >"$1"
}
releases() {
  flux
  chart
  working_helm
  helm_release media/release.yaml
  echo '- release.yaml' >>media/kustomization.yaml
}
# A chart that renders something only if its values enable it.
valued_chart() {
  chart
  # shellcheck disable=SC2016
  helm 'for file in "$@"; do [ ! -f "$file" ] || while read -r line; do case $line in *EXPOSED*) printf "apiVersion: v1\nkind: Service\nmetadata: {name: chart, namespace: media, annotations: {tailscale.com/expose: \"true\"}}\nspec: {selector: {app: a}, ports: [{port: 80}]}\n" ;; esac; done <"$file"; done'
}
flux_values() {
  flux
  valued_chart
  helm_release media/release.yaml
  echo '  values: {state: EXPOSED}' >>media/release.yaml
  echo '- release.yaml' >>media/kustomization.yaml
}
loose_units() {
  kustomization k/a.yaml media ./media
  kustomization k/b.yaml tools ./tools
  service media/film.yaml film
  service tools/wiki.yaml wiki
}
two() {
  flux
  kustomization clusters/away/flux-system/sync.yaml flux-system ./clusters/away
  kustomization clusters/away/media.yaml media ./media
}
two_clusters() {
  flux
  kustomization clusters/away/flux-system/sync.yaml flux-system ./clusters/away
  kustomization clusters/away/media.yaml media ./away
  mkdir away
  printf 'resources: [../nope]\n' >away/kustomization.yaml
}
two_units() {
  flux
  kustomization clusters/den/tools.yaml tools ./tools
  service tools/wiki.yaml wiki
  printf 'resources:\n- wiki.yaml\n' >tools/kustomization.yaml
}
remote_unit() {
  flux
  kustomization clusters/den/crds.yaml crds ./crds
  mkdir crds
  printf 'resources:\n- https://example.com/acme/crds.yaml?ref=v1.5.1\n' >crds/kustomization.yaml
}
# A release whose GitRepository is in the tree.
sourced() {
  flux_values
  printf 'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {interval: 1m, url: "https://example.com/acme/den.git"}\n' >clusters/den/flux-system/source.yaml
}
list_set() {
  argo
  rm apps/media.yaml apps/tools.yaml
  printf 'apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec:\n  generators: [{list: {elements: [{name: media}, {name: tools}]}}]\n  template:\n    metadata: {name: "{{name}}"}\n    spec:\n      project: default\n      source: {repoURL: "https://example.com/acme/den.git", path: "{{name}}"}\n      destination: {server: "https://kubernetes.default.svc", namespace: media}\n' >apps/set.yaml
}
direct() {
  argo
  mv media/film.yaml apps/film.yaml
}
two_roots() {
  direct
  mkdir -p a b
  mv root.yaml a/root.yaml
  application b/root.yaml root tools
  application a/other.yaml other tools
}
chart_values() {
  argo
  valued_chart
  echo 'state: EXPOSED' >charts/chart/exposed.yaml
  printf 'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: chart, namespace: argocd}\nspec:\n  project: default\n  source:\n    repoURL: "https://example.com/acme/den.git"\n    path: charts/chart\n    helm:\n      valueFiles: [exposed.yaml]\n  destination: {server: "https://kubernetes.default.svc", namespace: media}\n' >apps/chart.yaml
}
charts() {
  argo
  chart
  application apps/chart.yaml chart charts/chart
  working_helm
}
render() { PATH=$bin "$binary" render . --only generated -o out "$@" >said 2>&1; }
# begin EDIT ENGINE FLAG...: writes a new repository of that engine and renders it once.
begin() {
  edit=$1
  cd "$scratch" || exit
  rm -rf tree
  mkdir tree
  cd tree || exit
  "$2"
  shift 2
  render "$@" || fail "the tree does not render before the edit"
  cp -r out before
}
# Makes what was added part of the repository before the edit.
again() {
  render || fail "the tree does not render before the edit"
  rm -r before
  cp -r out before
}
# Adds a release of a chart that is not at hand and has nothing of Tailscale.
chart_of_others() {
  printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: certs, namespace: certs}\nspec:\n  interval: 1h\n  chart: {spec: {chart: certs, sourceRef: {kind: HelmRepository, name: certs}}}\n' >media/certs.yaml
  echo '- certs.yaml' >>media/kustomization.yaml
  again
}
refused() {
  local rule=$1
  shift
  ! render "$@" || fail "was not refused"
  grep -q "\[$rule\]" said || fail "is not refused by $rule"
  diff -r before out >/dev/null || fail "something was written"
}
removed() {
  local line=$1
  shift
  render "$@" || fail "was refused"
  grep -qF "out: removes $line" said || fail "does not say: removes $line"
}
kept() {
  render "$@" || fail "was refused"
  ! grep -q "removes" said || fail "removed a device"
}

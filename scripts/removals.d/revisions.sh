# shellcheck shell=bash disable=SC2154
# Units that apply a tag or a commit, and so not what the tree has.
source_at() {
  printf 'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec:\n  interval: 1m\n  url: https://example.com/acme/den.git\n  ref: {%s}\n' "$2" >"$1"
}
fixed() {
  two_units
  source_at clusters/den/flux-system/source.yaml "$revision"
}
for revision in 'tag: v1.0.0' 'commit: 0123456789abcdef0123456789abcdef01234567, tag: v1.0.0' 'name: refs/tags/v1.0.0, branch: main' 'semver: 1.x, tag: v1.0.0'; do
  begin "flux: $revision, and a commented resource" fixed
  sed -i 's,^- song,# - song,' media/kustomization.yaml
  refused unexplained-removal
  grep -q 'Kustomization flux-system/media applies .*, which may still have it' said || fail "does not say why"
  grep -q 'expected: another tag or commit there, or the sources as they were' said || fail "does not name the way on"
  source_at clusters/den/flux-system/source.yaml 'tag: v2.0.0'
  removed '1 device: media-song'
  begin "flux: $revision, and a deleted unit" fixed
  rm clusters/den/media.yaml
  refused unexplained-removal
  grep -q 'Kustomization flux-system/flux-system applies .*, which may still have it' said || fail "does not name the unit above"
  begin "flux: $revision, and a source that is deleted with a resource" fixed
  sed -i 's,^- song,# - song,' media/kustomization.yaml
  rm clusters/den/flux-system/source.yaml
  refused unexplained-removal
  grep -q 'Kustomization flux-system/media applied .*, and what it applies now is not known' said || fail "does not say why"
done
for revision in 'branch: main' 'branch: main, semver: 1.x' 'name: refs/heads/main, tag: v1.0.0' 'name: refs/pull/7/head' 'name: HEAD'; do
  begin "flux: $revision, and a commented resource" fixed
  sed -i 's,^- song,# - song,' media/kustomization.yaml
  removed '1 device: media-song'
done
shared_units() {
  flux
  mkdir apps
  mv clusters/den/media.yaml apps/media.yaml
  kustomization clusters/den/apps.yaml apps ./apps
  cp -r clusters/den clusters/lab
  sed -i 's,clusters/den,clusters/lab,' clusters/lab/flux-system/sync.yaml
  source_at clusters/den/flux-system/source.yaml 'tag: v1.0.0'
  source_at clusters/lab/flux-system/source.yaml 'branch: main'
}
begin 'flux: a tag in one cluster, and a commented resource of both' shared_units --cluster clusters/den
sed -i 's,^- song,# - song,' media/kustomization.yaml
refused unexplained-removal --cluster clusters/den
begin 'flux: a tag in another cluster, and a commented resource of both' shared_units --cluster clusters/lab
sed -i 's,^- song,# - song,' media/kustomization.yaml
removed '1 device: media-song' --cluster clusters/lab
two_namespaces() {
  flux
  mkdir clusters/den/team
  source_at clusters/den/flux-system/source.yaml 'branch: main'
  source_at clusters/den/source.yaml 'tag: v1.0.0'
  sed -i 's,{name: flux-system,{name: den,' clusters/den/source.yaml
  source_at clusters/den/team/source.yaml 'branch: main'
  sed -i 's,{name: flux-system\, namespace: flux-system},{name: den\, namespace: team},' clusters/den/team/source.yaml
  mv clusters/den/media.yaml clusters/den/team/media.yaml
  sed -i 's,sourceRef: .*,sourceRef: {kind: GitRepository\, name: den\, namespace: flux-system},; s,name: media\, namespace: flux-system,name: media\, namespace: team,' clusters/den/team/media.yaml
}
begin 'flux: a tag in the source of another namespace' two_namespaces
sed -i 's,^- song,# - song,' media/kustomization.yaml
refused unexplained-removal
begin 'argo: a file of an Application with a tag' argo
sed -i 's,path: media,targetRevision: v1.0.0-fix.1\, &,' apps/media.yaml
again
plain_map
mv media/film.yaml gone
refused unexplained-removal
grep -q 'Application media applies v1.0.0-fix.1, which may still have it' said || fail "does not say why"
sed -i 's,v1.0.0-fix.1,v1.1.0,' apps/media.yaml
removed '1 device: media-film'
begin 'argo: an Application with a tag, of one with a commit' argo
sed -i 's,path: apps,targetRevision: 0123456789abcdef\, &,' root.yaml
sed -i 's,path: media,targetRevision: v2.0.0\, &,' apps/media.yaml
again
mv apps/media.yaml gone
refused unexplained-removal
grep -q 'Application root applies 0123456789abcdef, which may still have it' said || fail "does not name the unit above"
mv gone apps/media.yaml
sed -i 's,v2.0.0,v2.1.0,' apps/media.yaml
plain_map
mv media/film.yaml gone
refused unexplained-removal
begin 'argo: a file of an Application with a branch, of one with a tag' argo
sed -i 's,path: apps,targetRevision: v1.0.0\, &,' root.yaml
sed -i 's,path: media,targetRevision: release-1\, &,' apps/media.yaml
again
plain_map
mv media/film.yaml gone
removed '1 device: media-film'
begin 'argo: a file of an Application with a branch whose name has numbers' argo
sed -i 's,path: media,targetRevision: "2024.10"\, &,' apps/media.yaml
again
plain_map
mv media/film.yaml gone
removed '1 device: media-film'
begin 'flux: a tag, and a resource that is ignored' fixed
sed -i 's,^- song,# - song,' media/kustomization.yaml
printf 'ignore: [media]\n' >.tailrender.yaml
removed '1 device: media-song'
instance() {
  flux
  rm clusters/den/flux-system/sync.yaml
  printf 'apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux, namespace: flux-system}\nspec:\n  distribution: {version: 2.x, registry: ghcr.io/fluxcd}\n  sync: {kind: GitRepository, url: "https://example.com/acme/den.git", ref: %s, path: clusters/den}\n' "$revision" >clusters/den/flux.yaml
  mkdir -p clusters/lab
  source_at clusters/lab/source.yaml 'tag: v1.0.0'
}
revision=refs/heads/main
begin 'flux: an instance with a branch, and a source with a tag that nothing applies' instance
sed -i 's,^- song,# - song,' media/kustomization.yaml
removed '1 device: media-song'
revision=refs/tags/v1.0.0
begin 'flux: an instance with a tag' instance
sed -i 's,^- song,# - song,' media/kustomization.yaml
refused unexplained-removal
grep -q 'hint: --rev v1.0.0 renders what is applied' said || fail "does not name the tag"
no_templates() {
  cp charts/chart/Chart.yaml kept.yaml
  helm ':'
  mv kept.yaml charts/chart/Chart.yaml
}
begin 'flux: another template of a chart with the same version' plain_release
no_templates
refused unexplained-removal
grep -q 'HelmRelease/media/chart still has chart 1.0.0.1: Flux packs a chart of the tree again only if its version changes' said || fail "does not say why"
grep -q 'expected: another version in its Chart.yaml, "reconcileStrategy: Revision", or the chart as it was' said || fail "does not name the ways on"
sed -i 's,^version: .*,version: 1.1.0,' charts/chart/Chart.yaml
removed '1 device: media-chart'
begin 'flux: another template of a chart that is packed at each revision' plain_release
sed -i 's,chart: ./charts/chart\,,& reconcileStrategy: Revision\,,' release.yaml
again
no_templates
removed '1 device: media-chart'
begin 'flux: another template of a chart, and other values' plain_release
no_templates
echo '  values: {state: other}' >>release.yaml
removed '1 device: media-chart'
begin 'flux: another template of a chart, in another namespace' plain_release
no_templates
echo '  targetNamespace: other' >>release.yaml
removed '1 device: media-chart'
revision='tag: v1.0.0'
begin 'flux: a source with a tag that is applied by hand' fixed
mkdir bootstrap
mv clusters/den/flux-system/source.yaml bootstrap/source.yaml
again
sed -i 's,^- song,# - song,' media/kustomization.yaml
refused unexplained-removal

# shellcheck shell=bash disable=SC2154,SC2016
# Edits after which something is not known, comparisons of them, and what the messages name.
begin 'flux: suspend, then delete a unit that is all of the output' loose
printf '  suspend: true\n' >>clusters/den/media.yaml
rm media/film.yaml
refused unexplained-removal
! grep -q 'empty-output' said || fail "reports the empty output, too"
refused empty-output --allow-removal Service/media/film
begin 'flux: suspend, delete a file, and compare' flux
cp -r . ../sources
printf '  suspend: true\n' >>clusters/den/media.yaml
sed -i '/song/d' media/kustomization.yaml
for base in out ../sources; do
  ! PATH=$bin "$binary" diff --only generated "$base" . >report 2>said || fail "diff accepts what render refuses"
  grep -q '\[unexplained-removal\]' said || fail "diff does not name the rule"
  ! grep -q removed report || fail "diff says that the device is removed"
done
PATH=$bin "$binary" diff --only generated --allow-removal Service/media/song out . >report 2>said || fail "diff refuses what is allowed"
grep -q song report || fail "diff does not show an allowed removal"
rm -r ../sources
begin 'flux: a directory of charts is no longer a key of .tailrender.yaml' flux
chart
mv charts vendor
echo 'charts: [vendor]' >.tailrender.yaml
working_helm
printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: chart, namespace: media}\nspec:\n  interval: 1h\n  chart: {spec: {chart: chart, sourceRef: {kind: HelmRepository, name: acme}}}\n' >media/release.yaml
echo '- release.yaml' >>media/kustomization.yaml
again
grep -q '^media-chart ' said || fail 'the chart is not rendered before the edit'
rm .tailrender.yaml
refused unexplained-removal
begin 'flux: a kustomization that kustomize cannot build' flux
printf '#!/bin/sh\ncase $1 in version) echo v5.8.1 ;; *) echo "Error: no" >&2; exit 1 ;; esac\n' >"$bin/kustomize"
chmod +x "$bin/kustomize"
echo 'namePrefix: a-' >>media/kustomization.yaml
refused kustomize-failed
grep -q 'which Kustomization flux-system/media applies' said || fail "does not name the unit"
rm "$bin/kustomize"
begin 'flux: a file that is applied becomes a symbolic link, which Flux leaves out' flux
mkdir shared
mv media/song.yaml shared/
ln -s ../shared/song.yaml media/song.yaml
refused missing-resource
begin 'flux: a unit moves to a hidden directory' flux
mkdir .later
mv clusters/den/media.yaml .later/
refused unexplained-removal --allow-empty
grep -q 'file .later/media.yaml may apply it now' said || fail "does not name the file"
removed '3 devices' --allow-empty --ignore .later
begin 'flux: a unit is renamed with its release, whose values move to a Secret' flux
chart
working_helm
mkdir web
printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: chart, namespace: media}\nspec:\n  chart: {spec: {chart: ./charts/chart, sourceRef: {kind: GitRepository, name: flux-system}}}\n  values: {name: chart}\n' >web/release.yaml
kustomization clusters/den/web.yaml web ./web
again
grep -q '^media-chart ' said || fail 'the chart is not rendered before the edit'
rm clusters/den/web.yaml
kustomization clusters/den/site.yaml site ./web
sed -i 's/name: chart, namespace/name: site, namespace/; s/  values: .*/  valuesFrom: [{kind: Secret, name: site}]/' web/release.yaml
helm true
refused unexplained-removal
grep -q 'another unit may have it now: the objects of HelmRelease/media/site are not known' said || fail "does not name the release"
for source in 'Secret, name: operator-oauth' 'ConfigMap, name: operator, optional: true'; do
  begin "flux: values of the operator move to $source" classes
  sed -i "s/  values: .*/  valuesFrom: [{kind: $source}]/" media/operator.yaml
  refused unexplained-removal
  grep -q "values of the operator's chart are not known: .* operator" said || fail "does not name the values"
done
begin 'flux: an Ingress is deleted beside values of the operator that are not known' classes
sed -i 's/  values: .*/&\n  valuesFrom: [{kind: Secret, name: operator-oauth}]/' media/operator.yaml
sed -i /zoo/d media/kustomization.yaml
removed '1 device: zoo'
begin 'argo: git-crypt encrypts the values of the operator' argo
printf 'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: operator, namespace: argocd}\nspec:\n  project: default\n  sources:\n  - {repoURL: "https://pkgs.tailscale.com/helmcharts", chart: tailscale-operator, targetRevision: 1.98.4, helm: {valueFiles: [$values/operator.yaml]}}\n  - {repoURL: "https://example.com/acme/den.git", ref: values}\n  destination: {server: "https://kubernetes.default.svc", namespace: tailscale}\n' >apps/operator.yaml
printf '\0GITCRYPT\0abc' >operator.yaml
refused unread-values
grep -q 'operator.yaml, which git-crypt encrypts' said || fail "does not name the reason"

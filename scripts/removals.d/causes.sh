# shellcheck shell=bash disable=SC2154,SC2016
# Edits that are a cause of a removal or are not, by what the sources say of the unit, its set and its cluster.
begin 'flux: a unit of another cluster that is broken, and has the name' two_clusters
sed -i '/song/d' media/kustomization.yaml
removed '1 device: media-song'
begin 'flux: a commented resource whose file stays, beside a remote resource that was there before' remote_unit
sed -i 's,^- song,# - song,' media/kustomization.yaml
removed '1 device: media-song'
begin 'flux: a commented resource whose file stays, beside a new remote resource of another unit' remote_unit
sed -i 's,^- song,# - song,' media/kustomization.yaml
echo '- https://example.com/acme/song.yaml' >>crds/kustomization.yaml
refused unexplained-removal
grep -q 'a kustomization uses https://example.com/acme/song.yaml, which is not available' said || fail "does not name what is new"
for policy in 'applicationsSync: create-update' 'applicationsSync: create-only' 'preserveResourcesOnDeletion: true'; do
  begin "argo: a set with $policy that does not make an Application any more" list_set
  sed -i "s,^  generators:,  syncPolicy: {$policy}\n&," apps/set.yaml
  kept
  sed -i 's/{name: media}, //' apps/set.yaml
  refused unexplained-removal
  grep -q "ApplicationSet all is kept: spec.syncPolicy.${policy%:*} is ${policy#*: }" said || fail "does not name the policy"
done
begin 'argo: a file of a set that deletes no Applications' list_set
sed -i 's,^  generators:,  syncPolicy: {applicationsSync: create-only}\n&,' apps/set.yaml
plain_map
rm media/film.yaml
removed '1 device: media-film'
begin 'argo: a set that does not make an Application any more' list_set
sed -i 's/{name: media}, //' apps/set.yaml
removed '1 device: media-film'
for wanted in '{name: nope}' '{name: media}' '{name: tools}' '{name: flux-system, namespace: other}'; do
  begin "flux: a unit that waits for $wanted, and a commented resource" two_units
  sed -i 's,^spec:,spec:\n  dependsOn: [{name: media}],' clusters/den/tools.yaml
  sed -i "s|^spec:|spec:\n  dependsOn: [$wanted]|" clusters/den/media.yaml
  again
  grep -q '\[unknown-dependency\]\|\[unmet-dependency\]' said || fail "says nothing of what is never applied"
  sed -i 's,^- song,# - song,' media/kustomization.yaml
  refused unexplained-removal
  grep -q 'Kustomization flux-system/media is kept: ' said || fail "does not say why"
done
begin 'flux: a unit that waits for one that is applied, and a commented resource' two_units
sed -i 's,^spec:,spec:\n  dependsOn: [{name: tools}],' clusters/den/media.yaml
sed -i 's,^- song,# - song,' media/kustomization.yaml
removed '1 device: media-song'
begin 'flux: a typo in the source of a HelmRelease' sourced
sed -i 's,name: flux-system,name: flux-systm,' media/release.yaml
refused broken-unit
begin 'flux: a typo in the source of a HelmRelease, and another value' sourced
sed -i 's,name: flux-system,name: flux-systm,; s,EXPOSED,hidden,' media/release.yaml
refused unexplained-removal
grep -q 'HelmRelease/media/chart applies nothing: no GitRepository "flux-systm" in the tree' said || fail "does not say why"
begin 'flux: a HelmRelease of a source that is not in the tree, and another value' sourced
sed -i 's,name: flux-system,name: fleet,' media/release.yaml
again
sed -i 's,EXPOSED,hidden,' media/release.yaml
removed '1 device: media-chart'
begin 'flux: a HelmRelease without an interval, and another value' sourced
sed -i '/interval/d' media/release.yaml
again
grep -q '\[incomplete-unit\]' said || fail "does not say that the API server rejects it"
sed -i 's,EXPOSED,hidden,' media/release.yaml
refused unexplained-removal
grep -q 'HelmRelease/media/chart is kept: spec.interval is missing' said || fail "does not say why"

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

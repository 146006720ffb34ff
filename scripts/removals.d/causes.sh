# shellcheck shell=bash disable=SC2154,SC2016
# Edits that are a cause of a removal or are not, by what the sources say of the unit, its set and its cluster.
begin 'flux: a unit of another cluster that is broken, and has the name' two_clusters
sed -i '/song/d' media/kustomization.yaml
removed '1 device: media-song'

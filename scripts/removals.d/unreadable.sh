# shellcheck shell=bash disable=SC2154
# Manifests that are in the tree, but are not readable on this machine.
sops_whole() {
  printf 'apiVersion: ENC[AES256_GCM,data:a,type:str]\nkind: ENC[AES256_GCM,data:b,type:str]\nmetadata:\n  name: ENC[AES256_GCM,data:c,type:str]\nsops: {mac: "ENC[AES256_GCM,data:d,type:str]", version: 3.9.0}\n' >"$1"
}
git_crypt() {
  printf '\0GITCRYPT\0abcdef' >"$1"
}
for lock in sops_whole git_crypt; do
  begin "argo: $lock of a file with a device" argo
  "$lock" media/film.yaml
  refused unexplained-removal
  grep -q 'media/film.yaml is not readable here: ' said || fail "does not name the file"
  begin "flux: $lock of a file with a device" loose
  service media/song.yaml song
  again
  "$lock" media/song.yaml
  refused unexplained-removal
  begin "flux: $lock of the operator's release" operator
  "$lock" ts/op.yaml
  refused unexplained-removal
  begin "argo: a file beside one with $lock" argo
  plain_map
  "$lock" media/secret.yaml
  rm media/film.yaml
  removed '1 device: media-film'
done
submodule() {
  argo
  sed -i 's,path: media,directory: {recurse: true}\, &,' apps/media.yaml
  service media/sub/song.yaml song
}
begin 'argo: a submodule that is not checked out' submodule
printf '[submodule "song"]\n\tpath = media/sub\n\turl = ../song.git\n' >.gitmodules
rm media/sub/song.yaml
refused unexplained-removal
grep -q 'media/sub is not readable here: the submodule is not checked out' said || fail "does not name the submodule"
rm .gitmodules
removed '1 device: media-song'

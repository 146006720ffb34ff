# shellcheck shell=bash disable=SC2154,SC2016
# Objects and files that Argo CD or the API server rejects: what they applied stays.
chart_root() {
  chart_values
  mv apps/chart.yaml chart.yaml
}
# An ApplicationSet with a list, at the top.
set_root() {
  printf 'apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec:\n  goTemplate: true\n  generators:\n  - list: {elements: [{name: media}, {name: tools}]}\n    selector: {matchLabels: {name: media}}\n  template:\n    metadata: {name: "{{.name}}"}\n    spec:\n      project: default\n      source: {repoURL: "https://example.com/acme/den.git", path: "{{.name}}"}\n      destination: {server: "https://kubernetes.default.svc", namespace: media}\n' >all.yaml
  application other.yaml other other
  service media/film.yaml film
  service other/wiki.yaml wiki
}
overridden() {
  one_application
  service media/deep/song.yaml song
  printf 'directory: {recurse: true}\n' >media/.argocd-source-media.yaml
}
for edit in 's/kind: Application/kind: Applicaton/' 's/kind: Application/kind: ""/' 's/path: /paths: /' 's/^spec:/specs:/' \
  's/destination/destinaton/' 's/repoURL/repoUrl/' 's/valueFiles/valuesFiles/' 's,io/v1alpha1,io/v1,' 's/project: default/project: [default/' \
  's/name: chart/name: 123/' 's/valueFiles: .*/valuesObject: |\n        a: b/' 's/valueFiles: .*/valuesObject: [a]/'; do
  begin "argo: $edit in the Application of a chart" chart_root
  sed -i "$edit" chart.yaml
  refused 'unexplained-removal\|broken-unit'
done
for edit in 's/  - list/    list/' 's/elements: .*/elements: {name: media}}/' 's/matchLabels/matchlabels/' 's/matchLabels: .*/matchLabels: {name: 1}}/' \
  's/matchLabels: .*/matchExpressions: [{key: name, operator: In}]}/' 's/name: "{{.name}}"/name: "{{.name | nope}}"/' \
  's/^  template:/  templatePatch: "a: ["\n&/' 's/^  template:/  templatePatch: "- a"\n&/' 's/generators:/generators: null\n  generatorz:/'; do
  begin "argo: $edit in a set" set_root
  sed -i "$edit" all.yaml
  refused 'unexplained-removal\|broken-unit\|unresolved-set'
done
for text in 'directory: {recurse' '- a' '' 'helm: {}\ndirectory: {recurse: true}' 'directory: {recurse: false}\nsops: {mac: "ENC[a]"}'; do
  begin "argo: an override with the text $text" overridden
  printf '%b\n' "$text" >media/.argocd-source-media.yaml
  rm media/deep/song.yaml
  refused 'unexplained-removal\|broken-unit'
done
for text in '- a: b\n' '# apiVersion: v1, kind: Service, metadata:\n- a: b\n'; do
  begin "argo: a manifest that is a list: $text" argo
  service media/song.yaml song
  again
  printf '%b' "$text" >media/song.yaml
  case $text in
  -*) removed '1 device: media-song' ;;
  *) refused unexplained-removal ;;
  esac
done
begin 'argo: a comment in JSON' argo
printf '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "song", "namespace": "media", "annotations": {"tailscale.com/expose": "true"}}, "spec": {"selector": {"app": "a"}, "ports": [{"port": 80}]}}\n' >media/song.json
again
printf '// tailscale\n[]\n' >media/song.json
refused 'unexplained-removal\|yaml-syntax'
begin 'argo: a manifest is saved as UTF-16' argo
iconv -f UTF-8 -t UTF-16 media/film.yaml >utf16
mv utf16 media/film.yaml
refused bad-utf8
begin 'flux: two objects of one name, and a deleted one' flux
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: media}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: media}\n' >media/maps.yaml
sed -i 's/^- song.yaml/- maps.yaml/' media/kustomization.yaml
refused unexplained-removal
grep -q 'kustomize rejects two objects ConfigMap/media/a' said || fail "does not name the objects"
begin 'flux: a generator makes an object that is also a file, and a deleted one' flux
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: media}\n' >media/maps.yaml
sed -i 's/^- song.yaml/- maps.yaml/' media/kustomization.yaml
printf 'configMapGenerator: [{name: a, namespace: media, literals: [b=c]}]\n' >>media/kustomization.yaml
refused unexplained-removal
grep -q 'kustomize rejects two objects ConfigMap/media/a' said || fail "does not name the objects"
begin 'flux: a wrong apiVersion of a kustomization, and a deleted object' flux
sed -i 's/^- song.yaml//' media/kustomization.yaml
sed -i '1i apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization' media/kustomization.yaml
refused 'unexplained-removal\|not-supported\|kustomize-failed\|assumed-units'
begin 'plain: an Ingress loses its spec' plain
sed -i '/^spec/d' zoo.yaml
refused unexplained-removal
grep -q 'it cannot be applied: it has neither spec.rules' said || fail "does not say why"
begin 'plain: a directory is ignored' plain
echo 'ignore: [media]' >.tailrender.yaml
removed '1 device: media-film'

# shellcheck shell=bash disable=SC2154,SC2016
# Edits after which a value that decides what is exposed is not known, or not applied.
class() {
  printf 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: zoo, namespace: media}\nspec: {ingressClassName: "%s", tls: [{hosts: [zoo]}], defaultBackend: {service: {name: song, port: {number: 80}}}}\n' "$1" >media/zoo.yaml
  echo '- zoo.yaml' >>media/kustomization.yaml
}
config_map() {
  mkdir -p "$(dirname "$1")"
  printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars, namespace: flux-system}\ndata: {%s}\n' "$2" >"$1"
}
takes_variables() { printf '  postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}\n' >>"$1"; }
variables() {
  flux
  class '${CLASS:=none}'
  takes_variables clusters/den/media.yaml
  config_map clusters/den/vars.yaml 'CLASS: tailscale'
}
suspended_variables() {
  variables
  mv clusters/den/vars.yaml .
  kustomization clusters/den/config.yaml config ./config
  printf '  suspend: true\n' >>clusters/den/config.yaml
  mkdir config
  mv vars.yaml config
}
variables_of_two() {
  flux
  class '${CLASS}'
  takes_variables clusters/den/media.yaml
  config_map clusters/den/vars.yaml 'CLASS: tailscale'
  config_map clusters/away/vars.yaml 'CLASS: nginx'
  kustomization clusters/away/flux-system/sync.yaml flux-system ./clusters/away
}
for edit_of_map in 'rm clusters/den/vars.yaml' 'sed -i s/ConfigMap/Secret/ clusters/den/media.yaml' 'echo "sops: {mac: abc}" >>clusters/den/vars.yaml'; do
  begin "flux: $edit_of_map" variables
  eval "$edit_of_map"
  refused unexplained-removal
  grep -q 'Ingress/media/zoo may still be exposed: the value of "CLASS" is not known' said || fail "does not name the variable"
  sed -i /zoo/d media/kustomization.yaml
  removed '1 device: zoo'
done
begin 'flux: a variable of a suspended unit changes' suspended_variables
sed -i 's/tailscale/nginx/' config/vars.yaml
refused unexplained-removal
grep -q '\[unapplied-variable\]' said || fail "does not name the ConfigMap"
sed -i /suspend/d clusters/den/config.yaml
removed '1 device: zoo'
begin 'flux: a cluster has no variables any more, but another one has' variables_of_two --cluster den
rm clusters/den/vars.yaml
refused unresolved-variable --cluster den
begin 'flux: the root of the cluster is renamed' two --cluster den
mv clusters/den clusters/home
sed -i s/den/home/ clusters/home/flux-system/sync.yaml
rm clusters/home/media.yaml clusters/away/flux-system/sync.yaml
mv clusters/away/media.yaml clusters/home
refused unknown-cluster --cluster den
begin 'flux: values of a release in a suspended unit change' flux_values
kustomization clusters/den/config.yaml config ./config
mkdir config
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: state, namespace: media}\ndata: {values.yaml: "state: EXPOSED"}\n' >config/state.yaml
sed -i 's/  values: .*/  valuesFrom: [{kind: ConfigMap, name: state}]/' media/release.yaml
printf '  suspend: true\n' >>clusters/den/config.yaml
again
sed -i s/EXPOSED/hidden/ config/state.yaml
refused unexplained-removal
grep -q 'values of ConfigMap state, which is not applied now' said || fail "does not name the ConfigMap"
begin 'flux: a template asks the cluster' releases
printf '{{ if .Capabilities.APIVersions.Has "a/v1" }}\nmetadata: {annotations: {tailscale.com/expose: "true"}}\n{{ end }}\n' >charts/chart/templates/service.yaml
helm true
refused unexplained-removal
grep -q 'a template asks the cluster (templates/service.yaml: .Capabilities.APIVersions)' said || fail "does not name the condition"

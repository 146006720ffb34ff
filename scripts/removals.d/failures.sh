# shellcheck shell=bash disable=SC2016
# Edits that remove the text of a device and also keep the engine from applying its unit.
begin 'flux: a file of a generated kustomization that is not an object' loose
printf 'name: film\n' >media/film.yaml
service media/song.yaml song
refused unexplained-removal
grep -q 'media/film.yaml is no Kubernetes object' said || fail "does not name the file"
begin 'flux: a misspelled field of an object in a generated kustomization' loose
sed -i 's,metadata:,metdata:,' media/film.yaml
service media/song.yaml song
refused schema-required
begin 'flux: an empty kustomization' loose
service media/song.yaml song
again
printf 'kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n' >media/kustomization.yaml
refused unexplained-removal --allow-empty
begin 'flux: a resource that is no longer listed, beside a patch that does not exist' flux
printf 'resources: [plain.yaml]\npatches: [{path: none.yaml}]\n' >media/kustomization.yaml
plain_map
refused unexplained-removal --allow-empty
grep -q 'no kustomize is run to see whether it can be built' said || fail "does not say why"
begin 'flux: a resource that is no longer listed, beside a kind that does not exist' flux
printf 'resources: [film.yaml, plain.yaml]\n' >media/kustomization.yaml
printf 'apiVersion: v1\nkind: ConfigMap2\nmetadata: {name: plain, namespace: media}\n' >media/plain.yaml
refused unexplained-removal
grep -q 'its unit cannot be applied: ConfigMap2/media/plain: Kubernetes .* has no kind' said || fail "does not say why"
sed -i 's,Map2,Map,' media/plain.yaml
removed '2 devices: media-book, media-song'
begin 'flux: a variable without a value' loose
sed -i 's,^spec:,spec:\n  postBuild: {substitute: {A: b}},' clusters/den/media.yaml
printf 'apiVersion: v1\nkind: Service\nmetadata: {name: song, namespace: media}\nspec: {type: LoadBalancer, loadBalancerClass: "${CLASS:=tailscale}", selector: {app: a}, ports: [{port: 80}]}\n' >media/song.yaml
again
sed -i 's,:=tailscale,,' media/song.yaml
refused unexplained-removal
begin 'argo: a chart without its Chart.yaml' chart_values
rm charts/chart/Chart.yaml
refused unexplained-removal
grep -q 'has no Chart.yaml for "helm"' said || fail "does not say why"
begin 'plain: a variable that nothing fills in stays as the class of an Ingress' plain
sed -i 's,ingressClassName: tailscale,ingressClassName: "${CLASS}",' zoo.yaml
refused unexplained-removal
grep -q 'it cannot be applied: invalid ingressClassName "${CLASS}"' said || fail "does not say why"
begin 'flux: the class of another Ingress of the unit is in upper case' flux
printf 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: zoo, namespace: media}\nspec: {ingressClassName: Tailscale, defaultBackend: {service: {name: film, port: {number: 80}}}}\n' >media/song.yaml
refused unexplained-removal
grep -q 'its unit cannot be applied: Ingress/media/zoo: invalid ingressClassName "Tailscale"' said || fail "does not say why"
balanced() {
  printf 'apiVersion: v1\nkind: Service\nmetadata: {name: zoo, namespace: media}\nspec: {type: LoadBalancer, loadBalancerClass: tailscale, selector: {app: a}, ports: [{port: 80}]}\n' >zoo.yaml
  service media/film.yaml film
}
begin 'plain: an invalid load balancer class' balanced
sed -i 's,Class: tailscale,Class: "tail/scale/",' zoo.yaml
refused unexplained-removal
begin 'plain: another load balancer class' balanced
sed -i 's,Class: tailscale,Class: io.cilium/l2-announcer,' zoo.yaml
refused unexplained-removal
grep -q 'loadBalancerClass "tailscale" of a Service cannot change: delete the Service first' said || fail "does not say why"
begin 'plain: no load balancer class' balanced
sed -i 's,loadBalancerClass: tailscale\, ,,' zoo.yaml
refused unexplained-removal
sed -i 's,type: LoadBalancer,type: ClusterIP,' zoo.yaml
removed '1 device: media-zoo'
begin 'flux: a kustomization that lists the directory that it is in' flux
mkdir media/all
printf 'resources: [film.yaml]\n' >media/kustomization.yaml
printf 'resources: [../song.yaml]\n' >media/all/kustomization.yaml
sed -i 's,path: ./media,path: ./media/all,' clusters/den/media.yaml
mv media/song.yaml media/all/song.yaml
printf 'resources: [song.yaml]\n' >media/all/kustomization.yaml
again
printf 'resources: [../]\n' >media/all/kustomization.yaml
refused kustomization-cycle
begin 'flux: a Component below a path without a kustomization' loose
mkdir media/part
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: part, namespace: media}\n' >media/part/map.yaml
printf 'resources: [map.yaml]\n' >media/part/kustomization.yaml
service media/song.yaml song
again
printf 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [map.yaml]\n' >media/part/kustomization.yaml
rm media/song.yaml
refused unexplained-removal
grep -q 'media/part/kustomization.yaml is a Component, but is listed as a resource' said || fail "does not say why"
for hook in 'helm.sh/hook: pre-install' 'argocd.argoproj.io/hook: Skip'; do
  begin "plain: a Service becomes a hook by $hook" plain
  sed -i "s|annotations: {|&$hook, |" media/film.yaml
  refused unexplained-removal
  grep -q 'Service/media/film is a hook only for Helm and Argo CD' said || fail "does not say why"
  printf -- '---\napiVersion: v1\nkind: Service\nmetadata: {name: film, namespace: media}\nspec: {selector: {app: a}, ports: [{port: 80}]}\n' >>media/film.yaml
  removed '1 device: media-film'
done
begin 'plain: a Service of a chart becomes a hook' plain_release
helm "printf 'apiVersion: v1\\nkind: Service\\nmetadata: {name: chart, namespace: media, annotations: {helm.sh/hook: test, tailscale.com/expose: \"true\"}}\\nspec: {selector: {app: a}, ports: [{port: 80}]}\\n'"
removed '1 device: media-chart'
begin 'plain: a Service of a chart has an annotation of Argo CD' plain_release
helm "printf 'apiVersion: v1\\nkind: Service\\nmetadata: {name: chart, namespace: media, annotations: {argocd.argoproj.io/hook: Sync, tailscale.com/expose: \"true\"}}\\nspec: {selector: {app: a}, ports: [{port: 80}]}\\n'"
kept

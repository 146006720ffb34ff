# shellcheck shell=bash
# Edits of what installs the operator: the settings in its values stay known.
begin 'flux: a typo in the path of the unit with the operator' operator
sed -i 's,./ts$,./tss,' clusters/den/ts.yaml
refused broken-unit
begin 'flux: a folder that the unit with the operator does not follow' operator
mv ts tailscale
refused broken-unit
begin 'flux: a unit with the operator, of a source that is not known' operator
sed -i 's,kind: GitRepository,kind: OCIRepository,' clusters/den/ts.yaml
refused unknown-source
begin 'flux: a misspelled kind of the release of the operator' operator
sed -i 's,HelmRelease,HelmReleas,' ts/op.yaml
refused broken-unit
begin 'flux: a misspelled chart of the operator' operator
sed -i 's,tailscale-operator,tailscale-oprator,' ts/op.yaml
refused unread-values
printf 'proxyConfig: {defaultTags: "tag:den"}\n' >values.yaml
refused unknown-chart --values values.yaml
begin 'flux: a deleted operator' operator
rm -r ts clusters/den/ts.yaml
kept
grep -q '\[removed-operator\]' said || fail "does not warn that the settings become defaults"
kept
! grep -q '\[removed-operator\]' said || fail "warns of settings that were defaults before"
begin 'flux: a deleted operator beside values without its settings' operator --set tailrender.clusterDomain=cluster.local
rm -r ts clusters/den/ts.yaml
kept --set tailrender.clusterDomain=cluster.local
grep -q '\[removed-operator\]' said || fail "does not warn that the settings become defaults"
begin 'argo: an Application with the operator in a chart that moves' umbrella
mv charts/ts charts/tailscale
refused unread-values
refused unexplained-removal --set proxyConfig.defaultTags=tag:den
kept --set proxyConfig.defaultTags=tag:den --allow-removal Application/argocd/ts
begin 'argo: an Application with the operator in another repository' umbrella
sed -i 's,acme/den,acme/hut,' apps/ts.yaml
refused unread-values
refused unexplained-removal --set proxyConfig.defaultTags=tag:den
begin 'flux: values of an operator that is suspended' operator
sed -i 's,^spec:,spec:\n  suspend: true,; s,tag:den,tag:cave,' ts/op.yaml
refused unexplained-removal
grep -q "error: HelmRelease/tailscale/ts: the operator's settings would change" said || fail "does not name the settings"
sed -i 's,  suspend: true,,' ts/op.yaml
kept
begin 'flux: an operator that is removed beside a chart of others' operator
chart_of_others
rm -r ts clusters/den/ts.yaml
kept
begin 'flux: an operator as a Deployment in a folder that moves' operator
printf 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: operator, namespace: tailscale}\nspec:\n  selector: {matchLabels: {app: operator}}\n  template:\n    metadata: {labels: {app: operator}}\n    spec:\n      containers:\n      - {name: operator, image: "tailscale/k8s-operator:v1.104.2", env: [{name: OPERATOR_SECRET, value: operator}, {name: PROXY_TAGS, value: "tag:den"}, {name: PROXY_IMAGE, value: "tailscale/tailscale:v1.104.2"}]}\n' >ts/op.yaml
again
mv ts tailscale
refused unexplained-removal

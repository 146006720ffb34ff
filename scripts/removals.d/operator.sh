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
refused unexplained-removal
grep -q "error: HelmRelease/tailscale/ts: the operator's settings would become defaults" said || fail "does not name the settings"
printf 'proxyConfig: {defaultTags: "tag:den"}\n' >values.yaml
kept --values values.yaml
begin 'flux: a deleted operator' operator
rm -r ts clusters/den/ts.yaml
kept
begin 'argo: an Application with the operator in a chart that moves' umbrella
mv charts/ts charts/tailscale
refused unexplained-removal
kept --allow-removal Application/argocd/ts
begin 'argo: an Application with the operator in another repository' umbrella
sed -i 's,acme/den,acme/hut,' apps/ts.yaml
refused unexplained-removal

#include <array>

#include "renderer/lint/lint.h"

namespace renderer {

namespace {

constexpr std::array kChecks = {
    LintCheck{"cilium-socket-lb",
              "Cilium replaces kube-proxy inside of pods, where proxies forward"},
    LintCheck{"env-file-example", "an env file without an example, or with other keys than it"},
    LintCheck{"env-file-in-git", "an env file with credentials that Git does not ignore"},
    LintCheck{"fleet-bundle-size", "a bundle holds more than one object of the API server may"},
    LintCheck{"fleet-crd-deletion", "CRDs are deleted with their bundle, and all their objects"},
    LintCheck{"fleet-crd-order", "a custom resource in the bundle of its CRD"},
    LintCheck{"fleet-customization", "a target customization matches no cluster"},
    LintCheck{"fleet-dependency", "dependsOn names a bundle that is not here"},
    LintCheck{"fleet-empty-bundle", "a bundle without objects, made because of .tailrender.yaml"},
    LintCheck{"fleet-hidden-file", "a kustomization that Fleet executes lists a hidden file"},
    LintCheck{"fleet-loose-file", "a manifest beside a chart, which Fleet does not deploy"},
    LintCheck{"fleet-name", "a bundle or release name that Helm refuses, or that two bundles have"},
    LintCheck{"fleet-namespace-labels", "PodSecurity labels where Fleet ignores them"},
    LintCheck{"fleet-owned-namespace", "a Namespace that Fleet makes before Helm may"},
    LintCheck{"fleet-template", "${ in the values of a chart, which Fleet takes as a template"},
    LintCheck{"fleet-values-file", "a values file that a kustomization lists, too"},
    LintCheck{"fleet-yaml-overlays", "yaml.overlays where Fleet does not execute them"},
    LintCheck{"flux-decryption", "a Secret of SOPS that Flux is not told to decrypt"},
    LintCheck{"flux-not-an-object", "a file that Flux takes as manifests and that is none"},
    LintCheck{"flux-substitution", "a variable that Flux does not know and replaces by nothing"},
    LintCheck{"front-door-certificate",
              "a public name in front of a Funnel without a proxy that answers for it"},
    LintCheck{"front-door-hosts", "several public names in front of one Funnel"},
    LintCheck{"front-door-origin", "Cloudflare in front of a Funnel, which needs an origin rule"},
    LintCheck{"helm-plugin", "a plugin.yaml that Helm 4 skips"},
    LintCheck{"helm-plugin-mixed", "plug-ins of Helm 3 and of Helm 4 in one directory"},
    LintCheck{"namespace-overwritten", "a kustomization moves an object away from its namespace"},
    LintCheck{"namespace-pod-security", "PodSecurity refuses the pods of L3 proxies"},
    LintCheck{"object-in-two-bundles", "two bundles apply the same object"},
    LintCheck{"placeholder-credential", "a Secret with the value of an example"},
    LintCheck{"plaintext-secret", "a Secret with its values in a Git work tree"},
    LintCheck{"policy-funnel", "the tailnet's policy file does not allow Funnel"},
    LintCheck{"policy-tag-owner", "the tailnet's policy file does not allow a tag"},
    LintCheck{"rendered-in-chart", "a rendered tree where Helm takes it as templates"},
    LintCheck{"secret-name-hash", "a generated Secret whose users do not learn of its hash"},
    LintCheck{"tailscale-key", "a key of Tailscale in plain text"},
    LintCheck{"two-trees", "the rendered tree and its source are both applied"},
};

}  // namespace

std::span<const LintCheck> lint_checks() {
    return kChecks;
}

}  // namespace renderer

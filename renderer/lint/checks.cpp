#include <array>

#include "renderer/lint/lint.h"

namespace renderer {

namespace {

constexpr std::array kChecks = {
    LintCheck{"fleet-bundle-size", "a bundle holds more than one object of the API server may"},
    LintCheck{"fleet-crd-deletion", "CRDs are deleted with their bundle, and all their objects"},
    LintCheck{"fleet-customization", "a target customization matches no cluster"},
    LintCheck{"fleet-dependency", "dependsOn names a bundle that is not here"},
    LintCheck{"fleet-hidden-file", "a kustomization that Fleet executes lists a hidden file"},
    LintCheck{"fleet-loose-file", "a manifest beside a chart, which Fleet does not deploy"},
    LintCheck{"fleet-name", "a bundle or release name that Helm refuses, or that two bundles have"},
    LintCheck{"fleet-namespace-labels", "PodSecurity labels where Fleet ignores them"},
    LintCheck{"fleet-template", "${ in the values of a chart, which Fleet takes as a template"},
    LintCheck{"fleet-values-file", "a values file that a kustomization lists, too"},
    LintCheck{"fleet-yaml-overlays", "yaml.overlays where Fleet does not execute them"},
    LintCheck{"object-in-two-bundles", "two bundles apply the same object"},
    LintCheck{"placeholder-credential", "a Secret with the value of an example"},
    LintCheck{"plaintext-secret", "a Secret with its values in a Git work tree"},
    LintCheck{"tailscale-key", "a key of Tailscale in plain text"},
    LintCheck{"two-trees", "the rendered tree and its source are both applied"},
};

}  // namespace

std::span<const LintCheck> lint_checks() {
    return kChecks;
}

}  // namespace renderer

#include "renderer/lint/lint.h"

#include <array>

#include "renderer/lint/families.h"

namespace renderer::lint {

namespace {

constexpr std::array kChecks = {
    LintCheck{"cilium-socket-lb", "Cilium replaces kube-proxy inside pods, which breaks proxies"},
    LintCheck{"env-file-example",
              "an env file without an example, or with other keys than the example"},
    LintCheck{"env-file-in-git", "an env file with credentials that Git does not ignore"},
    LintCheck{"fleet-bundle-size", "a bundle is larger than an object of the API server may be"},
    LintCheck{"fleet-crd-deletion",
              "CRDs are deleted with their bundle, and with them all their objects"},
    LintCheck{"fleet-crd-order", "a custom resource in the bundle of its CRD"},
    LintCheck{"fleet-customization", "a target customization matches no cluster"},
    LintCheck{"fleet-dependency", "dependsOn refers to an unknown bundle"},
    LintCheck{"fleet-empty-bundle", "a bundle without objects, made because of .tailrender.yaml"},
    LintCheck{"fleet-hidden-file", "a kustomization that Fleet builds lists a hidden file"},
    LintCheck{"fleet-loose-file", "a manifest beside a chart, which Fleet does not deploy"},
    LintCheck{"fleet-name", "a bundle or release name that Helm rejects, or that two bundles have"},
    LintCheck{"fleet-namespace-labels", "PodSecurity labels where Fleet ignores them"},
    LintCheck{"fleet-owned-namespace", "a Namespace that Fleet creates before Helm"},
    LintCheck{"fleet-template", "${ in the values of a chart, which Fleet parses as a template"},
    LintCheck{"fleet-values-file", "a values file that a kustomization also lists"},
    LintCheck{"fleet-yaml-overlays", "yaml.overlays where Fleet does not apply them"},
    LintCheck{"flux-decryption", "a Secret encrypted by SOPS, without decryption in Flux"},
    LintCheck{"flux-not-an-object", "a file that is not a manifest, but Flux reads it as one"},
    LintCheck{"flux-substitution",
              "a variable that is unknown to Flux: nothing is applied, or it becomes empty"},
    LintCheck{"front-door-certificate",
              "a public name for a Funnel without a proxy that serves it"},
    LintCheck{"front-door-hosts", "several public names for one Funnel"},
    LintCheck{"front-door-origin", "Cloudflare in front of a Funnel, which needs an origin rule"},
    LintCheck{"namespace-overwritten",
              "an object is moved to another namespace, or a Namespace renamed"},
    LintCheck{"namespace-pod-security", "PodSecurity rejects the pods of L3 proxies"},
    LintCheck{"object-in-two-bundles", "two bundles apply the same object"},
    LintCheck{"placeholder-credential", "a Secret with a value from an example"},
    LintCheck{"plaintext-secret", "a Secret with plaintext values in a Git work tree"},
    LintCheck{"policy-funnel", "the tailnet's policy file does not allow Funnel"},
    LintCheck{"policy-tag-owner", "the tailnet's policy file does not allow a tag"},
    LintCheck{"rendered-in-chart", "a rendered tree in a chart's templates"},
    LintCheck{"secret-name-hash",
              "a generated Secret whose name gets a hash that its users do not see"},
    LintCheck{"tailscale-key", "a Tailscale key in plain text"},
    LintCheck{"two-trees", "the rendered tree and its source are both applied"},
};

}  // namespace

std::span<const LintCheck> lint_checks() {
    return kChecks;
}

void lint(const LintInput& input, load::Loaded& loaded, Diagnostics& diagnostics) {
    const Repository repository = read_repository(input.tree, input.options, loaded.sources);
    const GitIgnores git(input.tree, repository.root);
    const LintContext context{repository, git, input, loaded, diagnostics};
    check_fleet_bundles(context);
    check_fleet_options(context);
    check_appliers(context);
    check_credentials(context);
    check_fleet_objects(context);
    check_kustomizations(context);
    check_substitution(context);
    check_front_door(context);
    check_tailnet_policy(context);
    check_cluster_network(context);
}

}  // namespace renderer::lint

#include "renderer/lint/lint.h"

#include "renderer/lint/families.h"

namespace renderer {

void lint(const LintInput& input, Loaded& loaded, Diagnostics& diagnostics) {
    const Repository repository = read_repository(input.tree, input.options, loaded.sources);
    const GitTree git(input.tree, repository.root);
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
    check_helm_plugins(context);
}

}  // namespace renderer

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
}

}  // namespace renderer

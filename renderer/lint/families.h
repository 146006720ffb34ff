// The checks, one function per family. Private to lint.
#pragma once

#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/lint/git_ignores.h"
#include "renderer/lint/lint.h"
#include "renderer/lint/repository.h"

namespace renderer::lint {

struct LintContext {
    const Repository& repository;
    const GitIgnores& git;
    const LintInput& input;
    load::Loaded& loaded;
    Diagnostics& diagnostics;

    Finding error(std::string_view rule, Pos pos, std::string message) const {
        return diagnostics.error(rule, pos, std::move(message));
    }
    Finding warning(std::string_view rule, Pos pos, std::string message) const {
        return diagnostics.warning(rule, pos, std::move(message));
    }
    Report about(const RepositoryDocument& document) const {
        return {document.object_name(), diagnostics};
    }
};

void check_fleet_bundles(const LintContext& context);    // content of bundles
void check_fleet_options(const LintContext& context);    // fleet.yaml
void check_fleet_objects(const LintContext& context);    // objects that do not fit their bundle
void check_appliers(const LintContext& context);         // objects that are applied twice
void check_credentials(const LintContext& context);      // secrets in files
void check_kustomizations(const LintContext& context);   // names, namespaces, env files
void check_substitution(const LintContext& context);     // Flux's variables, Helm templates
void check_front_door(const LintContext& context);       // DNS records in front of a Funnel
void check_tailnet_policy(const LintContext& context);   // the tailnet's policy file
void check_cluster_network(const LintContext& context);  // Cilium, PodSecurity

}  // namespace renderer::lint

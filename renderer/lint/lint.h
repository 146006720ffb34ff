// The verb `lint`: finds what renders but fails later, in Fleet's loader, in Flux's substitution,
// in Git, or in front of a Funnel. Reads every file of the tree, also those that no render reads;
// changes nothing and fetches nothing. Mistakes that make a render fail are reported by the stages
// themselves. Sources of the rules: Fleet internal/bundlereader and internal/helmdeployer, Flux
// kustomize-controller.
#pragma once

#include <span>
#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::lint {

struct LintCheck {
    std::string_view id;           // shown in brackets after a message
    std::string_view explanation;  // one line: what fails
};

// Returns the checks, sorted by id.
std::span<const LintCheck> lint_checks();

// The input for one cluster. `inventory` and `plan` are from its render, complete or not.
struct LintInput {
    const repo::SourceTree& tree;
    const repo::LoadOptions& options;
    const classify::Inventory& inventory;
    const plan::Plan& plan;
};

// Adds the files that it reads to `loaded.sources`.
void lint(const LintInput& input, load::Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::lint

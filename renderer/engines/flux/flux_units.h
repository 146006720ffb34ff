// Reads Flux Kustomizations into units. Sources: fluxcd/kustomize-controller
// api/v1/kustomization_types.go and internal/controller, fluxcd/pkg
// kustomize/kustomize_generator.go.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

BuildUnit flux_unit(GitOpsTree& repository, const EngineObject& kustomization);

// Returns what a FluxInstance tells the Flux Operator to apply, the first unit of a cluster. A
// variable in the path has its default in one cluster and values of the tree in others. Directories
// that do not exist are returned only if none exists.
std::vector<BuildUnit> instance_units(GitOpsTree& repository, const EngineObject& instance);

// True for a Kustomization such as `flux bootstrap` makes: it applies the directory that it is in,
// even if the kustomization there does not list it.
bool is_bootstrap(const EngineObject& kustomization, const BuildUnit& unit);

// Returns the kind that a patch changes, from its target or its own object; "" if it names none.
std::string_view kind_of_patch(const Value& patch);

// True if a patch of a kustomization or Kustomization may change an object that creates units or
// devices: its target has such a kind, or no kind. A patch that mentions Tailscale may expose
// objects of other kinds. `has_releases`: patches that decide what a release makes
// count, too, and those of data in ConfigMaps.
bool may_matter(const Value& patch, bool has_releases);

// Adds the annotations and labels that an engine sets on all objects to the changes of a
// kustomization, as far as they concern Tailscale.
void put_metadata(const Value* annotations, const Value* labels, Value& changes);

// Returns the `components` of a build in the directory, without missing ones if
// `ignoreMissingComponents` is set.
Value components_of(const Value& spec, const repo::SourceTree& tree, const std::string& dir);

}  // namespace renderer::engines

// Flux Kustomizations -> units. Sources: fluxcd/kustomize-controller api/v1/kustomization_types.go
// and internal/controller, fluxcd/pkg kustomize/kustomize_generator.go.
#pragma once

#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer {

BuildUnit flux_unit(GitOpsTree& repository, const EngineObject& kustomization);

// What the Flux Operator is told to apply, for the first unit of a cluster. A variable in the path
// has its default in one cluster, and what the tree gives it in others. One that is missing is only
// told where none is there.
std::vector<BuildUnit> instance_units(GitOpsTree& repository, const EngineObject& instance);

// Made by `flux bootstrap`, or like that: it applies the directory that it lies in, also where a
// kustomization there does not list it.
bool is_bootstrap(const EngineObject& kustomization, const BuildUnit& unit);

// The first text of the value that names Tailscale; unknown: none does.
Pos naming_tailscale(const Value* value);

// A patch, as a kustomization and a Kustomization have it, may change an object that units or
// devices come from: the kind of its target says so, or does not say. One that mentions Tailscale
// may expose what other kinds make. `has_releases`: values of charts count, whatever they say.
bool may_matter(const Value& patch, bool has_releases);

// Those that an engine gives to all objects, as far as they are ours, as changes of a
// kustomization.
void put_metadata(const Value* annotations, const Value* labels, Value& changes);

// `components` of a build in the directory, without those that are missing where
// `ignoreMissingComponents` says so.
Value components_of(const Value& spec, const SourceTree& tree, const std::string& dir);

}  // namespace renderer

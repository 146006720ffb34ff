// Reads Argo CD Applications into units. Sources: argo-cd pkg/apis/application/v1alpha1/types.go,
// reposerver/repository/repository.go, util/app/discovery.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/engines/argo/argo_clusters.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

// Applies a JSON merge patch (RFC 7396).
void merge_patch(Value& target, const Value& patch);

// Returns one unit for each source that has a path or a chart, or one refused unit if Argo CD
// rejects the Application.
std::vector<BuildUnit> argo_units(const GitOpsTree& repository, const EngineObject& application);

// True if the unit, a directory without kustomization, includes a manifest. `path`: relative to the
// directory. In the patterns, `*` matches `/`, and `{a,b}` matches either.
bool takes_manifest(const BuildUnit& unit, const std::string& path);

}  // namespace renderer::engines

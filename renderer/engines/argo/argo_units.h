// Argo CD Applications -> units. Sources: argo-cd pkg/apis/application/v1alpha1/types.go,
// reposerver/repository/repository.go, util/app/discovery.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/engines/argo/argo_clusters.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer {

// RFC 7396.
void merge_patch(Value& target, const Value& patch);

// One for each source that has a path.
std::vector<BuildUnit> argo_units(const GitOpsTree& repository, const EngineObject& application);

// Whether a manifest is taken, of a directory without kustomization. `path`: relative to the
// directory. In the patterns `*` crosses `/`, and `{a,b}` is one of both.
bool takes_manifest(const BuildUnit& unit, const std::string& path);

}  // namespace renderer

// Follows ServiceAccounts that a kustomization moves to another namespace: writes the new namespace
// into the subjects of RoleBindings and ClusterRoleBindings of the same build that refer to them.
// Like kustomize it looks at the name of a subject, not at its kind. Source: kustomize
// api/filters/nameref, api/resmap (SubsetThatCouldBeReferencedByResource).
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

void follow_accounts(const std::vector<engines::InputFile>& files,
                     const std::vector<std::uint32_t>& file_of, const engines::Selection& selection,
                     Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::load

// Finds files that tailrender does not execute and that may nevertheless say what is deployed.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/includes.h"
#include "renderer/engines/selection.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

// Sets `other_languages`, `programs`, `exposing_programs` and `umbrella_values` of the selection,
// without what the user ignores.
void find_unread_files(const repo::SourceTree& tree, const std::string& root,
                       const std::vector<repo::WalkedDir>& dirs, const UnitChoice& choice,
                       Selection& selection);

}  // namespace renderer::engines

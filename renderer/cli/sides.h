// The two sides of a comparison: each is a directory, or a path of a revision of Git.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::cli {

// Makes `load` read the side that the user typed as `name`: a directory, "main", or "main:apps"
// with a path relative to the current directory. `what` is "BASE" or "HEAD", for errors.
Result<std::shared_ptr<const repo::SourceTree>> open_side(const std::string& name,
                                                          std::string_view what,
                                                          repo::LoadOptions& load);

// Returns "main" for "main:apps".
std::string revision_of(const std::string& name);

}  // namespace renderer::cli

// Patterns of values files: `*`, `?` and `[a-z]` within a name, `**` for any directories, and
// `{a,b}`. Source: argo-cd reposerver/repository/repository.go, which uses doublestar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// True if Argo CD takes a path for a pattern.
bool is_file_pattern(std::string_view path);

// Returns the files that match, as normal paths in the order in which Argo CD applies them.
// `pattern` is a normal path; it matches nothing outside of `top`. `**` follows no links.
std::vector<std::string> files_by_pattern(const repo::SourceTree& tree, const std::string& top,
                                          const std::string& pattern);

}  // namespace renderer::engines

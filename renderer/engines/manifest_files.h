// Reads the manifests of a tree: many files at once, and the objects of their documents.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_object.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

std::vector<std::string> manifests_of(const DirList& dirs, bool in_charts);

// The paths of directories that are charts.
using ChartDirs = std::set<std::string, std::less<>>;
ChartDirs chart_dirs(const DirList& dirs);

// True if the file is one of those that helm reads, of a chart at any level above it.
bool is_part_of_chart(const ChartDirs& charts, std::string_view path);

// Returns the paths and texts of the files that are wanted, in the order of `paths`. `wanted` is
// called on several threads, once for each index.
std::vector<std::pair<std::string, std::string>> read_wanted(
    const repo::SourceTree& tree, const std::vector<std::string>& paths, unsigned threads,
    const std::function<bool(std::size_t, std::string_view)>& wanted);

// Returns the maps of a YAML text and the items of its lists. The text is added to the sources.
// The first error of the text is added to `refused`, unless that is null.
std::vector<EngineObject> read_objects(SourceMap& sources, const std::string& path,
                                       std::string text,
                                       std::vector<RefusedFile>* refused = nullptr);

// Returns the value of a text with one document, null if it cannot be read. Its positions name
// nothing.
Value read_text(std::string_view text);

}  // namespace renderer::engines

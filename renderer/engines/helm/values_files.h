// Chart values of the command line: `--values FILE` and `--set key.path=value`, in Helm's grammar.
// They become layers above all values of the repository.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// Appends a values file to the layers. `pos`: where the repository names it, unknown for a flag.
void add_values_file(const repo::SourceTree& tree, const std::string& path, Pos pos,
                     SourceMap& sources, std::vector<Value>& layers, Diagnostics& diagnostics);

// Appends one layer with all `--set` assignments. Dots separate keys, `\.` is a dot, `[0]` an item
// of a list (of the highest layer that has it), commas separate assignments, `{a,b}` is a list.
// true, false, null and whole numbers are typed as Helm types them.
void add_sets(const std::vector<std::string>& sets, SourceMap& sources, std::vector<Value>& layers,
              Diagnostics& diagnostics);

// Appends one layer with one value at such a path. The value is always a string.
void add_text_set(std::string_view path, std::string_view text, SourceMap& sources,
                  std::vector<Value>& layers);

}  // namespace renderer::engines

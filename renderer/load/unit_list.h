// What Flux and Argo CD apply of a tree, and what of it nothing applies: the answer that
// `tailrender roots` prints and that `--only generated` follows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer {

struct UnitList {
    std::vector<BuildUnit> units;     // parents before children
    std::vector<std::size_t> inputs;  // files with inputs in each
    bool are_applied = true;          // false: what is part of no unit is rendered, too
    // Files with inputs that are part of no unit, by directory.
    std::map<std::string, std::vector<std::string>> unreached;
};

UnitList list_units(LoadOptions options, SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer

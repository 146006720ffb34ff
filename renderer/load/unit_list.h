// Lists what Flux and Argo CD apply of a tree, and which inputs no unit applies. `tailrender roots`
// prints it, and `--only generated` follows it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer::load {

struct UnitList {
    std::vector<engines::BuildUnit> units;  // parents before children
    std::vector<std::size_t> inputs;        // number of files with inputs in each unit
    bool are_applied = true;                // false: inputs outside of units are also rendered
    // Names of files with inputs that no unit applies, by directory.
    std::map<std::string, std::vector<std::string>> unreached;
};

UnitList list_units(repo::LoadOptions options, SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer::load

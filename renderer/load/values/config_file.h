// Reads one file of settings: a YAML document whose positions stay known.
#pragma once

#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/load/tree/source_tree.h"

namespace renderer {

struct ConfigFile {
    SourceId source = 0;
    Value root = {};  // Null for an empty file and after an error
    bool read = false;
};

// A file that cannot be read is an error at `pos`, where its name was given; without one, at the
// file itself.
ConfigFile read_config(const SourceTree& tree, const std::string& path, Pos pos, SourceMap& sources,
                       Diagnostics& diagnostics);

}  // namespace renderer

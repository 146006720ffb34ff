// Reads one file of settings: a YAML document whose positions stay known.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

struct ConfigFile {
    Pos pos = {};     // its first byte; unknown when it could not be read
    Value root = {};  // Null for an empty file and after an error
    bool usable = false;
};

// A file that cannot be read is an error at `pos`, where its name was given; without one, at the
// file itself.
ConfigFile read_config(const SourceTree& tree, const std::string& path, Pos pos, SourceMap& sources,
                       Diagnostics& diagnostics, Repeated repeated = Repeated::Refused);

// One whose keys are ours to know; `what` names it in messages.
ConfigFile read_config(const SourceTree& tree, const std::string& path, Schema schema,
                       std::string_view what, SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer

// Reads one configuration file: a YAML document whose values keep their positions.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/source_tree.h"

namespace renderer::repo {

struct ConfigFile {
    Pos pos = {};     // of its first byte; unknown if it could not be read
    Value root = {};  // Null for an empty file and after an error
    bool usable = false;
};

// Reads a file. If that fails, the error is at `pos`, the place that names the file, or at the file
// itself if `pos` is unknown.
ConfigFile read_config(const SourceTree& tree, const std::string& path, Pos pos, SourceMap& sources,
                       Diagnostics& diagnostics, Repeated repeated = Repeated::Refused);

// Reads a file and checks it against a closed schema; `what` names the file in messages.
ConfigFile read_config(const SourceTree& tree, const std::string& path, Schema schema,
                       std::string_view what, SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer::repo

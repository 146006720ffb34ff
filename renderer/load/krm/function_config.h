// The functionConfig of `tailrender krm`: a TailscaleRender, or a ConfigMap whose data has the same
// keys as strings. Unknown keys are errors. plugins/kustomize/README.md documents the format.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

struct FunctionConfig {
    std::string repo = {}, cluster = {}, ns = {}, kubernetes_version = {}, output = {};
    std::vector<std::string> context_dirs = {};
    std::vector<Value> layers = {};  // chart values; later layers win
    bool validate = false;
};

// Reads the configuration; a Null `config` means the defaults.
FunctionConfig read_function_config(const repo::SourceTree& tree, const Value& config,
                                    SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer::load

// The values of a chart release, layer by layer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/helm/unread_values.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

struct ChartValues {
    std::vector<Value> layers;       // in rising precedence
    std::size_t packed = 0;          // of these: from values files that Flux packs with the chart
    std::vector<std::string> files;  // where they were read from
    std::string lacking;             // what the engine would fail to find, "" = nothing
    std::string kept = {};           // why an object in the cluster may have other values
    // Values that are not known; `below` is an index in `layers`.
    std::vector<UnreadValues> unread;
    Diagnostics warnings;
};

// The content of a key of a ConfigMap or Secret.
struct HeldText {
    bool is_there = false;       // the object exists
    Value text;                  // Null: the key does not exist, or its content is not known
    std::string elsewhere = {};  // another namespace that has such an object; "" = none
    std::string kept = {};       // why the object in the cluster may have another text
};
using FindHeld = std::function<HeldText(const ValuesSource& source)>;

// `root`: the directory that paths in the repository are relative to. Files that are not in the
// tree are skipped, and, without `held`, also ConfigMaps and Secrets.
ChartValues chart_values(const repo::SourceTree& tree, const std::string& root,
                         const ChartRelease& release, SourceMap& sources,
                         const FindHeld& held = {});

}  // namespace renderer::engines

// The values that the release of a chart is given, layer by layer.
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

namespace renderer {

struct ChartValues {
    std::vector<Value> layers;       // in rising precedence
    std::vector<std::string> files;  // that they were read from
    std::string lacking;             // what the engine would miss, "" = nothing
    // What is not known of them; `below`: among `layers`.
    std::vector<UnreadValues> unread;
    Diagnostics warnings;
};

// What an object holds under a key.
struct HeldText {
    bool is_there = false;  // the object
    Value text;             // Null: the key is not there, or what is there is not known
};
using FindHeld = std::function<HeldText(const ValuesSource& source)>;

// `root`: what paths of the repository are relative to. What is not in the tree is left out, and so
// is, without `held`, what ConfigMaps and Secrets hold.
ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, SourceMap& sources,
                         const FindHeld& held = {});

}  // namespace renderer

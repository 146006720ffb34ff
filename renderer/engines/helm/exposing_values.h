// Where the values of a chart, or an object that is no input of ours, ask for something to be
// exposed on the tailnet: by the keys of a Service or an Ingress, which charts and operators take
// over from there. Source: https://tailscale.com/kb/1439/kubernetes-operator-cluster-ingress,
// https://tailscale.com/kb/1438/kubernetes-operator-cluster-egress.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer {

struct ExposingValue {
    Pos pos;
    std::string what;        // "spec.values.ingress.className: tailscale"
    bool is_public = false;  // Funnel
};

// Also in texts that are YAML themselves, whose places are that of the text. What stands beside
// `enabled: false` is not found.
std::vector<ExposingValue> find_exposing_values(const Value& root);

// Kinds of tailscale.com that become devices.
bool is_device_kind(std::string_view kind);

// Line by line, in the template of a chart or in what is no YAML.
std::vector<ExposingValue> find_exposing_lines(const SourceMap& sources, SourceId source);

}  // namespace renderer

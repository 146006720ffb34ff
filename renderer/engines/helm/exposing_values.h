// Finds where chart values, or objects that are not inputs of the renderer, expose something on the
// tailnet: by the keys of a Service or Ingress, which charts and operators copy from their values.
// Source: https://tailscale.com/kb/1439/kubernetes-operator-cluster-ingress,
// https://tailscale.com/kb/1438/kubernetes-operator-cluster-egress.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer::engines {

struct ExposingValue {
    Pos pos;
    std::string what;                 // "spec.values.ingress.className: tailscale"
    std::string_view public_by = {};  // kByFunnel, kByLoadBalancer, or "": only the tailnet

    [[nodiscard]] bool is_public() const { return !public_by.empty(); }
};

// Also searches strings that are YAML; what is found in one has the position of the string. Maps
// with `enabled: false` are skipped. `words`: further class names, and "LoadBalancer" if Services
// of that type need no class.
std::vector<ExposingValue> find_exposing_values(const Value& root,
                                                const std::vector<std::string>& words = {});

// True for kinds of tailscale.com that create devices.
bool is_device_kind(std::string_view kind);

// Searches line by line, for chart templates and text that is not YAML.
std::vector<ExposingValue> find_exposing_lines(const SourceMap& sources, SourceId source,
                                               const std::vector<std::string>& words = {});

}  // namespace renderer::engines

// For tests only: settings from YAML text, and diagnostics as one line each.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// Names the images of this project, which have no default: values under those of a test.
inline constexpr std::string_view kOwnImages =
    "tailrender: {image: {repository: registry.example.com/tailrender-runtime}, proxyImage: "
    "{repository: registry.example.com/tailrender-proxy}}";

inline Value parse(SourceMap& sources, std::string_view text, Diagnostics& diagnostics) {
    const SourceId id = sources.add("values.yaml", std::string(text));
    return read_yaml(sources, id, diagnostics);
}

// "3: error [rule] message | found | expected | hint", in the order in which they were found.
inline std::string dump(const SourceMap& sources, const Diagnostics& diagnostics) {
    std::string out;
    for (const Diagnostic& one : diagnostics.all()) {
        out += fmt::format("{}: {} [{}] {}", one.pos.known() ? sources.locate(one.pos).line : 0,
                           one.severity == Severity::Error ? "error" : "warning", one.rule,
                           one.message);
        for (const std::string* part : {&one.found, &one.expected, &one.hint}) {
            out += part->empty() ? "" : " | " + *part;
        }
        out += '\n';
    }
    return out;
}

struct Decoded {
    SourceMap sources;
    Diagnostics diagnostics;
    Settings settings;

    explicit Decoded(const std::vector<std::string_view>& layers,
                     std::string_view operator_namespace = "",
                     const std::vector<ReleaseSource>& installed = {}) {
        std::vector<Value> values;
        values.reserve(layers.size());
        for (const std::string_view layer : layers) {
            values.push_back(parse(sources, layer, diagnostics));
        }
        std::vector<const Value*> pointers;
        pointers.reserve(values.size());
        for (const Value& value : values) {
            pointers.push_back(&value);
        }
        settings = decode_settings(pointers, operator_namespace, installed, diagnostics);
    }
    [[nodiscard]] std::string dump() const { return plan::dump(sources, diagnostics); }
};

}  // namespace renderer::plan

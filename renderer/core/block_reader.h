// The fast path of read_yaml: documents in simple block and flow style, which nearly all manifests
// use, at more than ten times the speed of yaml-cpp. For whatever it does not support (anchors,
// tags, folded or multi-line scalars, tabs, duplicate keys, any mistake) it returns nothing;
// yaml-cpp then reads the document and reports errors. A value that it returns equals yaml-cpp's,
// including every position (fuzz_block_reader.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer::inline core {

// `text` starts at byte `begin` of the source and holds no character that YAML forbids.
std::optional<Value> read_block_style(const SourceMap& sources, SourceId source, std::size_t begin,
                                      std::string_view text);

}  // namespace renderer::inline core

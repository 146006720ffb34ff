// The fast way through read_yaml: documents in simple block and flow style, as people and tools
// write nearly all manifests, at more than ten times the speed of yaml-cpp. Whatever is not certain
// (anchors, tags, folded or multi-line scalars, tabs, duplicate keys, every mistake) is answered
// with nothing: yaml-cpp then reads the document, and says what is wrong with it. A value that is
// answered is the one that yaml-cpp gives, down to every position (fuzz_block_reader.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer {

// `text` starts at byte `begin` of the source and holds no character that YAML forbids.
std::optional<Value> read_block_style(const SourceMap& sources, SourceId source, std::size_t begin,
                                      std::string_view text);

}  // namespace renderer

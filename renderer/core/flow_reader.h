// The part of the fast reader (block_reader.h) for flow style: `[a, "b"]`, `{a: {b: 1}}` and JSON,
// also over several lines. Entries without a value, keys in lists, scalars over several lines,
// anchors and tags are not supported.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer::inline core {

// Reads the list or map whose bracket is at `begin`, at level `depth` of `text`, which starts at
// `base`. Returns the offset after its closing bracket, or nothing if it is not supported.
std::optional<std::size_t> read_flow_style(Pos base, std::string_view text, std::size_t begin,
                                           int depth, Value& value);

// The deepest level that both fast readers support: far below kMaxDepth.
inline constexpr int kMaxSimpleDepth = 40;

}  // namespace renderer::inline core

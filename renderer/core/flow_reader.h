// The part of the fast reader (block_reader.h) that takes flow style: `[a, "b"]`, `{a: {b: 1}}`,
// JSON, over several lines too. Entries without a value, keys in lists, scalars over several lines,
// anchors and tags are not certain.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

// Reads the list or map whose bracket stands at `begin`, as the `depth`th level of `text`, which
// starts at `base`. The offset behind its other bracket; no value: not certain.
std::optional<std::size_t> read_flow_style(Pos base, std::string_view text, std::size_t begin,
                                           int depth, Value& value);

// As deep as both styles together are read here: far below kMaxDepth.
inline constexpr int kMaxSimpleDepth = 40;

}  // namespace renderer

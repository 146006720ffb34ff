// Widths of text, from a table instead of a font: a picture has the same bytes on every machine.
// The table has the widths of DejaVu Sans, which is wider than the other fonts that browsers take
// for "sans-serif", so text fits into its box.
#pragma once

#include <string_view>

namespace renderer::graph {

// Returns the width in pixels, rounded up, for a font of `size` pixels.
int text_width(std::string_view text, int size, bool is_bold);

}  // namespace renderer::graph

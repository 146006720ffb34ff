// The output formats of a comparison. All end with a newline and show the same facts;
// docs/formats.md describes the JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "renderer/diff/compare.h"

namespace renderer::diff {

constexpr std::size_t kMarkdownLimit = 60'000;  // GitHub allows 65,536 characters in a comment

// Does not contain the warnings, which go to standard error.
std::string terminal_report(const Comparison& comparison, bool color);

// For a comment on a pull request. Never longer than kMarkdownLimit: what does not fit is counted,
// but objects that are added or removed are named. Public exposure comes first. Begins with a
// marker by which a bot finds its comment again. `picture` is Markdown, which is put into the
// report as it is if there is room, else a sentence says how to draw it; "" if there is none.
std::string markdown_report(const Comparison& comparison, std::string_view picture = {});

std::string json_report(const Comparison& comparison);

// One page that loads nothing from elsewhere. `picture` is SVG, which is put into the page as it
// is; "" if there is none.
std::string html_report(const Comparison& comparison, std::string_view picture);

}  // namespace renderer::diff

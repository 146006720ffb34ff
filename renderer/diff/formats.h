// The three ways to print a comparison. All end with a newline and show the same facts; FORMAT.md
// describes the JSON.
#pragma once

#include <cstddef>
#include <string>

#include "renderer/diff/compare.h"

namespace renderer {

constexpr std::size_t kMarkdownLimit = 60'000;  // GitHub takes comments of up to 65,536 characters

// Warnings are not in it: they are on standard error.
std::string terminal_report(const Comparison& comparison, bool color);

// For a comment on a pull request. Never longer than kMarkdownLimit: what does not fit is counted,
// but objects that are new or lost are named. What is public comes first. Begins with a mark by
// which a bot finds its comment again.
std::string markdown_report(const Comparison& comparison);

std::string json_report(const Comparison& comparison);

}  // namespace renderer

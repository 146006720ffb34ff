// Looks up what docs/diagnostics.md says about a rule. The page is part of the program, so that its
// tables are the only source.
#pragma once

#include <string>
#include <string_view>

namespace renderer::cli {

struct RuleHelp {
    std::string_view cause, remedy;  // Markdown of one line; "" for an unknown rule
};

RuleHelp rule_help(std::string_view rule);

// Removes links and marks.
std::string plain_text(std::string_view markdown);

}  // namespace renderer::cli

// What docs/diagnostics.md says of a rule. The page is part of the program, so its tables are the
// only ones.
#pragma once

#include <string>
#include <string_view>

namespace renderer {

struct RuleHelp {
    std::string_view cause, remedy;  // Markdown of one line; "" for an unknown rule
};

RuleHelp rule_help(std::string_view rule);

// Without links and marks.
std::string plain_text(std::string_view markdown);

}  // namespace renderer

#include "renderer/cli/rule_help.h"

#include "renderer/base/split.h"

// The assembler puts docs/diagnostics.md into the binary.
// NOLINTBEGIN(hicpp-no-assembler)
asm(".section .rodata\n"
    ".global tailrender_rules_begin\n"
    ".global tailrender_rules_end\n"
    "tailrender_rules_begin:\n"
    ".incbin \"" RULES_FILE
    "\"\n"
    "tailrender_rules_end:\n"
    ".byte 0\n"
    ".previous\n");
// NOLINTEND(hicpp-no-assembler)

extern "C" {
extern const char tailrender_rules_begin[];  // NOLINT(modernize-avoid-c-arrays)
extern const char tailrender_rules_end[];    // NOLINT(modernize-avoid-c-arrays)
}

namespace renderer::cli {
namespace {

// Takes the next cell of a row, without the blanks around it. "\|" does not end a cell.
std::string_view take_cell(std::string_view& row) {
    std::size_t end = 0;
    while (end < row.size() && (row[end] != '|' || (end > 0 && row[end - 1] == '\\'))) {
        ++end;
    }
    std::string_view cell = row.substr(0, end);
    row.remove_prefix(end < row.size() ? end + 1 : end);
    cell.remove_prefix(cell.find_first_not_of(' ') == std::string_view::npos
                           ? cell.size()
                           : cell.find_first_not_of(' '));
    cell.remove_suffix(cell.size() - (cell.find_last_not_of(' ') + 1));
    return cell;
}

}  // namespace

RuleHelp rule_help(std::string_view rule) {
    std::string_view page(tailrender_rules_begin,
                          static_cast<std::size_t>(tailrender_rules_end - tailrender_rules_begin));
    while (!page.empty()) {
        std::string_view row = take(page, '\n');
        if (!row.starts_with("| `")) {
            continue;
        }
        row.remove_prefix(1);
        std::string_view id = take_cell(row);
        if (id.size() == rule.size() + 2 && id.substr(1, rule.size()) == rule) {
            const std::string_view cause = take_cell(row);
            return {cause, take_cell(row)};
        }
    }
    return {};
}

std::string plain_text(std::string_view markdown) {
    std::string out;
    for (std::size_t at = 0; at < markdown.size(); ++at) {
        const std::size_t close =
            markdown[at] == '[' ? markdown.find(']', at) : std::string_view::npos;
        const std::size_t end =
            close != std::string_view::npos && markdown.substr(close + 1).starts_with('(')
                ? markdown.find(')', close)
                : std::string_view::npos;
        if (end != std::string_view::npos) {
            out += plain_text(markdown.substr(at + 1, close - at - 1));
            at = end;
        } else if (markdown[at] != '`' && !markdown.substr(at).starts_with("\\|")) {
            out += markdown[at];
        }
    }
    return out;
}

}  // namespace renderer::cli

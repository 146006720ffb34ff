#include "renderer/cli/help_formatter.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/wrap.h"
#include "renderer/core/known_words.h"

namespace renderer::cli {

HelpFormatter::HelpFormatter(std::size_t width) : width_(width) {
    // Leaves two spaces after the longest name that shares a line with its description, because
    // help2man splits the line there.
    column_width(37);
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
    return is_positional ? option->get_name(true)
                         : fmt::format("{}", fmt::join(names_of(*option), ", "));
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
    return beside_names(option->get_description());
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
    const std::string line = fmt::format("{:<{}}{}\n", "  " + verb->get_display_name(true),
                                         column_width_, verb->get_description());
    return wrapped(line, width_, column_width_);
}

std::string HelpFormatter::make_description(const CLI::App* verb) const {
    return wrapped(CLI::Formatter::make_description(verb), width_);
}

std::string HelpFormatter::beside_names(const std::string& text) const {
    constexpr std::size_t kLeast = 20;
    return width_ == 0 ? text
                       : wrapped(text, std::max(kLeast, width_ - std::min(width_, column_width_)));
}

}  // namespace renderer::cli

// Prints the help so that it fits the width of a terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace renderer::cli {

// Formats names as "-o, --output". CLI11 writes no space after the comma.
class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(std::size_t width);  // 0: lines have any width

    std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
    std::string make_subcommand(const CLI::App* verb) const override;
    std::string make_description(const CLI::App* verb) const override;

private:
    std::string beside_names(const std::string& text) const;

    std::size_t width_;
};

}  // namespace renderer::cli

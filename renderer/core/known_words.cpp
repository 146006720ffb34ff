#include "renderer/core/known_words.h"

#include <CLI/CLI.hpp>

#include "renderer/base/ascii.h"
#include "renderer/core/diagnostics.h"

namespace renderer::inline core {

const CLI::App* chosen_verb(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
}

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

std::string nearest_word(const CLI::App& app, const CLI::App* verb, std::string_view word) {
    word = word.substr(0, word.find('='));
    std::vector<std::string> known;
    if (verb == nullptr) {
        for (const CLI::App* each : app.get_subcommands({})) {
            known.push_back(each->get_name());
        }
    } else {
        for (const CLI::Option* option : verb->get_options()) {
            for (std::string& name : names_of(*option)) {
                // Any two short flags are one edit apart, so only the other case is a suggestion.
                if (name.starts_with("--") || lower_case(name) == lower_case(word)) {
                    known.push_back(std::move(name));
                }
            }
        }
    }
    return std::string(nearest(word, {known.begin(), known.end()}));
}

}  // namespace renderer::inline core

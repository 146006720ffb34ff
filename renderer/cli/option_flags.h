// Adds the flags that several verbs have, and helps verbs to declare their own.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "renderer/cli/options.h"

namespace renderer::cli {

constexpr const char* kHelp = "print this help";
constexpr const char* kRendered = "directory or file to render";

// Adds a verb with --help. Its help ends with `examples`.
CLI::App& add_verb(CLI::App& app, const char* name, const char* doc, const char* examples);

// Adds the verb diff, which has a file of its own.
void add_diff(CLI::App& app, Options& options);

// Adds the flags for the policy of each side. They may need another option.
void add_policies(CLI::App& verb, Options& options, CLI::Option* needed = nullptr);

// Adds a flag or an argument with a value, which the help calls `type`. A text may not be empty, as
// it is where a script uses a variable that is not set.
template <typename T>
CLI::Option* add(CLI::App& verb, const char* name, T& value, const char* type, const char* doc) {
    CLI::Option* option = verb.add_option(name, value, doc)->type_name(type);
    if constexpr (std::is_same_v<T, std::string>) {
        return option->check(
            [](const std::string& given) { return given.empty() ? "has no value" : ""; });
    }
    return option;
}

// Makes the option accept only these values.
CLI::Option* limit(CLI::Option* option, const std::vector<std::string>& words);

template <typename T>
using FlagChoices = std::vector<std::pair<std::string, T>>;

// Adds a flag that maps words to values.
template <typename T, typename Chosen>
void add_choice(CLI::App& verb, const char* name, Chosen& chosen, const FlagChoices<T>& choices,
                const char* doc) {
    std::vector<std::string> words;
    for (const auto& [word, value] : choices) {
        words.push_back(word);
    }
    const auto choose = [&chosen, choices](const std::string& word) {
        chosen = std::ranges::find(choices, word, &FlagChoices<T>::value_type::first)->second;
    };
    limit(verb.add_option_function<std::string>(name, choose, doc), words);
}

// Adds --diagnostics.
void add_format(CLI::App& verb, Options& options);

// Adds --quiet, --color and --log-file, and calls add_format.
void add_common(CLI::App& verb, Options& options);

// Adds --all for diagnostics, and calls add_common.
void add_diagnostics(CLI::App& verb, Options& options);

// Adds --all for diagnostics and the report, and calls add_common.
void add_report(CLI::App& verb, Options& options);

// Adds --format for the report on standard output.
void add_report_format(CLI::App& verb, Options& options);

// Adds --fail-on with all of its words; the verb has to have something to compare with. `gains`:
// and it compares who may reach what.
enum class Gains : std::uint8_t { No, Yes };
void add_gates(CLI::App& verb, Options& options, Gains gains = Gains::No);
// Adds --fail-on for warnings alone.
void add_warning_gate(CLI::App& verb, Options& options);

void add_values(CLI::App& verb, repo::LoadOptions& load);

void add_namespace(CLI::App& verb, repo::LoadOptions& load, const char* doc);

// Adds the flags for inputs, including those of add_values and add_namespace.
void add_inputs(CLI::App& verb, repo::LoadOptions& load);

CLI::Option* add_path(CLI::App& verb, Options& options, const char* doc);
CLI::Option* add_revision(CLI::App& verb, Options& options);
void add_only(CLI::App& verb, Options& options);
// Adds --only, the flags of add_inputs, and --rev, which is returned.
CLI::Option* add_sources(CLI::App& verb, Options& options);

void add_argo_clusters(CLI::App& verb, repo::LoadOptions& load);
void add_threads(CLI::App& verb, repo::LoadOptions& load);
// Adds the flags for programs that build parts of a tree, and for what the tree lacks.
void add_builds(CLI::App& verb, Options& options);
// Adds the flags that few runs need: which parts of a tree are rendered, those of add_builds, the
// version of Kubernetes and the threads.
void add_reading(CLI::App& verb, Options& options);
// Adds the same without those about a tree, for verbs that read a stream.
void add_stream_reading(CLI::App& verb, repo::LoadOptions& load);

CLI::Option* add_output(CLI::App& verb, Options& options, const char* doc);

void add_allow_empty(CLI::App& verb, Options& options);

void add_allowed_removals(CLI::App& verb, Options& options);
void add_prune(CLI::App& verb, Options& options);

void add_validate(CLI::App& verb, Options& options);

}  // namespace renderer::cli

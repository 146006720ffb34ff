#include "renderer/cli/usage_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/split.h"
#include "renderer/core/known_words.h"
#include "renderer/plan/settings/settings_fields.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::cli {

namespace {

std::string lower_first(std::string text) {
    const bool word = text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a';
    if (word) {
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    }
    return text.substr(0, text.find('\n'));
}

// Returns the first unknown word. Without a verb, it prefers words; after the verb, flags.
std::string unknown_word(const CLI::App& app, bool flags_first) {
    const std::vector<std::string> words = app.remaining(true);
    const auto preferred = std::find_if(
        words.begin(), words.end(),
        [flags_first](const std::string& word) { return word.starts_with('-') == flags_first; });
    return preferred != words.end() ? *preferred : words.empty() ? "" : words.front();
}

// Returns the hint for what people try as a verb; "" for others.
std::string hint_for_verb(std::string_view word) {
    if (word == "adopt") {
        return "it is a program of its own, tailrender-adopt: docs/migration.md";
    }
    if (word == "cleanup" || word == "controller") {
        return "it is a verb of tailrender-runtime, which runs in the cluster: docs/install.md";
    }
    if (word == "version") {
        return "run \"tailrender --version\"";
    }
    if (word == "apply" || word == "deploy") {
        return "what \"tailrender render PATH -o DIR\" writes is applied by Fleet, Flux, Argo CD "
               "or kubectl apply -k DIR";
    }
    return word.starts_with('.') || word.find('/') != std::string_view::npos
               ? fmt::format("run \"tailrender render {}\"", word)
               : std::string();
}

// Returns the words that a verb takes besides flags, such as "BASE HEAD".
std::string positionals_of(const CLI::App& verb) {
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options()) {
        if (option->get_positional()) {
            names.push_back(option->get_name(true));
        }
    }
    return fmt::format("{}", fmt::join(names, " "));
}

Diagnostic unexpected_word(const CLI::App& verb, std::string_view word) {
    const std::string& name = verb.get_name();
    const std::string taken = positionals_of(verb);
    return {.rule = "usage",
            .where = "tailrender",
            .message = fmt::format("unexpected argument \"{}\"", word),
            .expected = taken.empty() ? fmt::format("only flags after \"{}\"", name)
                                      : fmt::format("{} {}", name, taken),
            .hint = name == "post-render" ? "it reads standard input: helm template NAME CHART | "
                                            "tailrender post-render --namespace NAMESPACE"
                                          : fmt::format("run \"tailrender {} --help\"", name)};
}

// Returns how a setting is given that someone takes for a flag: "--tailnet-domain" or
// "--tailnetDomain". Returns "" for others.
std::string setting_hint(std::string_view flag) {
    std::string key;
    for (const char c :
         flag.substr(0, flag.find('=')).substr(std::min<std::size_t>(2, flag.size()))) {
        const bool is_after_dash = !key.empty() && key.back() == '-';
        if (is_after_dash) {
            key.pop_back();
        }
        key.push_back(is_after_dash && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    }
    return flag.starts_with("--") && repo::find_field(plan::our_fields(), key) != nullptr
               ? fmt::format("it is a setting: --set tailrender.{}=VALUE", key)
               : std::string();
}

// Rewords CLI11's messages about the value of a flag. Returns nothing for others.
std::optional<Diagnostic> value_error(const std::string& text, const std::string& hint) {
    const std::size_t colon = text.find(": ");
    const std::size_t choices = text.find(" not in {");
    if (colon != std::string::npos && choices != std::string::npos && choices > colon) {
        const std::string value = text.substr(colon + 2, choices - colon - 2);
        const std::string list = text.substr(choices + 9, text.rfind('}') - choices - 9);
        const std::vector<std::string_view> names = split(list, ',');
        const std::string near = did_you_mean(nearest(value, names));
        return Diagnostic{
            .rule = "usage",
            .where = "tailrender",
            .message = fmt::format("{}: unknown value \"{}\"", text.substr(0, colon), value),
            .expected = fmt::format("one of {{ {} }}", fmt::join(names, ", ")),
            .hint = near.empty() ? hint : near};
    }
    constexpr std::string_view kNotConverted = "could not convert: ";
    if (const std::size_t equals = text.find(" = ");
        text.starts_with(kNotConverted) && equals != std::string::npos) {
        return Diagnostic{
            .rule = "usage",
            .where = "tailrender",
            .message = fmt::format("{}: invalid number \"{}\"",
                                   text.substr(kNotConverted.size(), equals - kNotConverted.size()),
                                   text.substr(equals + 3)),
            .expected = "a whole number",
            .hint = hint};
    }
    constexpr std::string_view kMissing = " missing";
    const std::size_t required = text.find(": 1 required ");
    if (required != std::string::npos && text.ends_with(kMissing)) {
        const std::string flag = text.substr(0, required);
        const std::size_t begin = required + 13;
        return Diagnostic{
            .rule = "usage",
            .where = "tailrender",
            .message = fmt::format("{} has no value", flag),
            .expected = fmt::format("{} {}", flag,
                                    text.substr(begin, text.size() - kMissing.size() - begin)),
            .hint = hint};
    }
    return std::nullopt;
}

}  // namespace

Diagnostic usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* verb = chosen_verb(app);
    const std::string word = unknown_word(app, verb != nullptr);
    std::string message = verb == nullptr ? "a verb is required" : lower_first(error.what());
    std::string hint =
        fmt::format("run \"tailrender{} --help\"", verb == nullptr ? "" : " " + verb->get_name());
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (!word.empty() && (is_extra || verb == nullptr)) {
        message = fmt::format("unknown {} \"{}\"", verb == nullptr ? "verb" : "argument", word);
        const std::string near = nearest_word(app, verb, word);
        const std::string other = verb == nullptr ? hint_for_verb(word) : setting_hint(word);
        hint = !other.empty() ? other
               : near.empty() ? hint
                              : fmt::format("did you mean \"{}\"?", near);
        if (verb != nullptr && near.empty() && !word.starts_with('-')) {
            return unexpected_word(*verb, word);
        }
    }
    if (verb != nullptr && !is_extra && word == "help") {
        message = "unknown verb \"help\"";
    }
    if (std::optional<Diagnostic> wrong = value_error(message, hint)) {
        return *std::move(wrong);
    }
    return {.rule = "usage", .where = "tailrender", .message = message, .hint = hint};
}

std::vector<DiagnosticTarget> asked_targets(int argc, const char* const* argv) {
    constexpr std::string_view kFlag = "--diagnostics";
    std::vector<DiagnosticTarget> targets;
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        std::string_view word = argv[i];
        if (!word.starts_with(kFlag)) {
            continue;
        }
        word.remove_prefix(kFlag.size());
        const bool is_next = word.empty() && i + 1 < argc;
        if (is_next || word.starts_with('=')) {
            word = is_next ? std::string_view(argv[i + 1]) : word.substr(1);
            std::optional<DiagnosticTarget> target = parse_target(word);
            const bool is_second =
                target && target->file.empty() &&
                std::ranges::any_of(targets, [](const auto& one) { return one.file.empty(); });
            if (target && !is_second) {
                targets.push_back(std::move(*target));
            }
        }
    }
    return targets;
}

}  // namespace renderer::cli

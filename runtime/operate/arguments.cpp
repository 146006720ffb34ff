#include "runtime/operate/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "renderer/core/known_words.h"
#include "renderer/kube/name_grammar.h"
#include "runtime/base/url.h"

namespace runtime::operate {

namespace {

std::string check_namespace(const std::string& text) {
    return renderer::is_dns1123_label(text) ? std::string()
                                            : fmt::format("invalid namespace \"{}\": expected {}",
                                                          text, renderer::kDnsLabelGrammar);
}

// Returns the verb; the program itself if it has no verbs; nullptr if none is given.
const CLI::App* verb_of(const CLI::App& app) {
    return app.get_require_subcommand_min() == 0 ? &app : renderer::chosen_verb(app);
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* verb = verb_of(app);
    const bool has_name = verb != nullptr && verb != &app;
    const std::vector<std::string> unknown = app.remaining(true);
    std::string message = verb == nullptr ? "a role or a verb is required" : error.what();
    std::string hint =
        fmt::format("run \"{}{} --help\"", app.get_name(), has_name ? " " + verb->get_name() : "");
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (!unknown.empty() && (is_extra || verb == nullptr)) {
        const std::string& word = unknown.front();
        const bool is_flag = word.starts_with('-');
        message = fmt::format("unknown {} \"{}\"",
                              is_flag           ? "flag"
                              : verb == nullptr ? "verb"
                                                : "argument",
                              word);
        const std::string near = renderer::nearest_word(app, verb, word);
        hint = word == "adopt" && verb == nullptr ? "it is a program of its own, tailrender-adopt"
               : near.empty()                     ? hint
                                                  : fmt::format("did you mean \"{}\"?", near);
    }
    return fmt::format("{}: error: {} [usage]\n  hint: {}\n", app.get_name(),
                       message.substr(0, message.find('\n')), hint);
}

}  // namespace

std::string check_server_url(std::string& text) {
    auto url = server_url(text);
    if (!url) {
        return fmt::format("invalid server \"{}\": expected {}", text, kServerForm);
    }
    text = std::move(*url);
    return {};
}

void add_cluster_flags(CLI::App& verb, ClusterFlags& flags) {
    auto* kubeconfig =
        verb.add_option("--kubeconfig", flags.access.kubeconfig, "how to reach the cluster")
            ->type_name("FILE");
    auto* context = verb.add_option("--context", flags.access.context, "context of the kubeconfig")
                        ->type_name("NAME");
    verb.add_option("--server", flags.access.server,
                    "API server without credentials, such as `kubectl proxy`")
        ->type_name("URL")
        ->transform(CLI::Validator(check_server_url, ""))
        ->excludes(kubeconfig)
        ->excludes(context);
    verb.add_option("-n,--namespace", flags.ns,
                    "namespace of the operator and its proxies (default tailscale)")
        ->type_name("NAME")
        ->check(check_namespace);
}

std::optional<Answer> parse_arguments(CLI::App& app, int argc, const char* const* argv,
                                      std::string_view usage) {
    const std::string version = app.get_name() + " " TAILRENDER_VERSION "\n";
    app.set_version_flag("--version", version);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 handles --help and --version even beside unknown words.
        const CLI::App* verb = verb_of(app);
        const bool is_unknown_verb = verb == nullptr && app.remaining_size() > 0;
        if (error.get_exit_code() != 0 || is_unknown_verb) {
            return Answer{.exit_code = 2, .err = usage_error(app, error)};
        }
        if (error.get_name() == "CallForVersion") {
            return Answer{.out = version};
        }
        return Answer{.out = verb == nullptr ? std::string(usage) : app.help()};
    }
    return std::nullopt;
}

int print(const Answer& answer) {
    fmt::print("{}", answer.out);
    fmt::print(stderr, "{}", answer.err);
    return answer.exit_code;
}

}  // namespace runtime::operate

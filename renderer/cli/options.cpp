#include "renderer/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

#include "renderer/cli/shared_flags.h"
#include "renderer/core/known_words.h"

namespace renderer {
namespace {

constexpr const char* kVersion =
    "tailrender " TAILRENDER_VERSION "\nTailscale Kubernetes operator 1.96.5";

void add_render(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "render", "render a tree to standard output or a directory",
                              "  tailrender render . | kubectl apply -f -\n"
                              "  tailrender render . --cluster home -o rendered\n"
                              "  tailrender render . --rev origin/main --cluster home\n"
                              "  tailrender render apps --namespace apps --values values.yaml");
    add_path(verb, options);
    add_output(verb, options,
               "directory to write the tree to (default: a stream on standard output)");
    verb.add_flag("--update-lock", options.update_lock,
                  "write the ports of ProxyGroups to tailrender.lock.yaml in DIR")
        ->excludes("--rev");
    add_validate(verb, options);
    add_prune(verb, options);
    add_allow_empty(verb, options);
    add_inputs(verb, options);
    add_report(verb, options);
}

void add_check(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "check", "show how a rendered directory differs from what render would write",
                 "  tailrender check . -o rendered           # exit 1 and a diff when stale\n"
                 "  tailrender check . -o rendered | patch -p0");
    verb.preparse_callback([&options](std::size_t) { options.load.validate = true; });
    add_path(verb, options);
    add_output(verb, options, "directory written by render")->required();
    add_prune(verb, options);
    add_allow_empty(verb, options);
    add_inputs(verb, options);
    add_common(verb, options);
}

void add_post_render(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "post-render", "render the stream on standard input, as Helm post-renderer",
                 "  helm template web ./chart | tailrender post-render --namespace shop\n"
                 "  helm upgrade web ./chart --post-renderer tailrender \\\n"
                 "    --post-renderer-args post-render --post-renderer-args --namespace=shop");
    verb.add_option("--release", options.release, "release name, for the log file")
        ->type_name("NAME");
    verb.add_option_function<std::string>(
            "--on-error",
            [&options](const std::string& way) { options.annotate = way == "annotate"; },
            "on errors, print nothing (default), or the input after a document that holds the "
            "errors")
        ->check(CLI::IsMember({"fail", "annotate"}).description(""))
        ->type_name("fail|annotate");
    add_validate(verb, options);
    add_allow_empty(verb, options);
    add_inputs(verb, options);
    add_report(verb, options);
}

void add_krm(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(
        app, "krm", "render a ResourceList, as a KRM function of kustomize, kpt and others",
        "  kustomize build --enable-alpha-plugins --enable-exec .\n"
        "  kpt fn eval . --exec \"tailrender krm\" --fn-config tailrender.yaml");
    add_validate(verb, options);
    add_inputs(verb, options);
    add_report(verb, options);
}

void add_cmp(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "cmp", "run as a config management plug-in of Argo CD",
                              "  tailrender cmp discover      # prints something if this is ours\n"
                              "  tailrender cmp parameters    # what an Application can set\n"
                              "  tailrender cmp generate      # the stream of this directory");
    verb.add_option("ACTION", options.action, "the command that plugin.yaml runs")
        ->required()
        ->check(CLI::IsMember({"discover", "parameters", "generate"}).description(""))
        ->type_name("discover|parameters|generate");
    add_allow_empty(verb, options);
    add_common(verb, options);
}

void add_explain(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "explain", "show which input and which rule an object comes from",
                 "  tailrender explain StatefulSet/tailscale/ts-web-ztn66 .\n"
                 "  tailrender explain Service/shop/web .    # what this Service becomes");
    verb.add_option("OBJECT", options.object, "Kind/namespace/name or Kind/name")
        ->required()
        ->type_name("OBJECT");
    add_path(verb, options);
    add_inputs(verb, options);
    add_common(verb, options);
}

void add_lint(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "lint", "find problems that rendering does not show",
                              "  tailrender lint                     # exit 1 on errors\n"
                              "  tailrender lint . --cluster home -o rendered\n"
                              "  tailrender lint --list              # every check, one per line");
    verb.preparse_callback([&options](std::size_t) {
        options.load.path = ".";
        options.load.validate = true;
    });
    verb.add_option("PATH", options.load.path, "directory or file to check (default .)")
        ->type_name("DIR");
    add_revision(verb, options);
    add_output(verb, options, "directory written by render; it is skipped");
    verb.add_flag("--list", options.list_checks, "list the checks instead of running them");
    add_inputs(verb, options);
    add_common(verb, options);
}

void add_diff(CLI::App& app, Options& options) {
    static const std::map<std::string, DiffFormat> kFormats = {{"terminal", DiffFormat::Terminal},
                                                               {"markdown", DiffFormat::Markdown},
                                                               {"json", DiffFormat::Json}};
    CLI::App& verb =
        add_verb(app, "diff", "explain what a change of the sources means",
                 "  tailrender diff main .                 # a revision and this directory\n"
                 "  tailrender diff main feature:apps      # a path of a revision\n"
                 "  tailrender diff rendered .             # what a render would change\n"
                 "  tailrender diff --format markdown origin/main . > comment.md");
    verb.add_option("BASE", options.base,
                    "the old side: a directory, or REV[:PATH]; sources or a rendered tree")
        ->required()
        ->type_name("DIR");
    verb.add_option("HEAD", options.head, "the new side")->required()->type_name("DIR");
    verb.add_option_function<std::string>(
            "--format", [&options](const std::string& name) { options.format = kFormats.at(name); },
            "how to print it (default terminal)")
        ->check(CLI::IsMember({"terminal", "markdown", "json"}).description(""))
        ->type_name("terminal|markdown|json");
    verb.add_flag("--exit-code", options.exit_code, "exit 1 when anything differs");
    verb.add_option("--hash-key", options.hash_key_file,
                    "file with the key for hashes of secret values (default random)")
        ->type_name("FILE");
    add_inputs(verb, options);
    add_common(verb, options);
}

void add_install(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "install", "print what a cluster needs besides proxies",
                              "  tailrender install --values values.yaml | kubectl apply -f -\n"
                              "  tailrender install --namespace tailscale -o overlays");
    verb.preparse_callback([&options](std::size_t) { options.load.install = true; });
    add_output(verb, options,
               "directory to write the objects to (default: a stream on standard output)");
    add_values(verb, options);
    add_namespace(verb, options, "namespace of the controller and of proxies (default tailscale)");
    add_report(verb, options);
}

void add_images(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "images", "list the images of all generated pods",
                              "  tailrender images . --cluster home\n"
                              "  tailrender images . | xargs -n1 docker pull");
    add_path(verb, options);
    add_inputs(verb, options);
    add_common(verb, options);
}

const std::map<std::string, SealScope> kScopes = {{"strict", SealScope::Strict},
                                                  {"namespace-wide", SealScope::NamespaceWide},
                                                  {"cluster-wide", SealScope::ClusterWide}};

void add_seal(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(
        app, "seal", "encrypt a Secret for a sealed-secrets controller, offline",
        "  kubeseal --fetch-cert > sealing.pem         # once, with access to the cluster\n"
        "  tailrender seal .operator-oauth.env --cert sealing.pem -o operator-oauth.yaml\n"
        "  tailrender seal secret.yaml --cert sealing.pem --scope namespace-wide");
    SealOptions& seal = options.seal;
    verb.add_option("FILE", seal.file,
                    "env file (*.env), manifest with Secrets, or - for one on stdin")
        ->required()
        ->type_name("FILE");
    verb.add_option("--cert", seal.certificate,
                    "certificate of the sealed-secrets controller, in PEM")
        ->required()
        ->type_name("FILE");
    verb.add_option("-o,--output", seal.output, "file to write (default: standard output)")
        ->type_name("FILE");
    verb.add_option("--name", seal.name,
                    "name of the Secret that an env file becomes (default operator-oauth)")
        ->type_name("NAME");
    add_namespace(verb, options,
                  "namespace of a Secret without one (default tailscale for an env file)");
    verb.add_option_function<std::string>(
            "--scope", [&seal](const std::string& scope) { seal.scope = kScopes.at(scope); },
            "where it can be decrypted (default: from its annotations, else strict)")
        ->check(CLI::IsMember({"strict", "namespace-wide", "cluster-wide"}).description(""))
        ->type_name("strict|namespace-wide|cluster-wide");
    add_common(verb, options);
}

void add_commit(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(
        app, "commit", "render a tree and commit it to a separate branch",
        "  tailrender commit . --branch rendered\n"
        "  tailrender commit . --rev v1.4.0 --branch rendered --push origin\n"
        "  tailrender commit apps --branch rendered -o apps   # a directory of the branch");
    add_path(verb, options);
    verb.add_option("--branch", options.branch, "branch that only tailrender commits to")
        ->required()
        ->type_name("NAME");
    add_output(verb, options, "directory in the branch (default: its root)");
    verb.add_option("--push", options.remote, "remote to push the branch to")->type_name("REMOTE");
    add_validate(verb, options);
    add_prune(verb, options);
    add_allow_empty(verb, options);
    add_inputs(verb, options);
    add_report(verb, options);
}

void add_gitops_snippets(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "gitops-snippets", "print the settings that Argo CD, Flux or Fleet needs",
                 "  tailrender gitops-snippets --for argo   # merge it into the Application\n"
                 "  tailrender gitops-snippets --for flux   # merge it into the Kustomization\n"
                 "  tailrender gitops-snippets --for fleet  # merge it into fleet.yaml");
    verb.add_option("--for", options.tool, "the tool that applies the rendered output")
        ->required()
        ->check(CLI::IsMember({"argo", "flux", "fleet"}).description(""))
        ->type_name("argo|flux|fleet");
}

void add_completion(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "completion", "print a completion script for a shell",
                              "  source <(tailrender completion bash)\n"
                              "  tailrender completion zsh > ~/.zfunc/_tailrender\n"
                              "  tailrender completion fish > "
                              "~/.config/fish/completions/tailrender.fish");
    verb.add_option("SHELL", options.shell, "the shell")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
        ->type_name("bash|zsh|fish");
}

// "-o, --output", where CLI11 writes no space.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        return is_positional ? option->get_name(true)
                             : fmt::format("{}", fmt::join(names_of(*option), ", "));
    }
};

std::unique_ptr<CLI::App> make_app(Options& options) {
    auto app = std::make_unique<CLI::App>(
        "Turns a cluster repository into every manifest that the Tailscale operator would create.",
        "tailrender");
    app->formatter(std::make_shared<HelpFormatter>());
    app->set_help_flag("-h,--help", kHelp);
    app->require_subcommand(1);
    app->set_version_flag("--version", kVersion,
                          "print the version and that of the Tailscale operator");
    app->footer(
        "Examples:\n"
        "  tailrender render . -o rendered\n"
        "  tailrender check . -o rendered\n"
        "  tailrender VERB --help\n\n"
        "Exit codes: 0 ok; 1 diagnostics, stale, or a failed write; 2 usage.");
    add_render(*app, options);
    add_check(*app, options);
    add_post_render(*app, options);
    add_krm(*app, options);
    add_cmp(*app, options);
    add_explain(*app, options);
    add_lint(*app, options);
    add_diff(*app, options);
    add_install(*app, options);
    add_images(*app, options);
    add_seal(*app, options);
    add_commit(*app, options);
    add_gitops_snippets(*app, options);
    add_completion(*app, options);
    return app;
}

Verb verb_of(const std::string& name) {
    static const std::map<std::string, Verb> kVerbs = {
        {"render", Verb::Render},
        {"check", Verb::Check},
        {"post-render", Verb::PostRender},
        {"krm", Verb::Krm},
        {"cmp", Verb::Cmp},
        {"explain", Verb::Explain},
        {"lint", Verb::Lint},
        {"diff", Verb::Diff},
        {"install", Verb::Install},
        {"images", Verb::Images},
        {"seal", Verb::Seal},
        {"commit", Verb::Commit},
        {"gitops-snippets", Verb::GitopsSnippets},
        {"completion", Verb::Completion},
    };
    return kVerbs.at(name);
}

std::string lower_first(std::string text) {
    const bool word = text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a';
    if (word) {
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    }
    return text.substr(0, text.find('\n'));
}

// The first word that no one knows: a word where the verb should be, a flag after it.
std::string unknown_word(const CLI::App& app, bool flags_first) {
    const std::vector<std::string> words = app.remaining(true);
    const auto preferred = std::find_if(
        words.begin(), words.end(),
        [flags_first](const std::string& word) { return word.starts_with('-') == flags_first; });
    return preferred != words.end() ? *preferred : words.empty() ? "" : words.front();
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* verb = chosen_verb(app);
    const std::string word = unknown_word(app, verb != nullptr);
    std::string message = verb == nullptr ? "a verb is required" : lower_first(error.what());
    std::string hint =
        fmt::format("run \"tailrender{} --help\"", verb == nullptr ? "" : " " + verb->get_name());
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (!word.empty() && (is_extra || verb == nullptr)) {
        message = fmt::format("unknown {} \"{}\"", verb == nullptr ? "verb" : "argument", word);
        const std::string near = nearest_word(app, verb, word);
        hint = near.empty() ? hint : fmt::format("did you mean \"{}\"?", near);
    }
    return fmt::format("tailrender: error: {} [usage]\n  hint: {}\n", message, hint);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options options;
    const std::unique_ptr<CLI::App> app = make_app(options);
    try {
        app->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) {
            line.exit_code = 2;
            line.err = usage_error(*app, error);
            return line;
        }
        std::ostringstream out;
        std::ostringstream err;
        app->exit(error, out, err);
        line.out = out.str();
        return line;
    }
    options.verb = verb_of(chosen_verb(*app)->get_name());
    line.options = std::move(options);
    return line;
}

std::vector<VerbInfo> command_table() {
    Options options;
    const std::unique_ptr<CLI::App> app = make_app(options);
    std::vector<VerbInfo> table;
    for (const CLI::App* verb : app->get_subcommands({})) {
        VerbInfo info;
        info.name = verb->get_name();
        info.doc = verb->get_description();
        for (const CLI::Option* option : verb->get_options()) {
            const auto names = names_of(*option);
            if (names.empty()) {
                info.arguments = option->get_type_name();
                continue;
            }
            const bool takes_value = option->get_items_expected_max() > 0;
            info.flags.push_back(
                {names, takes_value ? option->get_type_name() : "", option->get_description()});
        }
        table.push_back(std::move(info));
    }
    return table;
}

}  // namespace renderer

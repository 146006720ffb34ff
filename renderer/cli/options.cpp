#include "renderer/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <utility>

#include "renderer/cli/help_formatter.h"
#include "renderer/cli/option_flags.h"
#include "renderer/cli/schemas.h"
#include "renderer/cli/usage_error.h"
#include "renderer/core/known_words.h"
#include "renderer/plan/release.h"

namespace renderer::cli {
namespace {

std::string version_text() {
    const auto text = [](plan::TailscaleVersion version) {
        return fmt::format("1.{}.{}", version.minor, version.patch);
    };
    return fmt::format("tailrender " TAILRENDER_VERSION
                       "\nTailscale Kubernetes operator {} to {}, {} by default",
                       text(plan::kReleases.front()), text(plan::kReleases.back()),
                       text(plan::default_release().version));
}

void add_render(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "render", "render a tree to standard output or a directory",
                 "  tailrender render . | kubectl apply -f -\n"
                 "  tailrender render . --cluster home -o rendered\n"
                 "  tailrender render . --only generated -o tailnet   # beside the sources\n"
                 "  tailrender render . --rev origin/main --cluster home\n"
                 "  tailrender render apps --namespace apps --values values.yaml");
    add_path(verb, options, kRendered)->required();
    add_output(verb, options,
               "directory to write the tree to (default: a stream on standard output)");
    CLI::Option* revision = add_sources(verb, options);
    add_gates(verb, options);
    add_prune(verb, options);
    add_allow_empty(verb, options);
    verb.add_flag("--update-lock", options.update_lock,
                  "write the ports of ProxyGroups to tailrender.lock.yaml in DIR")
        ->excludes(revision);
    add_validate(verb, options);
    add_reading(verb, options);
    add_report(verb, options);
}

void add_check(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "check", "show how a rendered directory differs from what render would write",
                 "  tailrender check . -o rendered           # exit 3 and a diff when stale\n"
                 "  tailrender check . -o rendered | patch -p0");
    verb.preparse_callback([&options](std::size_t) { options.load.validate = true; });
    add_path(verb, options, kRendered)->required();
    add_output(verb, options, "directory written by render")->required();
    add_sources(verb, options);
    add_gates(verb, options);
    add_report_format(verb, options);
    add_prune(verb, options);
    add_allow_empty(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_post_render(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "post-render", "render the stream on standard input, as Helm post-renderer",
                 "  helm template web ./chart | tailrender post-render --namespace shop\n"
                 "  helm upgrade web ./chart --post-renderer tailrender \\\n"
                 "    --post-renderer-args post-render --post-renderer-args --namespace=shop");
    add_inputs(verb, options.load);
    const FlagChoices<bool> ways = {{"fail", false}, {"annotate", true}};
    add_choice(verb, "--on-error", options.annotate, ways,
               "on errors, print nothing (default), or the input after a document that holds the "
               "errors");
    add_warning_gate(verb, options);
    add_allow_empty(verb, options);
    add_validate(verb, options);
    add(verb, "--release", options.release, "NAME", "release name, for the log file");
    add_stream_reading(verb, options.load);
    add_report(verb, options);
}

void add_krm(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(
        app, "krm", "render a ResourceList, as a KRM function of kustomize, kpt and others",
        "  kustomize build --enable-alpha-plugins --enable-exec .\n"
        "  kpt fn eval . --exec \"tailrender krm\" --fn-config tailrender.yaml");
    add_inputs(verb, options.load);
    add_validate(verb, options);
    add_stream_reading(verb, options.load);
    add_report(verb, options);
}

void add_cmp(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "cmp", "run as a config management plug-in of Argo CD",
                              "  tailrender cmp discover      # prints something if this is ours\n"
                              "  tailrender cmp parameters    # what an Application can set\n"
                              "  tailrender cmp generate      # the stream of this directory");
    limit(verb.add_option("ACTION", options.action, "the command that plugin.yaml runs"),
          {"discover", "parameters", "generate"})
        ->required();
    add_allow_empty(verb, options);
    add_diagnostics(verb, options);
}

void add_explain(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "explain", "show which input and which rule an object comes from",
                 "  tailrender explain StatefulSet/tailscale/ts-web-ztn66 .\n"
                 "  tailrender explain Service/shop/web .    # what this Service becomes");
    add(verb, "OBJECT", options.object, "OBJECT", "Kind/namespace/name or Kind/name")->required();
    add_path(verb, options, kRendered)->required();
    add_sources(verb, options);
    add_report_format(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
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
    add_path(verb, options, "directory or file to check (default .)");
    add_output(verb, options, "directory written by render; it is skipped");
    add_sources(verb, options);
    add_warning_gate(verb, options);
    add_report_format(verb, options);
    verb.add_flag("--list", options.list_checks, "list the checks instead of running them");
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_install(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "install", "print what a cluster needs besides proxies",
                              "  tailrender install --values values.yaml | kubectl apply -f -\n"
                              "  tailrender install --namespace tailscale -o overlays");
    verb.preparse_callback([&options](std::size_t) { options.load.install = true; });
    add_output(verb, options,
               "directory to write the objects to (default: a stream on standard output)");
    add_values(verb, options.load);
    add_namespace(verb, options.load,
                  "namespace of the controller and of proxies (default tailscale)");
    add_warning_gate(verb, options);
    add_report(verb, options);
}

// Lets a verb be about the current directory if no PATH is given.
void begin_here(CLI::App& verb, Options& options) {
    verb.preparse_callback([&options](std::size_t) { options.load.path = "."; });
}

void add_devices(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "devices", "print the table of devices, and nothing else",
                              "  tailrender devices\n"
                              "  tailrender devices . --cluster home\n"
                              "  tailrender devices . --only generated | grep PUBLIC");
    begin_here(verb, options);
    add_path(verb, options, "directory or file to look at (default .)");
    add_sources(verb, options);
    add_warning_gate(verb, options);
    add_report_format(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_graph(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "graph", "draw who reaches what: devices, proxies and what is behind them",
                 "  tailrender graph > graph.md            # GitHub draws it\n"
                 "  tailrender graph . --cluster home --format svg > graph.svg\n"
                 "  tailrender graph main .                # what a change adds and removes");
    begin_here(verb, options);
    CLI::Option* path = add_path(verb, options, "directory or file to draw (default .), or BASE");
    CLI::Option* head =
        add(verb, "HEAD", options.graph.head, "REV",
            "draw the change from BASE to HEAD; each is a directory with sources, or REV[:PATH]")
            ->needs(path);
    const FlagChoices<GraphFormat> formats = {{"mermaid", GraphFormat::Mermaid},
                                              {"svg", GraphFormat::Svg},
                                              {"dot", GraphFormat::Dot},
                                              {"json", GraphFormat::Json}};
    add_choice(verb, "--format", options.graph.format, formats,
               "how to draw it (default mermaid, in Markdown)");
    head->excludes(add_sources(verb, options));
    add_policies(verb, options, head);
    add_warning_gate(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_images(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "images", "list the images of all generated pods",
                              "  tailrender images . --cluster home\n"
                              "  tailrender images . | xargs -n1 docker pull");
    add_path(verb, options, kRendered)->required();
    add_sources(verb, options);
    add_warning_gate(verb, options);
    add_report_format(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_tailnet_policy(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "tailnet-policy", "print what the policy of the tailnet must say for a tree",
                 "  tailrender tailnet-policy . --cluster home\n"
                 "  tailrender tailnet-policy . --check policy.hujson   # exit 1 where something "
                 "is missing\n"
                 "  tailrender tailnet-policy . --merge policy.hujson   # then: git diff");
    begin_here(verb, options);
    add_path(verb, options, "directory or file to look at (default .)");
    PolicyOptions& policy = options.policy;
    CLI::Option* check = add(verb, "--check", policy.checked, "FILE",
                             "policy file (HuJSON) to compare with what is needed");
    add(verb, "--merge", policy.merged, "FILE", "policy file to add what is missing to, in place")
        ->excludes(check);
    add(verb, "--tailnet", policy.tailnet, "NAME",
        "Tailnet whose policy it is (default: that of the controller)");
    add_sources(verb, options);
    add_warning_gate(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_access(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "access", "print who may reach what, by the policy of the tailnet",
                 "  tailrender access . --policy policy.hujson\n"
                 "  tailrender access . --policy policy.hujson --from group:dev --from tag:ci\n"
                 "  tailrender access . --policy policy.hujson --to shop:443 --why");
    begin_here(verb, options);
    add_path(verb, options, "directory or file to look at (default .)");
    AccessOptions& access = options.access;
    add(verb, "--policy", access.policy, "FILE",
        "policy file of the tailnet (HuJSON; default: policy of .tailrender.yaml)");
    add(verb, "--from", access.from, "WHO", "ask for a user, group, tag or autogroup (repeatable)")
        ->allow_extra_args(false);
    add(verb, "--to", access.to, "DEVICE[:PORT]", "only this device, or one of its ports");
    verb.add_flag("--why", access.why, "name the rules that allow it");
    add(verb, "--tailnet", options.policy.tailnet, "NAME",
        "Tailnet whose policy it is (default: that of the controller)");
    add_sources(verb, options);
    add_warning_gate(verb, options);
    add_report_format(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_fix(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "fix", "write into the sources what --only generated needs",
                              "  tailrender fix .          # then: git diff\n"
                              "  tailrender fix . --cluster home");
    add_path(verb, options, "directory or file to edit in place")->required();
    add_inputs(verb, options.load);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

void add_roots(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "roots", "show what Flux and Argo CD apply of a tree, and what not",
                 "  tailrender roots\n"
                 "  tailrender roots . --cluster clusters/home");
    begin_here(verb, options);
    add_path(verb, options, "directory to look at (default .)");
    add(verb, "--cluster", options.load.cluster, "NAME", "mark what other clusters apply");
    add_revision(verb, options);
    add_warning_gate(verb, options);
    add_report_format(verb, options);
    add_argo_clusters(verb, options.load);
    add_builds(verb, options);
    add_threads(verb, options.load);
    add_diagnostics(verb, options);
}

void add_commit(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(
        app, "commit", "render a tree and commit it to a separate branch",
        "  tailrender commit . --branch rendered\n"
        "  tailrender commit . --rev v1.4.0 --branch rendered && git push origin rendered\n"
        "  tailrender commit apps --branch rendered -o apps   # a directory of the branch");
    add_path(verb, options, kRendered)->required();
    add(verb, "--branch", options.branch, "NAME", "branch that only tailrender commits to")
        ->required();
    add_output(verb, options, "directory in the branch (default: its root)");
    add_sources(verb, options);
    add_gates(verb, options);
    add_prune(verb, options);
    add_allow_empty(verb, options);
    add_validate(verb, options);
    add_reading(verb, options);
    add_report(verb, options);
}

void add_gitops_snippets(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "gitops-snippets", "print the settings that Argo CD, Flux or Fleet needs",
                 "  tailrender gitops-snippets --for argo   # merge it into the Application\n"
                 "  tailrender gitops-snippets --for flux   # merge it into the Kustomization\n"
                 "  tailrender gitops-snippets --for fleet  # merge it into fleet.yaml");
    limit(verb.add_option("--for", options.tool, "the tool that applies the rendered output"),
          {"argo", "flux", "fleet"})
        ->required();
    add_format(verb, options);
}

void add_init(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "init", "show what a repository needs for its first render, or add it",
                 "  tailrender init                    # writes nothing\n"
                 "  tailrender init . --write          # then: git diff");
    begin_here(verb, options);
    add(verb, "PATH", options.load.path, "DIR", "top of the repository (default .)");
    verb.add_flag("--write", options.write, "add the files that are missing; none is changed");
    const FlagChoices<Ci> choices = {
        {"github", Ci::GitHub}, {"gitlab", Ci::GitLab}, {"none", Ci::None}};
    add_choice(verb, "--ci", options.ci, choices, "the CI to add (default: the one that is found)");
    add(verb, "--cluster", options.load.cluster, "NAME", "cluster of Flux, if there are several");
    add_argo_clusters(verb, options.load);
    add_diagnostics(verb, options);
}

void add_schema(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "schema", "print a JSON Schema of a file that you write",
                 "  tailrender schema config > config.schema.json   # .tailrender.yaml\n"
                 "  tailrender schema values > values.schema.json   # with tailrender:");
    limit(verb.add_option("NAME", options.schema, "the file"),
          {std::string(kConfigSchema), std::string(kValuesSchema)})
        ->required();
    add_format(verb, options);
}

void add_completion(CLI::App& app, Options& options) {
    CLI::App& verb = add_verb(app, "completion", "print a completion script for a shell",
                              "  source <(tailrender completion bash)\n"
                              "  tailrender completion zsh > ~/.zfunc/_tailrender\n"
                              "  tailrender completion fish > "
                              "~/.config/fish/completions/tailrender.fish");
    limit(verb.add_option("SHELL", options.shell,
                          "the shell, or the names that its script offers: one per line"),
          {"bash", "zsh", "fish", "clusters", "objects", "revisions"})
        ->required();
    add(verb, "WORD", options.words, "WORD",
        "of the command that is being typed, behind --; names a directory to look at (default .)");
    add_format(verb, options);
}

std::unique_ptr<CLI::App> make_app(Options& options, std::size_t width) {
    auto app = std::make_unique<CLI::App>(
        "Turns a cluster repository into every manifest that the Tailscale operator would create.",
        "tailrender");
    app->formatter(std::make_shared<HelpFormatter>(width));
    app->set_help_flag("-h,--help", kHelp);
    app->require_subcommand(1);
    app->set_version_flag("--version", version_text(),
                          "print the version and those of the Tailscale operator");
    app->footer(
        "Examples:\n"
        "  tailrender render . -o rendered\n"
        "  tailrender check . -o rendered\n"
        "  tailrender VERB --help\n\n"
        "Exit codes: 0 ok; 1 errors or a failed write; 2 usage; 3 stale or different; 4 "
        "--fail-on.");
    for (const auto add_verb_and_flags :
         {add_render,    add_check,           add_post_render, add_krm,
          add_cmp,       add_explain,         add_lint,        add_diff,
          add_install,   add_devices,         add_graph,       add_images,
          add_access,    add_tailnet_policy,  add_commit,      add_fix,
          add_roots,     add_gitops_snippets, add_init,        add_schema,
          add_completion}) {
        add_verb_and_flags(*app, options);
    }
    return app;
}

// Finds an empty list of hosts. CLI11 takes it for a flag without a value, which allows all hosts.
bool names_no_hosts(int argc, const char* const* argv) {
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        const std::string_view word = argv[i];
        if (word == "--allow-network=" || word == "--allow-network={}") {
            return true;
        }
    }
    return false;
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, std::size_t width) {
    CommandLine line;
    Options options;
    const std::unique_ptr<CLI::App> app = make_app(options, width);
    if (names_no_hosts(argc, argv)) {
        line.exit_code = 2;
        line.refusal = {.rule = "usage",
                        .where = "tailrender",
                        .message = "--allow-network: invalid hosts \"\"; expected HOST[,HOST]..."};
        line.targets = asked_targets(argc, argv);
        return line;
    }
    try {
        app->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) {
            line.exit_code = 2;
            line.refusal = usage_error(*app, error);
            line.targets = asked_targets(argc, argv);
            return line;
        }
        std::ostringstream out;
        std::ostringstream err;
        app->exit(error, out, err);
        line.out = out.str();
        return line;
    }
    options.verb = chosen_verb(*app)->get_name();
    line.options = std::move(options);
    return line;
}

std::vector<VerbInfo> command_table() {
    Options options;
    const std::unique_ptr<CLI::App> app = make_app(options, 0);
    std::vector<VerbInfo> table;
    for (const CLI::App* verb : app->get_subcommands({})) {
        VerbInfo info;
        info.name = verb->get_name();
        info.doc = verb->get_description();
        for (const CLI::Option* option : verb->get_options()) {
            const auto names = names_of(*option);
            if (names.empty()) {
                // The argument that is not a directory is what completion is for.
                if (info.arguments.empty() || info.arguments == "DIR") {
                    info.arguments = option->get_type_name();
                }
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

}  // namespace renderer::cli

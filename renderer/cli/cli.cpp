#include "renderer/cli/cli.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/confinement.h"
#include "renderer/base/split.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/engines/helm/helm_program.h"
#include "renderer/engines/kustomize/kustomize_program.h"
#include "renderer/repo/fetch/chart_fetcher.h"
#include "renderer/repo/git_tree.h"
#include "renderer/repo/user_program.h"

namespace renderer::cli {
namespace {

struct Verb {
    std::string_view name;
    Result<int> (*run)(const Options&, ClusterRuns&, Console&);
    // True for a verb that waits for other programs, which may print their own progress to the
    // terminal.
    bool reads_input = false;
    // What a verb that reads only standard input expects there, and a hint for users who run it on
    // a terminal.
    std::string_view input = {}, hint = {};
};

constexpr std::array kVerbs = {
    Verb{"render", run_render},
    Verb{"check", run_check},
    Verb{"post-render", run_post_render, true, "a stream of manifests",
         "helm template NAME CHART | tailrender post-render --namespace NAMESPACE"},
    Verb{"krm", run_krm, true, "a ResourceList",
         "kpt fn eval DIR --exec \"tailrender krm\", or kustomize build --enable-alpha-plugins "
         "--enable-exec"},
    Verb{"cmp", run_cmp},
    Verb{"explain", run_explain},
    Verb{"lint", run_lint},
    Verb{"diff", run_diff},
    Verb{"install", run_install},
    Verb{"devices", run_devices},
    Verb{"graph", run_graph},
    Verb{"images", run_images},
    Verb{"access", run_access},
    Verb{"tailnet-policy", run_tailnet_policy},
    Verb{"commit", run_commit},
    Verb{"fix", run_fix},
    Verb{"roots", run_roots},
    Verb{"gitops-snippets", run_gitops_snippets},
    Verb{"init", run_init},
    Verb{"schema", run_schema},
    Verb{"completion", run_completion},
};

Error no_fetching(std::string found, std::string expected, std::string hint) {
    return Error{{.rule = "usage",
                  .where = "--allow-network",
                  .message = "charts cannot be fetched",
                  .found = std::move(found),
                  .expected = std::move(expected),
                  .hint = std::move(hint)}};
}

Result<std::shared_ptr<repo::ChartFetcher>> chart_fetcher(const Options& options) {
    if (options.load.helm == repo::kNoProgram || options.load.helm.empty()) {
        return no_fetching("no helm", "helm, which fetches and renders them",
                           "install it, or name it with --helm");
    }
    if (!keeps_files_apart()) {
        return no_fetching("a kernel without Landlock", "Linux 5.13 or later, to confine helm",
                           "helm pull fetches a chart; --charts DIR names its directory");
    }
    repo::FetchSetup setup{.helm = options.load.helm,
                           .ca_file = environment("SSL_CERT_FILE"),
                           .ca_dirs = environment("SSL_CERT_DIR")};
    if (options.network != "true") {
        for (const std::string_view host : split(options.network, ',')) {
            setup.hosts.push_back(lower_case(host));
        }
    }
    return std::make_shared<repo::ChartFetcher>(std::move(setup));
}

// Runs the verb. Opens the revision once for all clusters, because a branch may move meanwhile.
Result<int> run_verb(const Verb& verb, Options& options, ClusterRuns& runs, Console& console) {
    if (!verb.input.empty() && ::isatty(STDIN_FILENO) == 1) {
        console.diagnose({.rule = "usage",
                          .where = "tailrender",
                          .message = fmt::format("{} reads {}, and standard input is a terminal",
                                                 verb.name, verb.input),
                          .hint = std::string(verb.hint)});
        return 2;
    }
    options.load.kustomize =
        TRY(engines::find_kustomize(options.load.kustomize, environment("PATH")));
    const bool names_helm = !options.load.helm.empty();
    options.load.helm = TRY(engines::find_helm(options.load.helm, environment("PATH")));
    if (!names_helm && options.load.helm == repo::kNoProgram) {
        options.load.helm.clear();  // helm is not installed; the user did not choose "none"
    }
    if (!options.network.empty() && options.network != "false") {
        options.load.fetcher = TRY(chart_fetcher(options));
    }
    if (!options.revision.empty()) {
        options.load.tree =
            TRY(repo::GitTree::open(options.load.path, options.revision, options.load.values_files,
                                    options.load.context_dirs));
    }
    return verb.run(options, runs, console);
}

// Opens /dev/null for standard streams that are closed. Otherwise the next file that is opened
// would get the descriptor of the stream, and output for the stream would go into the file. Reading
// from and writing to these descriptors still fails.
void hold_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) == -1) {
            (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
    hold_standard_streams();
    const auto before = std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
    const auto end = [before](Console& console, std::string_view verb, int exit_code) {
        const int code = console.finish(verb, exit_code);
        if (console.reader_left() && before != SIG_IGN) {  // ends as other programs do there
            std::signal(SIGPIPE, SIG_DFL);
            (void)std::raise(SIGPIPE);
        }
        return code;
    };
    CommandLine line = parse_command_line(argc, argv, terminal_width(STDOUT_FILENO));
    if (!line.options) {
        Console console(false, "", std::move(line.targets));
        if (line.refusal) {
            console.diagnose(std::move(*line.refusal));
        }
        const bool written = console.out(line.out);
        return end(console, "", written ? line.exit_code : 1);
    }
    Options& options = *line.options;
    if (options.log_file.empty()) {
        options.log_file = environment("TAILRENDER_LOG");
    }
    const Verb& verb = *std::ranges::find(kVerbs, options.verb, &Verb::name);
    Console console(wants_color(options.color, STDERR_FILENO), options.log_file,
                    options.diagnostics);
    if (!options.quiet && !verb.reads_input && is_terminal(STDERR_FILENO)) {
        console.show_progress(options.load.steps);
    }
    if (!console.ready()) {
        return console.finish(verb.name, 1);
    }
    // This is not freed, because freeing it node by node would only delay the end of the process.
    static auto* const runs = new ClusterRuns(options.all);
    Result<int> code = run_verb(verb, options, *runs, console);
    const int exit_code = code ? *code : runs->refuse(std::move(code.error().diagnostic), console);
    return end(console, verb.name, exit_code);
}

}  // namespace renderer::cli

#include "renderer/cli/cli.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <utility>

#include "renderer/cli/commands.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/load/charts/helm_program.h"
#include "renderer/load/kustomize/kustomize_program.h"
#include "renderer/load/tree/git_tree.h"

namespace renderer {
namespace {

struct Verb {
    std::string_view name;
    Result<int> (*run)(const Options&, ClusterRuns&, Console&);
    // Such a one waits for others, who may have a line of their own on the terminal.
    bool reads_input = false;
    // Of one that reads nothing else, for whoever types it without that.
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
    Verb{"images", run_images},
    Verb{"seal", run_seal, true},
    Verb{"commit", run_commit},
    Verb{"fix", run_fix},
    Verb{"roots", run_roots},
    Verb{"gitops-snippets", run_gitops_snippets},
    Verb{"completion", run_completion},
};

// Opens the revision once for all clusters of a run: a branch may move meanwhile.
Result<int> run_verb(const Verb& verb, Options& options, ClusterRuns& runs, Console& console) {
    if (!verb.input.empty() && ::isatty(STDIN_FILENO) == 1) {
        console.err(
            fmt::format("tailrender: error: {} reads {}, and standard input is a terminal [usage]\n"
                        "  hint: {}\n",
                        verb.name, verb.input, verb.hint));
        return 2;
    }
    options.load.kustomize = TRY(find_kustomize(options.load.kustomize, environment("PATH")));
    options.load.helm = TRY(find_helm(options.load.helm, environment("PATH")));
    if (!options.revision.empty()) {
        options.load.tree =
            TRY(GitTree::open(options.load.path, options.revision, options.load.values_files));
    }
    return verb.run(options, runs, console);
}

// Else the first file that is opened gets the number of a stream that is closed, and what is meant
// for the stream goes into the file. Reading and writing fail on what is put there, too.
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
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), with a message
    CommandLine line = parse_command_line(argc, argv);
    if (!line.options) {
        Console console(false, "");
        console.err(line.err);
        return console.out(line.out) ? line.exit_code : 1;
    }
    Options& options = *line.options;
    if (options.log_file.empty()) {
        options.log_file = environment("TAILRENDER_LOG");
    }
    const Verb& verb = *std::ranges::find(kVerbs, options.verb, &Verb::name);
    Console console(wants_color(options.color, STDERR_FILENO), options.log_file);
    if (!options.quiet && !verb.reads_input && is_terminal(STDERR_FILENO)) {
        console.show_progress();
    }
    if (!console.ready()) {
        return 1;
    }
    // The process ends with what it has read: no one waits until it is freed node by node.
    static auto* const runs = new ClusterRuns(options.all);
    Result<int> code = run_verb(verb, options, *runs, console);
    return console.finish(code ? *code : runs->refuse(std::move(code.error().diagnostic), console));
}

}  // namespace renderer

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/rewrite.h"
#include "renderer/policy/additions.h"
#include "renderer/policy/examples.h"
#include "renderer/repo/disk_tree.h"

namespace renderer::cli {

namespace {

// A policy file, and what is missing in it.
struct PolicyFile {
    std::string path;
    SourceId source = 0;
    policy::Node root = {};
    policy::Sections sections = {};
    std::vector<const policy::Need*> missing = {};
};

bool joins(const Run& run, const std::string& tailnet) {
    return std::ranges::any_of(run.plan.tailnets,
                               [&](const plan::TailnetPlan& one) { return one.name == tailnet; }) ||
           std::ranges::any_of(run.plan.workloads, [&](const plan::Workload& workload) {
               return workload.tailnet == tailnet;
           });
}

Result<policy::Needs> collect_needs(const PolicyOptions& options, ClusterRuns& runs) {
    const bool is_known =
        options.tailnet.empty() || std::ranges::any_of(runs.all(), [&](const Run& run) {
            return joins(run, options.tailnet);
        });
    if (!is_known) {
        return Error{{.rule = "unknown-tailnet",
                      .where = "--tailnet",
                      .message = fmt::format("Tailnet \"{}\" not found", options.tailnet),
                      .expected = "the name of a Tailnet of the tree"}};
    }
    policy::Needs needs;
    for (const Run& run : runs.all()) {
        policy::add_needs(run.plan, run.loaded.sources, options.tailnet, needs);
    }
    return needs;
}

// Reads the file with the source map of `run`. Returns false if it is not a policy; why is in the
// diagnostics.
bool read_policy(const policy::Needs& needs, Run& run, PolicyFile& file) {
    Result<std::string> text = repo::DiskTree({file.path}).read(file.path);
    if (!text) {
        run.diagnostics.add(std::move(text.error().diagnostic));
        return false;
    }
    SourceMap& sources = run.loaded.sources;
    file.source = sources.add(file.path, std::move(*text));
    std::optional<policy::Node> root = policy::read_hujson(sources, file.source, run.diagnostics);
    if (!root) {
        return false;
    }
    file.root = std::move(*root);
    const auto sections = policy::find_sections(file.root, sources, file.source, run.diagnostics);
    if (!sections) {
        return false;
    }
    file.sections = *sections;
    file.missing = policy::missing_needs(*sections, needs);
    return true;
}

int print_policy(const PolicyOptions& options, const policy::Needs& needs, ClusterRuns& runs,
                 Console& console) {
    policy::Examples examples;
    for (const Run& run : runs.all()) {
        policy::add_examples(run.plan, run.loaded.sources, options.tailnet, examples);
    }
    runs.print_diagnostics(console);
    return console.out(policy::print_policy(needs, policy::example_lines(examples))) ? 0 : kErrors;
}

// Lists what the file has and the tree does not need. This is no mistake: another repository may
// need it.
std::string notes_on(const PolicyFile& file, const policy::Needs& needs, const SourceMap& sources) {
    std::string notes;
    for (const policy::Surplus& surplus : policy::find_surplus(file.sections, needs)) {
        notes +=
            fmt::format("{}: note: {}\n",
                        sources.describe(sources.pos(file.source, surplus.offset)), surplus.text);
    }
    for (const std::string& devices : policy::left_out(needs)) {
        notes += fmt::format("{}: note: not compared: {}\n", file.path, devices);
    }
    return notes;
}

int check_policy(const Options& options, const policy::Needs& needs, ClusterRuns& runs,
                 Console& console) {
    PolicyFile file{.path = options.policy.checked};
    Run& run = runs.all().emplace_back();
    if (!read_policy(needs, run, file)) {
        return runs.fail(console, "nothing compared");
    }
    const SourceMap& sources = run.loaded.sources;
    policy::report_missing(file.sections, file.missing, sources, file.source,
                           policy::Places::OfPolicy, run.diagnostics);
    const int code = runs.finish(console,
                                 file.missing.empty()
                                     ? "the policy has all that the devices need"
                                     : fmt::format("--merge {} adds what is missing", file.path),
                                 options.quiet);
    const std::string notes = notes_on(file, needs, sources);
    return notes.empty() || console.show(notes) ? code : kErrors;
}

Result<int> merge_policy(const Options& options, const policy::Needs& needs, ClusterRuns& runs,
                         Console& console) {
    PolicyFile file{.path = options.policy.merged};
    Run& run = runs.all().emplace_back();
    if (!read_policy(needs, run, file)) {
        return runs.fail(console);
    }
    const std::string_view text = run.loaded.sources.text(file.source);
    if (!file.missing.empty()) {
        const std::string merged =
            policy::add_missing(text, file.sections, file.missing, policy::Comments::Objects);
        Rewrite rewrite = TRY(Rewrite::prepare(file.path, merged));
        TRY(rewrite.finish());
    }
    runs.print_diagnostics(console);
    if (!options.quiet) {
        std::string lines = file.missing.empty() ? file.path + ": nothing to add\n" : "";
        for (const policy::Need* need : file.missing) {
            lines += fmt::format("{}: added {}\n", file.path,
                                 policy::addition_text(file.sections, *need));
        }
        console.err(lines);
    }
    return 0;
}

}  // namespace

Result<int> run_tailnet_policy(const Options& options, ClusterRuns& runs, Console& console) {
    const PolicyOptions& policy = options.policy;
    if (!runs.render_each(options.load)) {
        return runs.fail(console, policy.checked.empty() ? policy.merged.empty() ? "nothing printed"
                                                                                 : "nothing written"
                                                         : "nothing compared");
    }
    const policy::Needs needs = TRY(collect_needs(policy, runs));
    if (!policy.merged.empty()) {
        if (stops_at_gates(options, runs, console)) {
            return kGate;
        }
        return merge_policy(options, needs, runs, console);
    }
    const int code = policy.checked.empty() ? print_policy(policy, needs, runs, console)
                                            : check_policy(options, needs, runs, console);
    return code_after_gates(options, runs.warnings().size(), code, console);
}

}  // namespace renderer::cli

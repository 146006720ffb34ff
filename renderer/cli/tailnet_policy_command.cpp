#include <fmt/format.h>

#include <optional>
#include <string>

#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/policy_file.h"
#include "renderer/cli/rewrite.h"
#include "renderer/policy/additions.h"
#include "renderer/policy/examples.h"

namespace renderer::cli {

namespace {

int print_policy(const policy::Needs& needs, const policy::Examples& examples, ClusterRuns& runs,
                 Console& console) {
    runs.print_diagnostics(console);
    return console.out(policy::print_policy(needs, policy::example_lines(examples))) ? 0 : kErrors;
}

// Lists what the file has and the tree does not need. This is not a mistake: another repository may
// need it.
std::string notes_on(const std::string& path, const PolicyFile& file, const policy::Needs& needs,
                     const SourceMap& sources) {
    std::string notes;
    for (const policy::Surplus& surplus : policy::find_surplus(file.sections, needs)) {
        notes +=
            fmt::format("{}: note: {}\n",
                        sources.describe(sources.pos(file.source, surplus.offset)), surplus.text);
    }
    for (const std::string& devices : policy::left_out(needs)) {
        notes += fmt::format("{}: note: not compared: {}\n", path, devices);
    }
    return notes;
}

int check_policy(const Options& options, const policy::Needs& needs, ClusterRuns& runs,
                 Console& console) {
    const std::string& path = options.policy.checked;
    Run& run = runs.all().emplace_back();
    const std::optional<PolicyFile> file = read_policy_file(path, run);
    if (!file) {
        return runs.fail(console, "nothing compared");
    }
    const SourceMap& sources = run.loaded.sources;
    const auto missing = policy::missing_needs(file->sections, needs);
    policy::report_missing(file->sections, missing, sources, file->source, policy::Places::OfPolicy,
                           run.diagnostics);
    const int code =
        runs.finish(console,
                    missing.empty() ? "the policy has all that the devices need"
                                    : fmt::format("--merge {} adds what is missing", path),
                    options.quiet);
    const std::string notes = notes_on(path, *file, needs, sources);
    return notes.empty() || console.show(notes) ? code : kErrors;
}

Result<int> merge_policy(const Options& options, const policy::Needs& needs, ClusterRuns& runs,
                         Console& console) {
    const std::string& path = options.policy.merged;
    Run& run = runs.all().emplace_back();
    const std::optional<PolicyFile> file = read_policy_file(path, run);
    if (!file) {
        return runs.fail(console);
    }
    const std::string_view text = run.loaded.sources.text(file->source);
    const auto missing = policy::missing_needs(file->sections, needs);
    if (!missing.empty()) {
        const std::string merged =
            policy::add_missing(text, file->sections, missing, policy::Comments::Objects);
        Rewrite rewrite = TRY(Rewrite::prepare(path, merged));
        TRY(rewrite.finish());
    }
    runs.print_diagnostics(console);
    if (!options.quiet) {
        std::string lines = missing.empty() ? path + ": nothing to add\n" : "";
        for (const policy::Need* need : missing) {
            lines +=
                fmt::format("{}: added {}\n", path, policy::addition_text(file->sections, *need));
        }
        console.err(lines);
    }
    return 0;
}

}  // namespace

Result<int> run_tailnet_policy(const Options& options, ClusterRuns& runs, Console& console) {
    const PolicyOptions& policy = options.policy;
    policy::Needs needs;
    policy::Examples examples;
    const auto take = [&](const Run& run, Diagnostics& /*later*/) {
        policy::add_needs(run.plan, run.loaded.sources, policy.tailnet, needs);
        policy::add_examples(run.plan, run.loaded.sources, policy.tailnet, examples);
    };
    if (!runs.render_each(options.load, take)) {
        return runs.fail(console, policy.checked.empty() ? policy.merged.empty() ? "nothing printed"
                                                                                 : "nothing written"
                                                         : "nothing compared");
    }
    TRY(check_tailnet(policy.tailnet, {&runs}));
    if (!policy.merged.empty()) {
        if (stops_at_gates(options, runs, console)) {
            return kGate;
        }
        return merge_policy(options, needs, runs, console);
    }
    const int code = policy.checked.empty() ? print_policy(needs, examples, runs, console)
                                            : check_policy(options, needs, runs, console);
    return code_after_gates(options, runs.warnings().size(), code, console);
}

}  // namespace renderer::cli

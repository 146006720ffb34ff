#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/policy/additions.h"
#include "renderer/policy/examples.h"

namespace renderer::cli {

namespace {

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

int print_policy(const PolicyOptions& options, const policy::Needs& needs, ClusterRuns& runs,
                 Console& console) {
    policy::Examples examples;
    for (const Run& run : runs.all()) {
        policy::add_examples(run.plan, run.loaded.sources, options.tailnet, examples);
    }
    runs.print_diagnostics(console);
    return console.out(policy::print_policy(needs, policy::example_lines(examples))) ? 0 : kErrors;
}

}  // namespace

Result<int> run_tailnet_policy(const Options& options, ClusterRuns& runs, Console& console) {
    if (!runs.render_each(options.load)) {
        return runs.fail(console, "nothing printed");
    }
    const policy::Needs needs = TRY(collect_needs(options.policy, runs));
    const int code = print_policy(options.policy, needs, runs, console);
    return code_after_gates(options, runs.warnings().size(), code, console);
}

}  // namespace renderer::cli

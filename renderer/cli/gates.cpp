#include "renderer/cli/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "renderer/access/compare.h"
#include "renderer/base/printable.h"
#include "renderer/cli/append_format.h"
#include "renderer/cli/cluster_tree.h"
#include "renderer/cli/exit_codes.h"

namespace renderer::cli {
namespace {

bool fails_on(const Options& options, Gate gate) {
    return std::ranges::find(options.fail_on, gate) != options.fail_on.end();
}

// A device that several ports or paths make public is one error.
void add_public(const diff::ClusterComparison& cluster, std::vector<Diagnostic>& failed) {
    std::map<std::pair<std::string, std::string>, std::string> endpoints;
    for (const diff::ReachChange& change : cluster.devices.reach) {
        if (change.added && change.offer.is_public) {
            std::string& found = endpoints[{change.parent, change.hostname}];
            append_names_to(found, "{}{}{}{}", found.empty() ? "" : ", ", change.offer.endpoint,
                            change.offer.target.empty() ? "" : " -> ", change.offer.target);
        }
    }
    // By the policy of the tailnet alone: the device stays as it is.
    for (const access::Change& change : cluster.access.changes) {
        if (change.gains && change.concerns_internet() && endpoints.empty()) {
            failed.push_back(gate_error(
                "public", "", "the policy lets anyone on the internet reach more than before"));
            failed.back().found = fmt::format("{}", fmt::join(change.what, ", "));
            failed.back().expected = "nothing that becomes public";
        }
    }
    for (auto& [device, found] : endpoints) {
        Diagnostic error =
            gate_error("public", device.first,
                       fmt::format("anyone on the internet can reach \"{}\", and could not before",
                                   on_one_line(device.second)));
        error.found = std::move(found);
        error.expected = "nothing that becomes public";
        failed.push_back(std::move(error));
    }
}

void add_lost(const diff::ClusterComparison& cluster, diff::DeviceEdit edit,
              std::vector<Diagnostic>& failed) {
    const bool is_removed = edit == diff::DeviceEdit::Removed;
    for (const diff::DeviceChange& change : cluster.devices.changes) {
        if (change.edit != edit) {
            continue;
        }
        Diagnostic error = gate_error(
            diff::name_of(edit), change.before->parent,
            is_removed
                ? fmt::format("device \"{}\" is removed", on_one_line(change.before->hostname))
                : fmt::format("device \"{}\" is replaced by another one, with other addresses",
                              on_one_line(change.before->hostname)));
        error.expected = is_removed ? "no device is removed" : "no device is replaced";
        error.found = fmt::format("{}", fmt::join(change.reasons, "\n"));
        failed.push_back(std::move(error));
    }
}

std::vector<Diagnostic> with_warnings(const Options& options, std::size_t warnings,
                                      std::vector<Diagnostic> failed) {
    if (warnings > 0 && fails_on(options, Gate::Warning)) {
        Diagnostic error = gate_error("warning", "", counted(warnings, "warning"));
        error.expected = "none";
        failed.push_back(std::move(error));
    }
    return failed;
}

}  // namespace

Diagnostic gate_error(std::string_view word, std::string object, std::string message) {
    return {.rule = "fail-on",
            .where = fmt::format("--fail-on {}", word),
            .object = std::move(object),
            .message = std::move(message),
            .hint = fmt::format("if this is intended, run without \"{}\" in --fail-on", word)};
}

std::vector<Diagnostic> failed_gates(const Options& options, const diff::Comparison& comparison) {
    std::vector<Diagnostic> failed;
    for (const diff::ClusterComparison& cluster : comparison.clusters) {
        const std::size_t first = failed.size();
        if (fails_on(options, Gate::Public)) {
            add_public(cluster, failed);
        }
        if (fails_on(options, Gate::Removed)) {
            add_lost(cluster, diff::DeviceEdit::Removed, failed);
        }
        if (fails_on(options, Gate::Replaced)) {
            add_lost(cluster, diff::DeviceEdit::Replaced, failed);
        }
        for (std::size_t i = first; i < failed.size() && !cluster.cluster.empty(); ++i) {
            failed[i].message += fmt::format(", in cluster \"{}\"", on_one_line(cluster.cluster));
        }
    }
    return failed;
}

Result<std::vector<Diagnostic>> failed_gates(const Options& options, const Run* run,
                                             const emit::RenderedTree& tree,
                                             const EarlierTrees& earlier) {
    if (std::ranges::all_of(options.fail_on, [](Gate gate) { return gate == Gate::Warning; })) {
        return std::vector<Diagnostic>();
    }
    const repo::TreeInventory inventory = TRY(earlier.inventory(tree.dir));
    diff::ClusterTree before{
        .cluster = "", .files = TRY(earlier.files(tree.dir, inventory)), .kept = {}, .facts = {}};
    diff::ClusterTree after{.cluster = "", .files = {}, .kept = {}, .facts = {}};
    if (run != nullptr) {
        after = cluster_tree(*run, tree.files);
        after.cluster = "";
        before.facts = after.facts;  // so that unchanged Services do not differ
    }
    std::vector<diff::ClusterTree> base, head;
    base.push_back(std::move(before));
    head.push_back(std::move(after));
    return failed_gates(options, diff::compare_trees(std::move(base), std::move(head),
                                                     secrets::SecretHash(secrets::random_key())));
}

bool stops_at_gates(const Options& options, ClusterRuns& runs, Console& console,
                    std::vector<Diagnostic> failed) {
    failed = with_warnings(options, runs.warnings().size(), std::move(failed));
    if (failed.empty()) {
        return false;
    }
    for (Diagnostic& error : failed) {
        runs.last().diagnostics.add(std::move(error));
    }
    (void)runs.fail(console);
    return true;
}

int code_after_gates(const Options& options, std::size_t warnings, int code, Console& console,
                     std::vector<Diagnostic> failed) {
    for (Diagnostic& error : with_warnings(options, warnings, std::move(failed))) {
        console.diagnose(std::move(error));
        code = exit_code_of(code, kGate);
    }
    return code;
}

}  // namespace renderer::cli

#include "renderer/cli/cluster_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/load/load.h"
#include "renderer/plan/clusters.h"

namespace renderer::cli {
namespace {

std::vector<ShownDiagnostic> shown_of(const std::deque<Run>& runs, Look look = {}) {
    std::vector<ShownDiagnostic> all;
    std::set<std::string, std::less<>> seen;
    for (const Run& run : runs) {
        for (ShownDiagnostic& shown :
             shown_diagnostics(run.diagnostics, run.loaded.sources, look)) {
            if (seen.insert(shown.text).second) {
                all.push_back(std::move(shown));
            }
        }
    }
    return all;
}

}  // namespace

bool ClusterRuns::render_each(const repo::LoadOptions& options) {
    std::vector<std::string> names;
    if (options.cluster.empty()) {
        names = load::cluster_names(options);
    }
    if (names.size() < 2) {
        return render_one(options);
    }
    bool good = true;
    std::vector<plan::ClusterPlan> plans;
    for (const std::string& name : names) {
        repo::LoadOptions one = options;
        one.cluster = name;
        one.steps->enter(
            fmt::format("cluster {}, {} of {}", on_one_line(name), runs_.size() + 1, names.size()));
        good = render_one(std::move(one)) && good;
    }
    for (Run& run : runs_) {
        plans.push_back({run.loaded.cluster, run.plan, run.loaded.sources, run.diagnostics});
    }
    plan::check_clusters(plans);
    return good &&
           std::ranges::none_of(runs_, [](const Run& run) { return run.diagnostics.has_errors(); });
}

bool ClusterRuns::render_one(repo::LoadOptions options, generate::Form form) {
    return render(std::move(options), runs_.emplace_back(), form);
}

void ClusterRuns::print_diagnostics(Console& console) const {
    console.diagnose([&](Look look) { return shown_of(runs_, look); }, all_diagnostics_);
}

std::vector<ShownDiagnostic> ClusterRuns::diagnostics() const {
    return shown_of(runs_);
}

std::vector<std::string> ClusterRuns::warnings() const {
    std::vector<std::string> lines;
    for (const ShownDiagnostic& shown : shown_of(runs_)) {
        if (shown.said.severity == Severity::Warning) {
            lines.push_back(shown.text.substr(0, shown.text.find('\n')));
        }
    }
    return lines;
}

int ClusterRuns::fail(Console& console, std::string_view ending) const {
    finish(console, ending, false);
    return kErrors;
}

int ClusterRuns::finish(Console& console, std::string_view ending, bool quiet) const {
    print_diagnostics(console);
    const std::vector<ShownDiagnostic> shown = shown_of(runs_);
    const auto errors = static_cast<std::size_t>(std::ranges::count(
        shown, Severity::Error, [](const ShownDiagnostic& one) { return one.said.severity; }));
    if (errors > 0 || !quiet) {
        console.err(fmt::format("{}, {}; {}\n", counted(errors, "error"),
                                counted(shown.size() - errors, "warning"), ending));
    }
    return errors > 0 ? kErrors : 0;
}

int ClusterRuns::refuse(Diagnostic diagnostic, Console& console, std::string_view ending) {
    Run& run = runs_.empty() ? runs_.emplace_back() : runs_.back();
    run.diagnostics.add(std::move(diagnostic));
    return fail(console, ending);
}

}  // namespace renderer::cli

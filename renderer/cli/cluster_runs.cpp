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

// Frees all of a run but what is printed at the end. `used`: positions that may be reported.
void release(Run& run, std::vector<Pos> used) {
    for (const Diagnostic& one : run.diagnostics.all()) {
        used.push_back(one.pos);
        for (const Note& note : one.notes) {
            used.push_back(note.pos);
        }
    }
    for (const plan::DeviceRow& device : run.plan.devices) {
        used.push_back(device.pos);
    }
    Run rest;
    rest.diagnostics = std::move(run.diagnostics);
    rest.loaded.sources = std::move(run.loaded.sources);
    rest.loaded.sources.keep_only(used);
    rest.loaded.cluster = std::move(run.loaded.cluster);
    rest.loaded.cluster_level = run.loaded.cluster_level;
    rest.plan.devices = std::move(run.plan.devices);
    run = std::move(rest);
}

}  // namespace

bool ClusterRuns::render_each(const repo::LoadOptions& options, const Take& take) {
    std::vector<std::string> names;
    if (options.cluster.empty()) {
        names = load::cluster_names(options);
    }
    std::deque<Diagnostics> later;
    if (names.size() > 1) {
        if (!render_all(options, names, take, later)) {
            return false;
        }
    } else {
        const bool good = render_one(options);
        if (take) {
            take(runs_.back(), later.emplace_back());
        }
        if (!good) {
            return false;
        }
    }
    for (std::size_t i = 0; i < later.size(); ++i) {
        runs_[i].diagnostics.append(std::move(later[i]));
    }
    return true;
}

bool ClusterRuns::render_all(const repo::LoadOptions& options,
                             const std::vector<std::string>& names, const Take& take,
                             std::deque<Diagnostics>& later) {
    repo::LoadOptions one = options;
    one.tree = repo::source_tree(options);  // so that its directories are listed once
    bool good = true;
    plan::ClusterChecks checks;
    for (const std::string& name : names) {
        one.cluster = name;
        one.steps->enter(
            fmt::format("cluster {}, {} of {}", on_one_line(name), runs_.size() + 1, names.size()));
        good = render_one(one) && good;
        Run& run = runs_.back();
        std::vector<Pos> used =
            checks.add(run.loaded.cluster, run.plan, run.loaded.sources, run.diagnostics);
        if (take) {
            take(run, later.emplace_back());
            for (const Diagnostic& said : later.back().all()) {
                used.push_back(said.pos);
                for (const Note& note : said.notes) {
                    used.push_back(note.pos);
                }
            }
            release(run, std::move(used));
        }
    }
    checks.finish();
    return good &&
           std::ranges::none_of(runs_, [](const Run& run) { return run.diagnostics.has_errors(); });
}

bool ClusterRuns::render_one(repo::LoadOptions options, generate::Form form) {
    Run& run = runs_.emplace_back();
    const bool good = render(std::move(options), run, form);
    for (const plan::TailnetPlan& one : run.plan.tailnets) {
        tailnets_.insert(one.name);
    }
    for (const plan::Workload& workload : run.plan.workloads) {
        tailnets_.insert(workload.tailnet);
    }
    return good;
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

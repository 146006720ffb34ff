// Holds the runs of one command, one per cluster that it renders. Nothing is written for any
// cluster unless all of them can be rendered. A diagnostic that is the same in several runs is
// printed once. A verb that takes what it needs of each run, one after the other, needs the memory
// of one cluster at a time.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/console.h"
#include "renderer/core/shown_diagnostic.h"
#include "renderer/pipeline.h"

namespace renderer::cli {

class ClusterRuns {
public:
    // `all_diagnostics`: similar diagnostics are printed in full too, instead of counted.
    explicit ClusterRuns(bool all_diagnostics) : all_diagnostics_(all_diagnostics) {}

    // Takes what a verb needs of a run, which may have errors. `later` are diagnostics that count
    // only if all clusters can be rendered.
    using Take = std::function<void(const Run& run, Diagnostics& later)>;

    // Renders each cluster of `.tailrender.yaml`, or only the one that the options name. Returns
    // false if there are errors. With `take`, of several runs only what is printed at the end is
    // kept: diagnostics, devices and the names of clusters.
    bool render_each(const repo::LoadOptions& options, const Take& take = {});
    // Adds one run. Returns false if there are errors.
    bool render_one(repo::LoadOptions options, generate::Form form = generate::Form::Tree);

    [[nodiscard]] std::deque<Run>& all() { return runs_; }
    // The Tailnets that there are, and those that devices join.
    [[nodiscard]] const std::set<std::string, std::less<>>& tailnets() const { return tailnets_; }
    [[nodiscard]] Run& last() { return runs_.back(); }

    void print_diagnostics(Console& console) const;
    // Returns the diagnostics of all runs, each once.
    [[nodiscard]] std::vector<ShownDiagnostic> diagnostics() const;
    // Returns the first line of each warning.
    [[nodiscard]] std::vector<std::string> warnings() const;
    // Prints all diagnostics and the last line `N errors, M warnings; <ending>`; returns 1.
    int fail(Console& console, std::string_view ending = "nothing written") const;
    // Prints the same for a verb that writes nothing, without the last line if `quiet` and there
    // are no errors. Returns 0 if there are no errors, else 1.
    int finish(Console& console, std::string_view ending, bool quiet) const;
    // Adds an error to the last run, or to a new one if there is none, and calls fail.
    int refuse(Diagnostic diagnostic, Console& console,
               std::string_view ending = "nothing written");

private:
    bool render_all(const repo::LoadOptions& options, const std::vector<std::string>& names,
                    const Take& take, std::deque<Diagnostics>& later);

    std::deque<Run> runs_;
    std::set<std::string, std::less<>> tailnets_;
    bool all_diagnostics_;
};

}  // namespace renderer::cli

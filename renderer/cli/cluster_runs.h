// Holds the runs of one command, one per cluster that it renders. Nothing is written for any
// cluster unless all of them can be rendered. A diagnostic that is the same in several runs is
// printed once.
#pragma once

#include <deque>
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

    // Renders each cluster of `.tailrender.yaml`, or only the one that the options name. Returns
    // false if there are errors.
    bool render_each(const repo::LoadOptions& options);
    // Adds one run. Returns false if there are errors.
    bool render_one(repo::LoadOptions options, generate::Form form = generate::Form::Tree);

    [[nodiscard]] std::deque<Run>& all() { return runs_; }
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
    std::deque<Run> runs_;
    bool all_diagnostics_;
};

}  // namespace renderer::cli

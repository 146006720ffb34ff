// The runs of one command: one per cluster that it is about. They end together, since nothing is
// written for any cluster unless all of them can be rendered, and what several of them have to say
// in the same words is said once.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/console.h"
#include "renderer/core/shown_diagnostic.h"
#include "renderer/pipeline.h"

namespace renderer {

class ClusterRuns {
public:
    // `all_diagnostics`: also equal ones are printed whole.
    explicit ClusterRuns(bool all_diagnostics) : all_diagnostics_(all_diagnostics) {}

    // A run per cluster of `.tailrender.yaml` when the options name none; else one.
    // False when there are errors.
    bool render_each(const LoadOptions& options);
    // One run.
    bool render_one(LoadOptions options, Form form = Form::Tree);

    [[nodiscard]] std::deque<Run>& all() { return runs_; }
    [[nodiscard]] Run& last() { return runs_.back(); }

    void print_diagnostics(Console& console) const;
    // Returns the diagnostics of all runs, each once.
    [[nodiscard]] std::vector<ShownDiagnostic> diagnostics() const;
    // The first line of each warning.
    [[nodiscard]] std::vector<std::string> warnings() const;
    // Prints all diagnostics and the last line `N errors, M warnings; <ending>`; returns 1.
    int fail(Console& console, std::string_view ending = "nothing written") const;
    // The same for what writes nothing: the line is left out when `quiet` and nothing is an error.
    // Returns 0 without errors.
    int finish(Console& console, std::string_view ending, bool quiet) const;
    // As fail, after one more error, in the last run or in none.
    int refuse(Diagnostic diagnostic, Console& console,
               std::string_view ending = "nothing written");

private:
    std::deque<Run> runs_;
    bool all_diagnostics_;
};

}  // namespace renderer

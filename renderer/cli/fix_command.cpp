#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "renderer/cli/commands.h"
#include "renderer/emit/edits.h"
#include "renderer/emit/tree/files.h"
#include "renderer/load/tree/link_guard.h"

namespace renderer {

namespace {

namespace fs = std::filesystem;

// A link stays one, and the file keeps its mode.
Result<Unit> rewrite(const std::string& path, std::string_view text) {
    const std::string real = canonical_path(path);
    std::error_code error;
    const fs::perms mode = fs::status(real, error).permissions();
    TRY(replace_file(real, real + ".tailrender-fix", text, Durable::Yes));
    fs::permissions(real, mode, error);
    return Unit{};
}

}  // namespace

Result<int> run_fix(const Options& options, ClusterRuns& runs, Console& console) {
    LoadOptions load = options.load;
    load.only_generated = true;
    load.fixes_sources = true;
    if (!runs.render_one(std::move(load))) {
        return runs.fail(console);
    }
    const Run& run = runs.last();
    std::map<SourceId, std::vector<Edit>> by_source;
    for (const Edit& edit : run.plan.edits) {
        if (edit.in_source) {
            by_source[edit.source].push_back(edit);
        }
    }
    const SourceMap& sources = run.loaded.sources;
    std::string told;
    for (const auto& [source, edits] : by_source) {
        const std::string_view text = sources.text(source);
        std::string fixed;
        EditIndex(edits).append(fixed, text, source, {0, text.size()});
        TRY(rewrite(std::string(sources.path(source)), fixed));
        for (const Edit& edit : edits) {
            told += fmt::format("{}: {}\n", sources.describe(sources.pos(source, edit.begin)),
                                edit.reason);
        }
    }
    runs.print_diagnostics(console);
    if (!options.quiet) {
        console.err(told.empty() ? "nothing to fix\n" : told);
    }
    return 0;
}

}  // namespace renderer

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "renderer/cli/commands.h"
#include "renderer/cli/rewrite.h"
#include "renderer/emit/edits.h"
#include "renderer/repo/link_guard.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {

namespace {

// Checks that the file is below `root`, because a kustomization may name files outside of it.
Result<Unit> check_place(const std::string& path, const std::string& root) {
    if (repo::is_within(repo::canonical_path(path), repo::canonical_path(root))) {
        return Unit{};
    }
    return Error{{.rule = "source-edit",
                  .where = path,
                  .message = "this file is outside the path to fix",
                  .found = fmt::format("PATH \"{}\"", root),
                  .hint = "fix a directory that holds both"}};
}

}  // namespace

Result<int> run_fix(const Options& options, ClusterRuns& runs, Console& console) {
    repo::LoadOptions load = options.load;
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
    std::vector<Rewrite> files;
    std::string told;
    for (const auto& [source, edits] : by_source) {
        const std::string path(sources.path(source));
        const std::string_view text = sources.text(source);
        std::string fixed;
        emit::EditIndex(edits).append(fixed, text, source, {0, text.size()});
        TRY(check_place(path, options.load.path));
        files.push_back(TRY(Rewrite::prepare(path, fixed)));
        for (const Edit& edit : edits) {
            told += fmt::format("{}: {}\n", sources.describe(sources.pos(source, edit.begin)),
                                edit.reason);
        }
    }
    for (Rewrite& file : files) {
        if (Result<Unit> done = file.finish(); !done) {
            return runs.refuse(std::move(done.error().diagnostic), console,
                               "some sources may be fixed, and others not, until a run succeeds");
        }
    }
    runs.print_diagnostics(console);
    if (!options.quiet) {
        console.err(told.empty() ? "nothing to fix\n" : told);
    }
    return 0;
}

}  // namespace renderer::cli

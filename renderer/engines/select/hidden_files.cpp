#include "renderer/engines/select/hidden_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/engines/argo/argo_units.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/liveness.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

// Flux leaves these out of a source. Source: fluxcd/pkg sourceignore/sourceignore.go.
constexpr std::array<std::string_view, 10> kNeverApplied = {
    ".git",       ".github",         ".circleci",  ".travis.yml", ".gitlab-ci.yml",
    ".drone.yml", ".goreleaser.yml", ".sops.yaml", ".flux.yaml",  ".tailrender.yaml"};

// Directories of other services and programs, and an archive.
constexpr std::array<std::string_view, 20> kOfOthers = {
    ".gitea",      ".forgejo",      ".gitlab",       ".woodpecker",       ".terraform", ".venv",
    ".direnv",     ".cache",        ".devcontainer", ".archive",          ".taskfiles", ".vscode",
    ".mypy_cache", ".pytest_cache", ".tox",          ".terragrunt-cache", ".npm",       ".yarn",
    ".next",       ".worktrees"};

template <std::size_t kCount>
bool has_name_in(const std::array<std::string_view, kCount>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

bool is_of_a_program(std::string_view name) {
    return has_name_in(kOfOthers, name) || has_name_in(kNeverApplied, name);
}

class HiddenFiles {
public:
    HiddenFiles(const SelectContext& context, const GitOpsTree& repository,
                const UnitChoice& choice)
        : context_(context), repository_(repository), choice_(choice) {}

    void refuse(const BuildUnit& unit) {
        const repo::WalkedDir* top = repository_.find(unit.dir);
        const bool is_built = top != nullptr && !top->kustomizations.empty();
        if (!is_built && !unit.chart && !unit.artifact) {
            // What is in a bundle of Fleet is not in the repository of the other engines either.
            visit(unit, unit.dir,
                  repo::has_hidden_name(repo::relative_path(unit.dir, repository_.root())));
        }
    }

    // Reports what the directory holds, unless an error names one of its files.
    void report(const std::string& dir, bool are_applied) {
        if (choice_.ignores_below(dir) || repository_.find(dir) != nullptr) {
            return;
        }
        Held held;
        collect(dir, held);
        const bool is_refused = std::ranges::any_of(
            refused_, [&](const std::string& path) { return repo::is_within(path, dir); });
        if (held.first.empty() || is_refused) {
            return;
        }
        const bool is_error = held.has_units && !are_applied;
        const std::string shown = shell_word(dir);
        context_.build.diagnostics
            .say(is_error ? Severity::Error : Severity::Warning, "hidden-file", {},
                 fmt::format("the {} in this directory are not read, because its name begins with "
                             "a dot",
                             held.has_units ? "objects of Flux or Argo CD" : "inputs"))
            .where(dir)
            .found(held.first)
            .expected("a directory whose name does not begin with a dot")
            .hint(fmt::format("rename it, or use --include {}; --ignore {} if no cluster applies "
                              "it",
                              shown, shown));
    }

private:
    struct Held {
        std::string first;  // the first file with an object of an engine, else with an input
        bool has_units = false;
    };

    // Copies of a repository have objects that are not its own, and output has none that count.
    [[nodiscard]] bool is_of_others(const std::string& dir) const {
        return repo::is_rendered_tree(context_.build.tree, dir) ||
               context_.build.tree.kind(repo::join_path(dir, ".git")) != repo::EntryKind::Missing;
    }

    void collect(const std::string& dir, Held& held) {
        if (is_of_others(dir)) {
            return;
        }
        const Result<std::vector<repo::Entry>> entries = context_.build.tree.list(dir);
        for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
            const std::string path = repo::join_path(dir, entry.name);
            const bool is_read = repository_.find(path) != nullptr;
            if (entry.is_link || is_read || choice_.ignores_below(path) ||
                is_of_a_program(entry.name)) {
                continue;
            }
            if (entry.kind == repo::EntryKind::Directory) {
                collect(path, held);
            } else if (entry.kind == repo::EntryKind::File && repo::is_manifest_name(entry.name)) {
                take(path, held);
            }
        }
    }

    void take(const std::string& path, Held& held) {
        const std::vector<std::string>& words = context_.options.input_words;
        Result<std::string> text = context_.build.tree.read(path);
        const bool has_units = text && says_unit(*text) && holds_objects(path, *text);
        if (!has_units &&
            (!text || !repo::mentions_input(*text, words) || !has_input(path, *text, words))) {
            return;
        }
        if (held.first.empty() || (has_units && !held.has_units)) {
            held.first = path;
        }
        held.has_units = held.has_units || has_units;
        context_.build.selection.standings.all.push_back(
            {.name = fmt::format("file {}", path),
             .liveness = Liveness::Unknown,
             .reason = "a name in its path begins with a dot",
             .text = std::move(*text),
             .is_hidden = true});
    }

    void visit(const BuildUnit& unit, const std::string& dir, bool is_hidden) {
        const Result<std::vector<repo::Entry>> entries = context_.build.tree.list(dir);
        for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
            const std::string path = repo::join_path(dir, entry.name);
            const bool is_here = is_hidden || entry.name.starts_with('.');
            if (has_name_in(kNeverApplied, entry.name) || entry.is_link ||
                choice_.ignores_below(path)) {
                continue;
            }
            const repo::WalkedDir* known = repository_.find(path);
            if (entry.kind == repo::EntryKind::File) {
                if (is_here && repo::is_manifest_name(entry.name) &&
                    takes_manifest(unit, repo::relative_path(path, unit.dir))) {
                    refuse(unit, path);
                }
            } else if (entry.kind == repo::EntryKind::Directory &&
                       unit.files != UnitFiles::Directory &&
                       (known == nullptr ? is_here : known->kustomizations.empty())) {
                visit(unit, path, is_here);
            }
        }
    }

    void refuse(const BuildUnit& unit, const std::string& path) {
        const Result<std::string> text = context_.build.tree.read(path);
        if (!text || !repo::mentions_input(*text, context_.options.input_words) ||
            !refused_.insert(path).second) {
            return;
        }
        context_.build.diagnostics
            .error("hidden-file", {},
                   fmt::format("{} applies this file, but names that begin with a dot are not read",
                               unit.name))
            .where(path)
            .found("\"tailscale\" in the file")
            .expected("a path in which no name begins with a dot")
            .hint("rename it, or use --ignore with its directory");
    }

    const SelectContext& context_;
    const GitOpsTree& repository_;
    const UnitChoice& choice_;
    std::set<std::string> refused_;
};

}  // namespace

void report_hidden_files(const SelectContext& context, const GitOpsTree& repository,
                         const std::vector<BuildUnit>& units, const UnitChoice& choice,
                         bool are_applied) {
    HiddenFiles files(context, repository, choice);
    for (const BuildUnit& unit : units) {
        if (are_applied && is_rendered(unit, context.options.skip_suspended) &&
            !choice.ignores_below(unit.dir)) {
            files.refuse(unit);
        }
    }
    for (const repo::WalkedDir* dir : repository.dirs()) {
        for (const std::string& name : dir->hidden_dirs) {
            if (!dir->is_outside && !is_of_a_program(name)) {
                files.report(repo::join_path(dir->path, name), are_applied);
            }
        }
    }
}

}  // namespace renderer::engines

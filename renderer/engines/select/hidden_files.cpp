#include "renderer/engines/select/hidden_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "renderer/engines/argo/argo_units.h"
#include "renderer/engines/liveness.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

// Flux leaves these out of a source. Source: fluxcd/pkg sourceignore/sourceignore.go.
constexpr std::array<std::string_view, 10> kNeverApplied = {
    ".git",       ".github",         ".circleci",  ".travis.yml", ".gitlab-ci.yml",
    ".drone.yml", ".goreleaser.yml", ".sops.yaml", ".flux.yaml",  ".tailrender.yaml"};

class HiddenFiles {
public:
    HiddenFiles(const SelectContext& context, const GitOpsTree& repository,
                const UnitChoice& choice)
        : context_(context), repository_(repository), choice_(choice) {}

    void refuse(const BuildUnit& unit) {
        const repo::WalkedDir* top = repository_.find(unit.dir);
        const bool is_built = top != nullptr && !top->kustomizations.empty();
        if (!is_built && !unit.chart && !unit.artifact) {
            visit(unit, unit.dir, top == nullptr);
        }
    }

private:
    void visit(const BuildUnit& unit, const std::string& dir, bool is_hidden) {
        const Result<std::vector<repo::Entry>> entries = context_.build.tree.list(dir);
        for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
            const std::string path = repo::join_path(dir, entry.name);
            const bool is_here = is_hidden || entry.name.starts_with('.');
            if (std::ranges::find(kNeverApplied, entry.name) != kNeverApplied.end() ||
                entry.is_link || choice_.ignores_below(path)) {
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

void refuse_hidden_files(const SelectContext& context, const GitOpsTree& repository,
                         const std::vector<BuildUnit>& units, const UnitChoice& choice) {
    HiddenFiles files(context, repository, choice);
    for (const BuildUnit& unit : units) {
        if (is_rendered(unit, context.options.skip_suspended) && !choice.ignores_below(unit.dir)) {
            files.refuse(unit);
        }
    }
}

}  // namespace renderer::engines

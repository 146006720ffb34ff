#include "renderer/engines/unit_content.h"

#include <algorithm>

#include "renderer/core/text_of.h"
#include "renderer/engines/argo/argo_units.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

class Content {
public:
    Content(const GitOpsTree& repository, KustomizationReader& reader, BuildUnit& unit)
        : repository_(repository),
          tree_(unit.artifact ? unit.artifact->tree : repository.tree()),
          reader_(unit.artifact ? unit.artifact->reader : reader),
          unit_(unit) {}

    void run() {
        for (const Value& entry :
             items_of(unit_.changes == nullptr ? nullptr : unit_.changes->find("components"))) {
            const std::string dir = repo::normal_path(repo::join_path(unit_.dir, text_of(entry)));
            unit_.claims.merge(find_build_files(tree_, reader_, repository_.root(), dir).paths);
        }
        const repo::WalkedDir* top = repository_.find(unit_.dir);
        if (top == nullptr) {
            return;
        }
        if (has_kustomization(*top) && !unit_.ignores_kustomization) {
            add_build(*top);
        } else if (unit_.chart) {
            add_chart(*top);
        } else {
            walk(*top);
        }
    }

private:
    [[nodiscard]] bool has(const repo::WalkedDir& dir, const std::string& name) const {
        return !unit_.artifact ||
               tree_.kind(repo::join_path(dir.path, name)) == repo::EntryKind::File;
    }

    [[nodiscard]] bool has_kustomization(const repo::WalkedDir& dir) const {
        return std::ranges::any_of(dir.kustomizations,
                                   [&](const std::string& name) { return has(dir, name); });
    }

    // Directories below a kustomization are only included by it. All builds have to be checked, not
    // only the last one: "home-lab" sorts between "home" and "home/app".
    [[nodiscard]] bool is_below_build(const repo::WalkedDir& dir) const {
        return std::ranges::any_of(unit_.builds, [&](const std::string& build) {
            return repo::is_within(dir.path, build);
        });
    }

    void add_build(const repo::WalkedDir& dir) {
        unit_.builds.push_back(dir.path);
        unit_.claims.merge(find_build_files(tree_, reader_, repository_.root(), dir.path).paths);
    }

    // Helm renders the templates, but all files of the chart are part of the unit.
    void add_chart(const repo::WalkedDir& top) {
        for (const repo::WalkedDir* dir : repository_.dirs()) {
            if (repo::is_within(dir->path, top.path) && dir->is_outside == top.is_outside) {
                for (const std::string& name : dir->files) {
                    unit_.claims.insert(repo::join_path(dir->path, name));
                }
            }
        }
    }

    void walk(const repo::WalkedDir& top) {
        for (const repo::WalkedDir* dir : repository_.dirs()) {
            const bool is_top = dir == &top;
            const bool is_generated = unit_.files == UnitFiles::Generated;
            if (!repo::is_within(dir->path, top.path) || dir->is_outside != top.is_outside ||
                (!is_top && unit_.files == UnitFiles::Directory) || is_below_build(*dir)) {
                continue;
            }
            const bool is_build = !is_top && is_generated && has_kustomization(*dir);
            const std::string beside = is_build ? repo::parent_path(dir->path) : dir->path;
            if (is_generated && dir->in_chart && is_in_chart(top, beside)) {
                continue;  // Flux skips the files of a chart
            }
            if (is_build) {
                add_build(*dir);
            } else {
                add_manifests(*dir);
            }
        }
    }

    // True if the directory is in a chart that is part of the unit; a chart above the unit does not
    // count.
    [[nodiscard]] bool is_in_chart(const repo::WalkedDir& top, std::string dir) const {
        for (; repo::is_within(dir, top.path); dir = repo::parent_path(dir)) {
            const repo::WalkedDir* known = repository_.find(dir);
            if (known == nullptr || known->has_chart) {
                return known != nullptr;
            }
            if (dir == repo::parent_path(dir)) {
                break;
            }
        }
        return false;
    }

    void add_manifests(const repo::WalkedDir& dir) {
        for (const std::string& name : dir.files) {
            const std::string path = repo::join_path(dir.path, name);
            const bool is_kustomization =
                std::ranges::find(dir.kustomizations, name) != dir.kustomizations.end();
            if (!is_manifest(name) || is_kustomization ||
                !takes_manifest(unit_, repo::relative_path(path, unit_.dir)) || skips(path) ||
                !has(dir, name) || (dir.in_chart && !repository_.is_chart_manifest(path))) {
                continue;
            }
            unit_.manifests.push_back(path);
            unit_.claims.insert(path);
        }
    }

    // The kustomization that Flux generates lists no JSON. Source: fluxcd/pkg
    // kustomize/kustomize_generator.go.
    [[nodiscard]] bool is_manifest(std::string_view name) const {
        const bool is_json = name.ends_with(".json");
        return repo::is_manifest_name(name) &&
               !(is_json && unit_.is_flux && unit_.files == UnitFiles::Generated);
    }

    [[nodiscard]] bool skips(const std::string& path) const {
        return unit_.files != UnitFiles::Generated && repository_.is_skipped(path);
    }

    const GitOpsTree& repository_;
    const repo::SourceTree& tree_;
    KustomizationReader& reader_;
    BuildUnit& unit_;
};

}  // namespace

void find_content(const GitOpsTree& repository, KustomizationReader& reader, BuildUnit& unit) {
    Content(repository, reader, unit).run();
}

}  // namespace renderer::engines

#include "renderer/cli/init/repository.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/engine_object.h"
#include "renderer/engines/engines.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::cli {
namespace {

constexpr std::string_view kChart = "tailscale-operator";
constexpr std::string_view kImage = "tailscale/k8s-operator";
constexpr std::string_view kFleetGroup = "fleet.cattle.io/";

using engines::BuildUnit;

class Look {
public:
    Look(const repo::LoadOptions& options, SourceMap& sources, Diagnostics& diagnostics)
        : options_(options),
          sources_(sources),
          diagnostics_(diagnostics),
          tree_(repo::source_tree(options)) {}

    Repository run() {
        engines::UnitList list = engines::list_units(options_, sources_, diagnostics_);
        found_.units = std::move(list.units);
        for (std::size_t i = 0; i < list.inputs.size(); ++i) {
            found_.inputs += found_.units[i].state == engines::UnitState::Live ? list.inputs[i] : 0;
        }
        const repo::EntryKind github = kind_of(".github");
        found_.ci = github == repo::EntryKind::Directory                 ? Ci::GitHub
                    : kind_of(".gitlab-ci.yml") == repo::EntryKind::File ? Ci::GitLab
                                                                         : Ci::None;
        read_files();
        choose_applier();
        if (found_.units.empty()) {
            for (const auto& [dir, names] : list.unreached) {
                found_.inputs += names.size();
            }
        }
        if (found_.applier == Applier::Flux || found_.applier == Applier::ArgoCd) {
            find_place();
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] repo::EntryKind kind_of(std::string_view name) const {
        return tree_->kind(repo::join_path(options_.path, name));
    }

    std::vector<Value> objects_in(const std::string& path) {
        std::vector<Value> objects;
        Result<std::string> text = tree_->read(path);
        if (!text) {
            return objects;
        }
        const SourceId source = sources_.add(path, std::move(*text));
        for (const ScannedDocument& document : scan_documents(sources_, source)) {
            Diagnostics ignored;  // a render reports these errors
            engines::add_objects(read_yaml(sources_, source, document.range, ignored), objects);
        }
        return objects;
    }

    // Finds the operator's chart or image, and the targets of Fleet.
    void read_files() {
        Diagnostics ignored;
        for (const repo::WalkedDir& dir : repo::walk_tree(*tree_, repo::normal_path(options_.path),
                                                          options_.output_dir, ignored)) {
            for (const std::string& name : dir.files) {
                if (repo::is_manifest_name(name) && !dir.in_chart) {
                    read_file(repo::join_path(dir.path, name));
                }
            }
            for (const std::string& name : dir.fleet_files) {
                found_.fleet_files.push_back(repo::join_path(dir.path, name));
            }
        }
    }

    void read_file(const std::string& path) {
        const Result<std::string> text = tree_->read(path);
        const bool may_install = text && (text.value().find(kChart) != std::string::npos ||
                                          text.value().find(kImage) != std::string::npos);
        const bool may_target = text && text.value().find(kFleetGroup) != std::string::npos;
        if (!may_install && !may_target) {
            return;
        }
        for (const Value& object : objects_in(path)) {
            if (const Value* operator_part = operator_in(object)) {
                found_.operators.push_back(sources_.describe(operator_part->pos()));
            }
            if (engines::is_kind(object, kFleetGroup, "GitRepo")) {
                has_git_repo_ = true;
                for (const Value& target : items_of(object.at({"spec", "targets"}))) {
                    add_cluster(text_of(target, {"clusterName"}));
                }
            }
        }
    }

    // Returns the name of the chart, or the image.
    static const Value* operator_in(const Value& object) {
        const Value* found = nullptr;
        repo::for_each_value(object, [&](const Value& value) {
            const Value* chart = value.is_map() ? value.find("chart") : nullptr;
            const Value* image = value.is_map() ? value.find("image") : nullptr;
            const bool is_dependency =
                value.is_map() && text_of(value, {"name"}) == kChart &&
                (value.find("repo") != nullptr || value.find("repository") != nullptr);
            if (found != nullptr) {
                return;
            }
            if (text_of(chart) == kChart) {
                found = chart;
            } else if (is_dependency) {
                found = value.find("name");
            } else if (text_of(image).find(kImage) != std::string_view::npos) {
                found = image;
            }
        });
        return found;
    }

    void add_cluster(std::string_view name) {
        if (!name.empty() && std::ranges::find(found_.clusters, name) == found_.clusters.end()) {
            found_.clusters.emplace_back(name);
        }
    }

    void choose_applier() {
        const auto is_live = [](const BuildUnit& unit, bool is_flux) {
            return unit.state == engines::UnitState::Live && unit.is_flux == is_flux;
        };
        const auto has = [&](bool is_flux) {
            return std::ranges::any_of(
                found_.units, [&](const BuildUnit& unit) { return is_live(unit, is_flux); });
        };
        if (has(true)) {
            found_.applier = Applier::Flux;
            for (const BuildUnit& unit : found_.units) {
                add_cluster(unit.cluster);
            }
        } else if (has(false)) {
            found_.applier = Applier::ArgoCd;
        } else if (has_git_repo_ || !found_.fleet_files.empty()) {
            found_.applier = Applier::Fleet;
        }
    }

    [[nodiscard]] bool is_candidate(const BuildUnit& unit) const {
        return unit.state == engines::UnitState::Live && !unit.file.empty() &&
               unit.is_flux == (found_.applier == Applier::Flux);
    }

    // Takes the directory that holds the objects of the first root, as that applies it.
    void find_place() {
        for (const BuildUnit& root : found_.units) {
            if (root.parent != SIZE_MAX || !is_candidate(root)) {
                continue;
            }
            const auto is_inside = [&](const BuildUnit& unit) {
                return is_candidate(unit) && repo::is_within(unit.file, root.dir);
            };
            const bool has_objects = std::ranges::any_of(found_.units, is_inside);
            if (has_objects || found_.objects_dir.empty()) {
                found_.objects_dir = has_objects ? root.dir : repo::parent_path(root.file);
                found_.is_dir_applied = has_objects;
            }
            if (has_objects) {
                break;
            }
        }
        for (const BuildUnit& unit : found_.units) {
            if (is_candidate(unit) && found_.model.is_null()) {
                take_model(unit);
            }
        }
    }

    void take_model(const BuildUnit& unit) {
        for (Value& object : objects_in(unit.file)) {
            const bool is_model =
                found_.applier == Applier::Flux
                    ? engines::is_kind(object, engines::kFluxGroup, "Kustomization") &&
                          object.at({"spec", "sourceRef", "name"}) != nullptr
                    : engines::is_kind(object, engines::kArgoGroup, "Application") &&
                          !text_of(object, {"spec", "source", "repoURL"}).empty() &&
                          object.at({"spec", "source", "path"}) != nullptr;
            if (is_model) {
                found_.model = std::move(object);
                return;
            }
        }
    }

    const repo::LoadOptions& options_;
    SourceMap& sources_;
    Diagnostics& diagnostics_;
    std::shared_ptr<const repo::SourceTree> tree_;
    Repository found_;
    bool has_git_repo_ = false;
};

}  // namespace

std::string Repository::applied_by(std::string_view dir) const {
    const auto applies = [&](const BuildUnit& unit) {
        const bool has_kustomization =
            std::ranges::find(unit.builds, unit.dir) != unit.builds.end();
        const bool is_below = unit.files != engines::UnitFiles::Directory && !has_kustomization &&
                              repo::is_within(dir, unit.dir);
        return unit.state == engines::UnitState::Live && (unit.dir == dir || is_below);
    };
    const auto found = std::ranges::find_if(units, applies);
    return found == units.end() ? "" : found->name;
}

Repository look_at(const repo::LoadOptions& options, SourceMap& sources, Diagnostics& diagnostics) {
    return Look(options, sources, diagnostics).run();
}

}  // namespace renderer::cli

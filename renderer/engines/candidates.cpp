#include "renderer/engines/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/argo/argo_units.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/flux_units.h"
#include "renderer/engines/flux/resource_set.h"
#include "renderer/engines/flux/resource_set_units.h"
#include "renderer/engines/hooks.h"
#include "renderer/engines/kustomize/left_out.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/naming.h"
#include "renderer/engines/unit_content.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

bool Candidate::claims(const std::string& path) const {
    return std::ranges::any_of(units,
                               [&](const BuildUnit& unit) { return holds_manifest(unit, path); });
}

bool holds_manifest(const BuildUnit& unit, const std::string& path) {
    return has_content(unit) && !unit.chart && unit.claims.contains(path);
}

bool applies(const Candidate& parent, const Candidate& child) {
    const bool is_mutual = child.claims(parent.file) && &parent > &child;
    return &parent != &child && parent.claims(child.file) && !is_mutual;
}

namespace {

BuildUnit incomplete_unit(const EngineObject& object, IncompleteObject incomplete) {
    const std::string_view name = text_of(object.root, {"metadata", "name"});
    const std::string_view ns = text_of(object.root, {"metadata", "namespace"});
    const bool is_flux = !is_kind(object.root, kArgoGroup, text_of(object.root, {"kind"}));
    BuildUnit unit;
    unit.name = name.empty()
                    ? fmt::format("{} in {}", text_of(object.root, {"kind"}), object.file)
                    : fmt::format("{} {}{}{}", text_of(object.root, {"kind"}), is_flux ? ns : "",
                                  is_flux && !ns.empty() ? "/" : "", name);
    unit.file = object.file;
    unit.is_flux = is_flux;
    unit.state = UnitState::Refused;
    unit.reason = std::move(incomplete.message);
    unit.pos = incomplete.pos;
    unit.naming = naming_tailscale(object.root.find("spec"));
    return unit;
}

// Returns why an Application that the set no longer makes stays, or what it applied does; "" if
// both are deleted. Source: argo-cd docs/operator-manual/applicationset/
// Controlling-Resource-Modification.md.
std::string why_set_keeps(const Value& set) {
    const std::string_view sync = text_of(set, {"spec", "syncPolicy", "applicationsSync"});
    if (sync == "create-only" || sync == "create-update") {
        return fmt::format("spec.syncPolicy.applicationsSync is {}", sync);
    }
    return spelling_of(set.at({"spec", "syncPolicy", "preserveResourcesOnDeletion"})) == "true"
               ? "spec.syncPolicy.preserveResourcesOnDeletion is true"
               : std::string();
}

bool has_parameters(const Value* value) {
    return text_of(value).find("{{") != std::string_view::npos ||
           std::ranges::any_of(items_of(value),
                               [](const Value& item) { return has_parameters(&item); }) ||
           std::ranges::any_of(members_of(value),
                               [](const Member& member) { return has_parameters(&member.value); });
}

// True if all Applications of a set have the sources of its template as they are.
bool has_constant_sources(const Value& set) {
    const auto has_template = [](const Value& generator) {
        return std::ranges::any_of(members_of(&generator), [](const Member& kind) {
            return kind.value.find("template") != nullptr;
        });
    };
    return set.at({"spec", "template", "spec"}) != nullptr &&
           set.at({"spec", "templatePatch"}) == nullptr &&
           std::ranges::none_of(items_of(set.at({"spec", "generators"})), has_template) &&
           std::ranges::none_of(
               std::initializer_list<std::string_view>{"source", "sources", "sourceHydrator"},
               [&](std::string_view field) {
                   return has_parameters(set.at({"spec", "template", "spec", field}));
               });
}

}  // namespace

std::vector<BuildUnit> Candidates::units_of(const EngineObject& object, bool is_final,
                                            bool may_skip) {
    std::vector<BuildUnit> units;
    if (may_skip && is_skipped(object.root)) {
        return units;
    }
    const bool is_set = is_resource_set(object.root);
    const bool is_kustomization = is_kind(object.root, kFluxGroup, "Kustomization");
    const bool is_application = is_kind(object.root, kArgoGroup, "Application");
    const bool is_application_set = is_kind(object.root, kArgoGroup, "ApplicationSet");
    if (!is_set && !is_kustomization && !is_application && !is_application_set) {
        return units;
    }
    std::optional<IncompleteObject> found =
        is_final ? incomplete_object(object.root) : std::nullopt;
    if (found) {
        units.push_back(incomplete_unit(object, std::move(*found)));
    } else if (is_set) {
        return units_of_resource_set(object, input_providers(),
                                     [&](const auto& made) { return units_of(made, is_final); });
    } else if (is_kustomization) {
        units.push_back(flux_unit(repository_, object));
    } else if (is_application) {
        units = argo_units(repository_, object);
    } else {
        units = set_units(object);
        found = units.empty() ? incomplete_object(object.root) : std::nullopt;
        if (found) {
            units.push_back(incomplete_unit(object, std::move(*found)));
        }
    }
    const std::optional<IncompleteObject> lacking = lacking_settings(object.root);
    for (BuildUnit& unit : units) {
        if (has_content(unit)) {
            find_content(repository_, reader_, unit);
        }
        if (lacking) {
            unit.rejected.emplace_back(unit.name, *lacking);
        }
    }
    return units;
}

std::vector<const Value*> Candidates::input_providers() const {
    std::vector<const Value*> found;
    for (const EngineObject& object : repository_.objects()) {
        if (is_input_provider(object.root)) {
            found.push_back(&object.root);
        }
    }
    return found;
}

// Returns the directory of all Applications of a set, "" if it is not known or if files that they
// apply may be elsewhere: in a chart, in a remote part of a kustomization, or in other units.
std::string Candidates::set_directory(const EngineObject& set) {
    if (!has_constant_sources(set.root)) {
        return {};
    }
    std::vector<BuildUnit> units = argo_units(
        repository_, {.file = set.file, .root = set.root.at({"spec", "template"})->clone()});
    if (units.size() != 1) {
        return {};
    }
    BuildUnit& all = units.front();
    if (!has_content(all) || all.chart || all.changes || all.ignores_kustomization ||
        all.files != UnitFiles::Directory) {
        return {};
    }
    find_content(repository_, reader_, all);
    const auto has_remote_part = [&](const std::string& path) {
        if (!repo::is_kustomization_name(repo::base_name(path))) {
            return false;
        }
        const Kustomization* file = reader_.find(repo::parent_path(path));
        return file == nullptr || !file->root.is_map() ||
               !left_out_of(repository_.tree(), reader_, *file).empty();
    };
    const bool has_units = std::ranges::any_of(
        repository_.objects(),
        [&](const EngineObject& object) { return all.claims.contains(object.file); });
    return has_units || std::ranges::any_of(all.claims, has_remote_part) ? std::string() : all.dir;
}

std::vector<BuildUnit> Candidates::set_units(const EngineObject& set) {
    ExpandedSet expanded = sets_.expand(set);
    std::vector<BuildUnit> units;
    for (const EngineObject& application : expanded.applications) {
        std::optional<IncompleteObject> found = incomplete_object(application.root);
        if (found) {
            units.push_back(incomplete_unit(application, std::move(*found)));
        } else {
            std::ranges::move(argo_units(repository_, application), std::back_inserter(units));
        }
    }
    const Pos place = set.root.find("kind")->pos();
    const std::string name =
        fmt::format("ApplicationSet {}", text_of(set.root, {"metadata", "name"}));
    for (BuildUnit& unit : units) {
        unit.pos = unit.pos.known() ? unit.pos : place;
        unit.set = name;
    }
    const auto add_rest = [&](UnitState state, std::string reason, std::string dir) {
        BuildUnit& rest = units.emplace_back();
        rest.name = name;
        rest.file = set.file;
        rest.dir = std::move(dir);
        rest.state = state;
        rest.rest = UnitRest::Set;
        rest.reason = std::move(reason);
        rest.pos = place;
    };
    if (!expanded.unresolved.empty()) {
        add_rest(UnitState::Unresolved, std::move(expanded.unresolved), set_directory(set));
    }
    if (std::string why = why_set_keeps(set.root); !why.empty()) {
        add_rest(UnitState::Kept, std::move(why), {});
    }
    return units;
}

void Candidates::find() {
    for (const EngineObject& object : repository_.objects()) {
        const bool is_of_argo = is_kind(object.root, kArgoGroup, text_of(object.root, {"kind"}));
        std::vector<BuildUnit> units = units_of(object, false, is_of_argo);
        if (!units.empty()) {
            const bool is_flux = units.front().is_flux;
            const bool is_first = is_flux && is_bootstrap(object, units.front());
            std::string name = fmt::format("{} {}", text_of(object.root, {"kind"}),
                                           text_of(object.root, {"metadata", "name"}));
            Candidate& found = all_.emplace_back(
                Candidate{object.file, std::move(name), is_flux, is_first, std::move(units)});
            if (std::optional<IncompleteObject> incomplete = incomplete_object(object.root)) {
                found.is_partial = incomplete->is_missing && !has_own_field(object.root);
                found.refused = incomplete_unit(object, std::move(*incomplete));
                found.refused->cluster = found.units.front().cluster;
            }
        }
    }
}

std::vector<const Candidate*> Candidates::self_applied() const {
    std::vector<const Candidate*> found;
    for (const Candidate& candidate : all_) {
        if (candidate.is_bootstrap || (candidate.is_flux && candidate.claims(candidate.file))) {
            found.push_back(&candidate);
        }
    }
    return found;
}

void Candidates::add_names(const Candidate& root, RootFolder& folder) const {
    std::vector<const Candidate*> known = {&root};
    for (std::size_t i = 0; i < known.size(); ++i) {
        for (const BuildUnit& unit : known[i]->units) {
            if (unit.cluster != kOwnCluster) {
                continue;
            }
            for (const std::string& name : {known[i]->name, unit.name}) {
                RootFolder::Name& one = folder.names[name];
                one.is_root = one.is_root || i == 0;
                one.dirs.insert(unit.dir);
            }
        }
        for (const Candidate& one : all_) {
            if (!one.is_flux && known[i]->claims(one.file) &&
                std::ranges::find(known, &one) == known.end()) {
                known.push_back(&one);
            }
        }
    }
}

}  // namespace renderer::engines

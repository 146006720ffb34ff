#include "renderer/engines/flux/unit_variables.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/encrypted.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/liveness.h"

namespace renderer::engines {

namespace {

// `is_applied`: of an object that its own unit may change: a value with variables is not known.
// `file`: that has the object, "" if none has.
void add_variables(const Value* map, bool is_applied, const std::string& file,
                   UnitVariables& variables) {
    for (const Member& member : members_of(map)) {
        std::string name(spelling_of(member.key));
        std::string text(spelling_of(member.value));
        std::erase(text, '\n');
        if (is_applied && text.find("${") != std::string::npos) {
            variables.values.erase(name);
            variables.may_have_more = true;
            variables.is_whole = false;
        } else if (is_encrypted_text(text)) {
            variables.values.erase(name);
            variables.secret.insert(std::move(name));
            variables.is_whole = false;
        } else {
            variables.files.insert_or_assign(name, file);
            variables.values.insert_or_assign(std::move(name), std::move(text));
        }
    }
}

// Returns the unit with the file that is nearest to being applied in this cluster, null if none has
// it.
const BuildUnit* owner_of(const std::vector<BuildUnit>& units, const std::string& file) {
    const BuildUnit* owner = nullptr;
    for (const BuildUnit& one : units) {
        const bool is_nearer = owner == nullptr || owner->state == UnitState::OtherCluster ||
                               liveness_of(one) == Liveness::Applied;
        if (is_nearer && one.claims.contains(file)) {
            owner = &one;
        }
    }
    return owner;
}

}  // namespace

std::shared_ptr<const UnitVariables> variables_of(GitOpsTree& repository,
                                                  const Value& kustomization,
                                                  const std::string& file) {
    std::shared_ptr<const UnitVariables> named =
        repository.variable_sources().substitutes().values.empty()
            ? nullptr
            : std::make_shared<const UnitVariables>(repository.variable_sources().substitutes());
    const Value* post_build = kustomization.at({"spec", "postBuild"});
    if (post_build == nullptr) {
        return named;
    }
    UnitVariables variables;
    variables.is_whole = true;
    const auto from = items_of(post_build->at({"substituteFrom"}));
    for (const Value& one : from) {
        const bool is_secret = text_of(one, {"kind"}) == "Secret";
        const std::string_view name = text_of(one, {"name"});
        const Value* found = repository.variable_sources().find(
            {name, text_of(kustomization, {"metadata", "namespace"}), file, is_secret});
        if (found != nullptr && is_secret) {
            for (const std::string_view field : {"data", "stringData"}) {
                for (const Member& member : members_of(found->find(field))) {
                    variables.secret.emplace(member.name());
                    variables.values.erase(std::string(member.name()));
                }
            }
        } else if (found != nullptr) {
            add_variables(found->find("data"), true, repository.variable_sources().file_of(*found),
                          variables);
        }
        variables.may_have_more = variables.may_have_more || found == nullptr;
        variables.is_whole = variables.is_whole && found != nullptr && !is_secret;
        if (repository.variable_sources().substitutes().values.empty() && !is_secret &&
            spelling_of(one.find("optional")) != "true" &&
            !repository.variable_sources().has_config_map(name)) {
            variables.faults.push_back({one.pos(), std::string(name)});
        }
    }
    add_variables(post_build->at({"substitute"}), false, {}, variables);
    for (const Member& member : members_of(post_build->find("substitute"))) {
        if (!is_variable_name(spelling_of(member.key))) {
            variables.faults.push_back(
                {member.key.pos(), std::string(spelling_of(member.key)), true});
        }
    }
    const bool always = text_of(*post_build, {"substituteStrategy"}) == "Always";
    const bool runs =
        !from.empty() || !variables.values.empty() || !variables.secret.empty() || always;
    variables.values.insert(repository.variable_sources().substitutes().values.begin(),
                            repository.variable_sources().substitutes().values.end());
    return runs ? std::make_shared<const UnitVariables>(std::move(variables)) : named;
}

std::shared_ptr<const UnitVariables> settled_variables(const std::vector<BuildUnit>& units,
                                                       const BuildUnit& unit,
                                                       const UnitVariables& named) {
    if (unit.variables == nullptr || unit.variables->files.empty()) {
        return unit.variables;
    }
    UnitVariables settled = *unit.variables;
    settled.files.clear();
    std::map<std::string_view, const BuildUnit*> owners;
    for (const auto& [name, file] : unit.variables->files) {
        const auto [known, is_new] = owners.emplace(file, nullptr);
        if (is_new) {
            known->second = owner_of(units, file);
        }
        const BuildUnit* owner = known->second;
        if (owner != nullptr && owner->state == UnitState::OtherCluster) {
            settled.values.erase(name);
            if (const auto given = named.values.find(name); given != named.values.end()) {
                settled.values.insert(*given);
            }
            settled.may_have_more = true;
            settled.is_whole = false;
        } else if (owner != nullptr && liveness_of(*owner) != Liveness::Applied) {
            settled.unapplied.emplace(name, fmt::format("{}: {}", owner->name, owner->reason));
        }
    }
    return std::make_shared<const UnitVariables>(std::move(settled));
}

}  // namespace renderer::engines

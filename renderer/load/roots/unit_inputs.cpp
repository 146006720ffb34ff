#include "renderer/load/roots/unit_inputs.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

constexpr std::array<std::string_view, 7> kArchives = {
    "archive", "archived", ".archive", "disabled", "deprecated", "legacy", "standby"};

}  // namespace

std::size_t input_count(GitOpsTree& repository, const BuildUnit& unit) {
    return static_cast<std::size_t>(std::ranges::count_if(
        unit.claims, [&](const std::string& path) { return repository.holds_input(path); }));
}

bool is_archived(const GitOpsTree& repository, const std::string& path) {
    for (std::string part = relative_path(path, repository.root());
         part != "." && part != parent_path(part); part = parent_path(part)) {
        if (std::ranges::find(kArchives, base_name(part)) != kArchives.end()) {
            return true;
        }
    }
    return false;
}

bool are_applied(const std::vector<BuildUnit>& units) {
    return std::ranges::any_of(units, [](const BuildUnit& unit) {
        return (unit.state == UnitState::Live && !unit.claims.empty() && !unit.is_chart_root) ||
               unit.rest == UnitRest::Chart;
    });
}

std::map<std::string, std::vector<std::string>> unreached_inputs(
    GitOpsTree& repository, const std::vector<BuildUnit>& units) {
    std::set<std::string> reached;
    for (const BuildUnit& unit : units) {
        reached.insert(unit.claims.begin(), unit.claims.end());
    }
    std::map<std::string, std::vector<std::string>> unreached;
    for (const WalkedDir* dir : repository.dirs()) {
        for (const std::string& name : dir->files) {
            const std::string path = join_path(dir->path, name);
            if (is_manifest_name(name) && !dir->in_chart && !reached.contains(path) &&
                repository.holds_input(path)) {
                unreached[dir->path].push_back(name);
            }
        }
    }
    return unreached;
}

}  // namespace renderer

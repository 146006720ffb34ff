#include "renderer/engines/unit_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/core/edit_distance.h"
#include "renderer/engines/argo/application_charts.h"
#include "renderer/engines/chart_releases.h"
#include "renderer/engines/kustomize/helm_charts.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/engines/unit_content.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::array<std::string_view, 7> kArchives = {
    "archive", "archived", ".archive", "disabled", "deprecated", "legacy", "standby"};

// True if the file installs the operator's chart.
bool file_installs_operator(const GitOpsTree& repository, const std::string& path) {
    const auto mention = repository.mentions().find(path);
    if (mention == repository.mentions().end() || !mention->second) {
        return false;
    }
    Result<std::string> text = repository.tree().read(path);
    if (!text || text->find(kOperatorChart) == std::string::npos) {
        return false;
    }
    const bool is_kustomization = repo::is_kustomization_name(repo::base_name(path));
    const std::vector<EngineObject> objects = repository.read(path, std::move(*text));
    return std::ranges::any_of(objects, [&](const EngineObject& object) {
        return is_kustomization
                   ? installs_operator(chart_releases_of_kustomization(object.root, path))
                   : installs_operator(object.root);
    });
}

// True for an Application with the operator's chart as its source.
bool has_operator_source(const BuildUnit& unit) {
    return unit.chart && (unit.state == UnitState::External || has_content(unit)) &&
           is_operator_chart(chart_of_source(unit.chart->source));
}

}  // namespace

std::size_t input_count(GitOpsTree& repository, const BuildUnit& unit) {
    return static_cast<std::size_t>(std::ranges::count_if(
        unit.claims, [&](const std::string& path) { return repository.holds_input(path); }));
}

bool gives_inputs(GitOpsTree& repository, const std::vector<BuildUnit>& units, std::size_t index) {
    return std::ranges::any_of(units, [&](const BuildUnit& unit) {
        std::size_t above = unit.parent;
        while (above != index && above != SIZE_MAX) {
            above = units[above].parent;
        }
        return above == index && has_content(unit) && input_count(repository, unit) > 0;
    });
}

std::set<std::string> operator_files(const GitOpsTree& repository, const BuildUnit& unit) {
    std::set<std::string> files;
    if (has_operator_source(unit)) {
        files.insert(unit.file);
    }
    if (has_content(unit)) {
        std::ranges::copy_if(
            unit.claims, std::inserter(files, files.end()),
            [&](const std::string& path) { return file_installs_operator(repository, path); });
    }
    return files;
}

bool is_archived(const GitOpsTree& repository, const std::string& path) {
    for (std::string part = repo::relative_path(path, repository.root());
         part != "." && part != repo::parent_path(part); part = repo::parent_path(part)) {
        if (std::ranges::find(kArchives, repo::base_name(part)) != kArchives.end()) {
            return true;
        }
    }
    return false;
}

void add_refused_files(const GitOpsTree& repository,
                       const std::function<bool(const std::string&)>& is_root,
                       std::vector<BuildUnit>& units) {
    const bool are_applied = std::ranges::any_of(units, has_content);
    for (const RefusedFile& file : repository.refused_files()) {
        const auto parent = std::ranges::find_if(units, [&](const BuildUnit& unit) {
            return has_content(unit) && !unit.chart && unit.claims.contains(file.path);
        });
        const bool is_claimed = parent != units.end();
        const bool may_apply =
            are_applied || (file.is_misspelled && !file.may_be_patch && !file.is_release);
        if (is_claimed ? file.may_be_patch : !may_apply || !is_root(file.path)) {
            continue;
        }
        BuildUnit unit;
        if (!is_claimed) {
            Result<std::string> text = repository.tree().read(file.path);
            if (!text || (!file.is_misspelled && !says_unit(*text))) {
                continue;
            }
            unit.text = std::move(*text);
        }
        unit.name = fmt::format("file {}", file.path);
        unit.file = file.path;
        unit.is_file = true;
        unit.state = UnitState::Refused;
        unit.reason = file.why;
        unit.pos = file.pos;
        unit.naming = file.naming;
        if (is_claimed) {
            unit.parent = static_cast<std::size_t>(parent - units.begin());
            unit.cluster = parent->cluster;
        }
        units.push_back(std::move(unit));
    }
}

std::map<std::string, std::vector<std::string>> unreached_inputs(
    GitOpsTree& repository, const std::vector<BuildUnit>& units) {
    std::set<std::string> reached;
    for (const BuildUnit& unit : units) {
        reached.insert(unit.claims.begin(), unit.claims.end());
    }
    std::map<std::string, std::vector<std::string>> unreached, operators;
    bool has_operator = std::ranges::any_of(units, has_operator_source);
    const ChartDirs charts = chart_dirs(repository.dirs());
    for (const repo::WalkedDir* dir : repository.dirs()) {
        for (const std::string& name : dir->files) {
            const std::string path = repo::join_path(dir->path, name);
            if (!repo::is_manifest_name(name) || dir->is_outside ||
                is_part_of_chart(charts, path)) {
                continue;
            }
            const bool is_reached = reached.contains(path);
            if (!is_reached && repository.holds_input(path)) {
                unreached[dir->path].push_back(name);
            } else if (!has_operator && file_installs_operator(repository, path)) {
                has_operator = is_reached;
                operators[dir->path].push_back(name);
            }
        }
    }
    for (auto& [dir, names] : operators) {
        if (!has_operator && !is_archived(repository, dir)) {
            std::ranges::move(names, std::back_inserter(unreached[dir]));
        }
    }
    return unreached;
}

std::string could_apply(const GitOpsTree& repository, KustomizationReader& reader,
                        const BuildUnit& unit,
                        const std::map<std::string, std::vector<std::string>>& unreached) {
    std::set<std::string> files;
    for (const auto& [dir, names] : unreached) {
        for (const std::string& name : names) {
            files.insert(repo::join_path(dir, name));
        }
    }
    const std::string path = repo::relative_path(unit.dir, repository.root());
    if (path.empty() || files.empty()) {
        return files.empty() ? std::string() : *files.begin();
    }
    // The path may be a directory of the tree, end in one, or have a typo.
    for (const bool is_exact : {true, false}) {
        for (const repo::WalkedDir* dir : repository.dirs()) {
            const std::string from_top = fmt::format("/{}", dir->relative);
            const bool is_meant =
                is_exact ? from_top.ends_with("/" + path) || (!unit.is_flux && from_top != "/" &&
                                                              ("/" + path).ends_with(from_top))
                         : edit_distance(path, dir->relative) == 1;
            if (dir->is_outside || !is_meant) {
                continue;
            }
            BuildUnit there;
            there.dir = dir->path;
            there.loads_any = unit.loads_any;
            find_content(repository, reader, there);
            for (const std::string& file : there.claims) {
                if (files.contains(file)) {
                    return file;
                }
            }
        }
    }
    return {};
}

}  // namespace renderer::engines

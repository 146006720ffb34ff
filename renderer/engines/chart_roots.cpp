#include "renderer/engines/chart_roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/engines/engine_groups.h"
#include "renderer/engines/unit_content.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

bool makes_engine_objects(const GitOpsTree& repository, const BuildUnit& unit) {
    const std::string templates = repo::join_path(unit.dir, "templates");
    return std::ranges::any_of(unit.claims, [&](const std::string& path) {
        const Result<std::string> text =
            repo::is_within(path, templates) ? repository.tree().read(path) : Result(std::string());
        return text && may_hold_engine(*text) &&
               (text->find("Application") != std::string::npos ||
                text->find(kFluxGroup) != std::string::npos);
    });
}

Value as_application(const repo::WalkedDir& dir) {
    Value metadata = Value::map();
    metadata.put("name", repo::base_name(dir.path));
    Value object = Value::map({{"kind", "Chart"}});
    object.put("metadata", std::move(metadata));
    return object;
}

}  // namespace

std::vector<BuildUnit> charts_of_engines(const GitOpsTree& repository,
                                         KustomizationReader& reader) {
    std::vector<BuildUnit> found;
    for (const repo::WalkedDir* dir : repository.dirs()) {
        const repo::WalkedDir* above = repository.find(repo::parent_path(dir->path));
        if (!dir->has_chart || dir->is_outside ||
            (above != nullptr && above != dir && above->in_chart)) {
            continue;
        }
        BuildUnit unit;
        unit.name = fmt::format("chart {}", dir->relative.empty() ? "." : dir->relative);
        unit.file = repo::join_path(dir->path, "Chart.yaml");
        unit.dir = dir->path;
        unit.files = UnitFiles::Directory;
        unit.is_chart_root = true;
        unit.chart = std::make_shared<const ChartUnit>(
            ChartUnit{.application = as_application(*dir), .source = Value::map()});
        find_content(repository, reader, unit);
        if (makes_engine_objects(repository, unit)) {
            found.push_back(std::move(unit));
        }
    }
    return found;
}

}  // namespace renderer::engines

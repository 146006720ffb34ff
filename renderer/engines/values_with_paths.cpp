#include "renderer/engines/values_with_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/chart_roots.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/unit_inputs.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// Fields beside the path of a source, or of a Kustomization.
constexpr std::array<std::string_view, 5> kBesidePath = {"repoURL", "sourceRef", "targetRevision",
                                                         "prune", "recurse"};

struct PathInValues {
    std::string path;
    Pos pos;
};

std::string_view chart_of_release(const Value& release) {
    for (const Value* chart :
         {release.at({"spec", "chart", "spec", "chart"}), release.at({"spec", "chartRef", "name"}),
          release.at({"spec", "chart"})}) {
        if (!text_of(chart).empty()) {
            return text_of(chart);
        }
    }
    return {};
}

bool makes_units(std::string_view kind) {
    return kind == "Kustomization" || kind == "Application" || kind == "ApplicationSet";
}

class ChartsWithPaths {
public:
    ChartsWithPaths(GitOpsTree& repository, std::vector<BuildUnit>& units)
        : repository_(repository), units_(units) {}

    void run() {
        const std::size_t count = units_.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (units_[i].chart && units_[i].state == UnitState::External) {
                const std::shared_ptr<const ChartUnit> chart = units_[i].chart;
                add(text_of(chart->source, {"chart"}), units_[i].file, i,
                    chart->source.find("helm"));
            }
        }
        const bool is_followed = are_applied(units_);
        for (const EngineObject& release : repository_.releases()) {
            const std::size_t parent = parent_of(release.file);
            const std::string_view chart = chart_of_release(release.root);
            const bool is_here =
                repository_.tree().kind(repo::join_path(repository_.directory(chart),
                                                        "Chart.yaml")) == repo::EntryKind::File;
            if (!is_here && (parent != SIZE_MAX || !is_followed)) {
                add(chart, release.file, parent, release.root.find("spec"));
            }
        }
    }

private:
    // Returns the unit that applies the file, SIZE_MAX if none does.
    [[nodiscard]] std::size_t parent_of(const std::string& file) const {
        const auto parent = std::ranges::find_if(units_, [&](const BuildUnit& unit) {
            return has_content(unit) && !unit.chart && unit.claims.contains(file);
        });
        return parent == units_.end() ? SIZE_MAX
                                      : static_cast<std::size_t>(parent - units_.begin());
    }

    void add(std::string_view chart, const std::string& file, std::size_t parent,
             const Value* values) {
        const std::optional<PathInValues> found = values == nullptr ? std::nullopt : find(*values);
        if (!found) {
            return;
        }
        BuildUnit unknown = unknown_chart(units_, parent, chart,
                                          fmt::format("path \"{}\" in its values", found->path));
        unknown.file = file;
        unknown.pos = found->pos;
        units_.push_back(std::move(unknown));
    }

    // Returns the first path of a directory with inputs that nothing applies. A text may hold
    // values or an object. `is_below_unit`: the value is part of an object that applies a path.
    std::optional<PathInValues> find(const Value& value, bool is_below_unit = false) {
        is_below_unit = is_below_unit || makes_units(text_of(value, {"kind"}));
        if (value.is_string() && value.text().find("path:") != std::string_view::npos) {
            for (const EngineObject& part : repository_.read("values", std::string(value.text()))) {
                if (std::optional<PathInValues> found = find(part.root, is_below_unit)) {
                    found->pos = value.pos();
                    return found;
                }
            }
        }
        if (const Value* path = value.is_map() ? value.find("path") : nullptr;
            path != nullptr && is_meant(value, text_of(path), is_below_unit)) {
            return PathInValues{std::string(text_of(path)), path->pos()};
        }
        for (const Member& member : members_of(&value)) {
            if (std::optional<PathInValues> found = find(member.value, is_below_unit)) {
                return found;
            }
        }
        for (const Value& item : items_of(&value)) {
            if (std::optional<PathInValues> found = find(item, is_below_unit)) {
                return found;
            }
        }
        return std::nullopt;
    }

    // Other values have paths, too, such as "/" of an Ingress.
    bool is_meant(const Value& map, std::string_view path, bool is_below_unit) {
        const bool is_of_source =
            is_below_unit || std::ranges::any_of(kBesidePath, [&](std::string_view key) {
                return map.find(key) != nullptr;
            });
        const std::string dir = repository_.directory(path);
        if (path.empty() ||
            (!is_of_source && (!path.starts_with("./") || dir == repository_.root()))) {
            return false;
        }
        if (!unreached_) {
            unreached_ = unreached_inputs(repository_, units_);
        }
        return std::ranges::any_of(
            *unreached_, [&](const auto& one) { return repo::is_within(one.first, dir); });
    }

    GitOpsTree& repository_;
    std::vector<BuildUnit>& units_;
    std::optional<std::map<std::string, std::vector<std::string>>> unreached_;
};

}  // namespace

void add_charts_with_paths(GitOpsTree& repository, std::vector<BuildUnit>& units) {
    ChartsWithPaths(repository, units).run();
}

}  // namespace renderer::engines

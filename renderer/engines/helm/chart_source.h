// The files of a chart that is at hand, in the tree or in a directory of charts that the user
// names, with those of the charts that it depends on. Source: helm pkg/chart/loader, and
// https://helm.sh/docs/topics/charts/ (dependencies, `file://`).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/fetch/chart_fetcher.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

constexpr std::string_view kChartFile = "Chart.yaml";
constexpr std::string_view kLocalChart = "file://";  // of a repository: a directory

struct ChartSource {
    std::string place;                         // where it is, for messages
    std::string entry;                         // what helm is given: "chart" or "chart.tgz"
    std::map<std::string, std::string> files;  // by path, which begins with the entry
    std::size_t bytes = 0;                     // of what was read for it
    int charts = 0;                            // that it depends on
    std::set<std::string> operator_keys = {};  // of the operator's values, where it has one

    [[nodiscard]] bool is_archive() const { return entry.ends_with(".tgz"); }
};

// The version in NAME-VERSION.tgz; "" for another file.
std::string_view version_in(std::string_view file, std::string_view name);

class ChartLibrary {
public:
    // `tree` outlives it; `root`: the top of it. `dirs`: on the disk, each with charts as
    // NAME/Chart.yaml or NAME-VERSION.tgz. `fetcher`: may be none.
    ChartLibrary(const SourceTree& tree, const std::string& root, std::vector<std::string> dirs,
                 std::shared_ptr<ChartFetcher> fetcher);

    // None: it is not at hand. Fails where several could be meant, and where a file cannot be read.
    [[nodiscard]] Result<std::optional<ChartSource>> find(const ChartRelease& release) const;

    // Of one that is not at hand. None: nothing is fetched, or a path in the tree is meant.
    [[nodiscard]] Result<std::optional<ChartSource>> fetch(const ChartRelease& release) const;

    // Adds what a chart of the tree depends on and does not hold. Fails where that is not at hand,
    // and, with `fetches`, where it cannot be fetched either. The operator's chart is not needed:
    // an empty one takes its place.
    [[nodiscard]] Result<bool> complete(ChartSource& chart, bool fetches) const;

private:
    [[nodiscard]] Result<std::optional<ChartSource>> fetch_from(const ChartAddress& address) const;
    [[nodiscard]] Result<std::optional<ChartSource>> in_dirs(std::string_view name,
                                                             std::string_view version) const;
    [[nodiscard]] Result<std::optional<ChartSource>> in_tree(const std::string& dir) const;
    [[nodiscard]] Result<bool> add_dependencies(const std::string& dir, int depth, bool fetches,
                                                ChartSource& chart) const;

    const SourceTree& tree_;
    std::string root_;
    std::vector<std::string> dirs_;
    DiskTree disk_;
    std::shared_ptr<ChartFetcher> fetcher_;
};

}  // namespace renderer

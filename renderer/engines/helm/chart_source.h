// The files of a chart in the tree or in a directory of charts that the user names, including the
// charts that it depends on. Source: helm pkg/chart/loader, and https://helm.sh/docs/topics/charts/
// (dependencies, `file://`).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/fetch/chart_fetcher.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

constexpr std::string_view kChartFile = "Chart.yaml";
constexpr std::string_view kLocalChart = "file://";  // prefix of a repository that is a directory

// Returns a file of a chart, Null if it does not exist or cannot be parsed.
Value read_chart(const repo::SourceTree& tree, const std::string& path);

struct ChartSource {
    std::string place;                         // where the chart is, for messages
    std::string entry;                         // the argument of helm: "chart" or "chart.tgz"
    std::map<std::string, std::string> files;  // by path, which begins with the entry
    std::size_t bytes = 0;                     // read for this chart
    int charts = 0;                            // number of dependencies
    // Keys of the operator's values, if it is a dependency.
    std::set<std::string> operator_keys = {};

    [[nodiscard]] bool is_archive() const { return entry.ends_with(".tgz"); }
};

// Returns the version in NAME-VERSION.tgz, "" for other files.
std::string_view version_in(std::string_view file, std::string_view name);

class ChartLibrary {
public:
    // `tree` must outlive this object. Uses the options path, fetcher, chart_dirs and
    // configured_chart_dirs.
    ChartLibrary(const repo::SourceTree& tree, const repo::LoadOptions& options);

    // Returns nothing if the chart is not available locally. Fails if several charts match, or a
    // file cannot be read.
    [[nodiscard]] Result<std::optional<ChartSource>> find(const ChartRelease& release) const;

    // Fetches a chart that find() did not return. Returns nothing if there is no fetcher, or the
    // chart is a path in the tree.
    [[nodiscard]] Result<std::optional<ChartSource>> fetch(const ChartRelease& release) const;

    // Adds the dependencies that are missing in the chart. Fails if one is not available locally
    // and, with `fetches`, cannot be fetched. The operator's chart is replaced by an empty one.
    [[nodiscard]] Result<bool> complete(ChartSource& chart, bool fetches) const;

private:
    [[nodiscard]] Result<std::optional<ChartSource>> fetch_from(
        const repo::ChartAddress& address) const;
    // Searches directories that hold charts as NAME/Chart.yaml or NAME-VERSION.tgz.
    [[nodiscard]] static Result<std::optional<ChartSource>> in_dirs(
        const repo::SourceTree& tree, const std::vector<std::string>& dirs, std::string_view name,
        std::string_view version);
    // Searches the directories of the command line, then those of .tailrender.yaml.
    [[nodiscard]] Result<std::optional<ChartSource>> at_hand(std::string_view name,
                                                             std::string_view version) const;
    [[nodiscard]] Result<std::optional<ChartSource>> in_tree(const std::string& dir) const;
    [[nodiscard]] Result<bool> add_dependencies(const std::string& dir, int depth, bool fetches,
                                                ChartSource& chart) const;

    const repo::SourceTree& tree_;
    std::string root_;
    std::vector<std::string> dirs_, configured_dirs_;
    repo::DiskTree disk_;
    std::shared_ptr<repo::ChartFetcher> fetcher_;
};

}  // namespace renderer::engines

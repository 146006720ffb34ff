#include "renderer/engines/helm/chart_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/helm/operator_dependency.h"
#include "renderer/engines/helm/version_range.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

Value read_chart(const repo::SourceTree& tree, const std::string& path) {
    const Result<std::string> text =
        tree.kind(path) == repo::EntryKind::File ? tree.read(path) : Result(std::string());
    return text ? read_text(*text) : Value();
}

namespace {

constexpr int kDeepestChart = 16;
constexpr std::size_t kMaxChart = std::size_t{64} << 20U;
constexpr std::size_t kMostFiles = 10000;
constexpr int kMostCharts = 200;  // dependencies of one chart, counted each time they are used
constexpr std::string_view kArchive = ".tgz";

Error cannot_use(std::string place, std::string found, std::string expected, std::string hint) {
    return Error{{.rule = "chart-not-usable",
                  .where = std::move(place),
                  .message = "this chart cannot be rendered",
                  .found = std::move(found),
                  .expected = std::move(expected),
                  .hint = std::move(hint)}};
}

// Adds a file. Fails if the chart becomes too large.
Result<bool> add_file(const repo::SourceTree& tree, const std::string& path,
                      const std::string& name, ChartSource& chart) {
    std::string text = TRY(tree.read(path));
    chart.bytes += text.size();
    if (chart.bytes > kMaxChart || chart.files.size() >= kMostFiles) {
        return cannot_use(chart.place, "more than 64 MiB or 10000 files",
                          "at most 64 MiB and 10000 files, with all dependencies",
                          "helm template CHART | tailrender post-render");
    }
    chart.files[name] = std::move(text);
    return true;
}

Result<bool> add_directory(const repo::SourceTree& tree, const std::string& dir,
                           const std::string& as, int depth, ChartSource& chart) {
    for (const repo::Entry& entry : TRY(tree.list(dir))) {
        const std::string path = repo::join_path(dir, entry.name);
        const std::string name = repo::join_path(as, entry.name);
        if (entry.kind == repo::EntryKind::File) {
            (void)TRY(add_file(tree, path, name, chart));
        } else if (entry.kind == repo::EntryKind::Directory) {
            if (entry.is_link || depth == kDeepestChart) {
                return cannot_use(
                    path, entry.is_link ? "a link to a directory" : "too many nested directories",
                    entry.is_link ? "directories"
                                  : fmt::format("at most {} levels of directories", kDeepestChart),
                    entry.is_link ? "copy the directory in place of the link" : "");
            }
            (void)TRY(add_directory(tree, path, name, depth + 1, chart));
        }
    }
    return true;
}

bool holds_chart(const ChartSource& chart, const std::string& below, std::string_view name) {
    return std::ranges::any_of(chart.files, [&](const auto& file) {
        if (!file.first.starts_with(below)) {
            return false;
        }
        const std::string_view rest = std::string_view(file.first).substr(below.size());
        return rest.starts_with(fmt::format("{}/", name)) || !version_in(rest, name).empty();
    });
}

// Moves the files of `part` into `chart`, below `path`.
void merge(ChartSource& part, const std::string& path, ChartSource& chart) {
    for (auto& [name, text] : part.files) {
        chart.files[path + name.substr(part.entry.size())] = std::move(text);
    }
    chart.bytes = part.bytes;
    chart.charts = part.charts;
    chart.operator_keys.merge(part.operator_keys);
}

}  // namespace

std::string_view version_in(std::string_view file, std::string_view name) {
    const bool is_named = file.size() > name.size() + 1 + kArchive.size() &&
                          file.starts_with(name) && file[name.size()] == '-' &&
                          file.ends_with(kArchive);
    if (!is_named) {
        return {};
    }
    file.remove_prefix(name.size() + 1);
    file.remove_suffix(kArchive.size());
    const std::string_view digits = file.starts_with('v') ? file.substr(1) : file;
    return !digits.empty() && digits.front() >= '0' && digits.front() <= '9' ? file
                                                                             : std::string_view();
}

ChartLibrary::ChartLibrary(const repo::SourceTree& tree, const repo::LoadOptions& options)
    : tree_(tree),
      root_(repo::normal_path(options.path)),
      dirs_(options.chart_dirs),
      configured_dirs_(options.configured_chart_dirs),
      disk_({}, dirs_),
      fetcher_(options.fetcher) {}

Result<std::optional<ChartSource>> ChartLibrary::in_dirs(const repo::SourceTree& tree,
                                                         const std::vector<std::string>& dirs,
                                                         std::string_view name,
                                                         std::string_view version) {
    std::vector<std::string> found;
    if (name.empty() || name.starts_with('.') || name.find('/') != std::string_view::npos) {
        return cannot_use(std::string(name), fmt::format("name \"{}\"", name),
                          "the name of a chart",
                          "name the chart only, and its directory with --charts DIR");
    }
    for (const std::string& dir : dirs) {
        const std::string folder = repo::join_path(dir, name);
        const std::string file = repo::join_path(folder, kChartFile);
        if (tree.kind(file) == repo::EntryKind::File) {
            const Value chart = read_text(TRY(tree.read(file)));
            if (is_in_range(scalar_text(chart.find("version")), version)) {
                found.push_back(folder);
            }
        }
        for (const repo::Entry& entry : TRY(tree.list(dir))) {
            const std::string_view at = version_in(entry.name, name);
            if ((!at.empty() && is_in_range(at, version)) ||
                (entry.name == name && name.ends_with(kArchive))) {
                found.push_back(repo::join_path(dir, entry.name));
            }
        }
    }
    if (found.empty()) {
        return std::optional<ChartSource>();
    }
    if (found.size() > 1) {
        return cannot_use(std::string(name), fmt::format("{}", fmt::join(found, ", ")),
                          "one chart of this name and version", "remove the others");
    }
    ChartSource chart{.place = found.front(), .entry = "chart", .files = {}};
    if (found.front().ends_with(kArchive)) {
        chart.entry = "chart.tgz";
        (void)TRY(add_file(tree, found.front(), chart.entry, chart));
    } else {
        (void)TRY(add_directory(tree, found.front(), chart.entry, 0, chart));
    }
    return std::optional(std::move(chart));
}

Result<std::optional<ChartSource>> ChartLibrary::at_hand(std::string_view name,
                                                         std::string_view version) const {
    std::optional<ChartSource> found;
    if (!dirs_.empty()) {
        found = TRY(in_dirs(disk_, dirs_, name, version));
    }
    if (!found && !configured_dirs_.empty()) {
        found = TRY(in_dirs(tree_, configured_dirs_, name, version));
    }
    return found;
}

Result<std::optional<ChartSource>> ChartLibrary::in_tree(const std::string& dir) const {
    const bool is_inside = repo::is_within(tree_.real_path(dir), tree_.real_path(root_));
    if (!is_inside || tree_.kind(repo::join_path(dir, kChartFile)) != repo::EntryKind::File) {
        return std::optional<ChartSource>();
    }
    ChartSource chart{.place = dir, .entry = "chart", .files = {}};
    (void)TRY(add_directory(tree_, dir, chart.entry, 0, chart));
    return std::optional(std::move(chart));
}

// Adds what `helm dependency build` would.
Result<bool> ChartLibrary::add_dependencies(const std::string& dir, int depth, bool fetches,
                                            ChartSource& chart) const {
    // Charts of Helm 2 list their dependencies in a file of their own.
    auto file = chart.files.find(repo::join_path(chart.entry, "requirements.yaml"));
    if (file == chart.files.end()) {
        file = chart.files.find(repo::join_path(chart.entry, kChartFile));
    }
    if (file == chart.files.end() || depth == kDeepestChart) {
        return true;
    }
    const Value root = read_text(file->second);
    for (const Value& dependency : items_of(root.find("dependencies"))) {
        const std::string name(text_of(dependency, {"name"}));
        const std::string charts = repo::join_path(chart.entry, "charts/");
        const std::string_view repository = text_of(dependency, {"repository"});
        if (name.empty() || holds_chart(chart, charts, name)) {
            continue;
        }
        const bool is_local = repository.starts_with(kLocalChart);
        const std::string path =
            is_local
                ? repo::normal_path(repo::join_path(dir, repository.substr(kLocalChart.size())))
                : std::string();
        std::optional<ChartSource> part =
            is_local ? TRY(in_tree(path)) : TRY(at_hand(name, text_of(dependency, {"version"})));
        if (!part && !is_local && fetches && !repository.empty()) {
            part = TRY(fetch_from({.repository = std::string(repository),
                                   .chart = name,
                                   .version = std::string(text_of(dependency, {"version"}))}));
        }
        if (part && ++chart.charts > kMostCharts) {
            return cannot_use(chart.place, fmt::format("more than {} charts", kMostCharts),
                              fmt::format("at most {} charts", kMostCharts),
                              "check for charts that depend on each other");
        }
        if (!part) {
            return cannot_use(chart.place, fmt::format("no chart {}", name),
                              "the charts that it depends on, in its directory charts",
                              "use --charts DIR with a directory that contains it");
        }
        part->bytes += chart.bytes;
        part->charts = chart.charts;
        if (!empty_operator(*part)) {
            replace_operator(*part);
        }
        if (is_local) {
            (void)TRY(add_dependencies(path, depth + 1, fetches, *part));
        }
        const bool is_archive = part->is_archive();
        merge(*part, charts + (is_archive ? fmt::format("{}-0.tgz", name) : name), chart);
    }
    return true;
}

Result<std::optional<ChartSource>> ChartLibrary::find(const ChartRelease& release) const {
    if (!release.dir.empty()) {
        return in_tree(release.dir);
    }
    if (!release.archive.empty()) {
        ChartSource chart{.place = release.object, .entry = "chart.tgz", .files = {}};
        chart.bytes = release.archive.size();
        chart.files[chart.entry] = release.archive;
        return std::optional(std::move(chart));
    }
    std::string_view name = release.chart;
    while (name.ends_with('/')) {
        name.remove_suffix(1);
    }
    return at_hand(repo::base_name(name), release.version);
}

Result<std::optional<ChartSource>> ChartLibrary::fetch_from(
    const repo::ChartAddress& address) const {
    if (fetcher_ == nullptr) {
        return std::optional<ChartSource>();
    }
    ChartSource chart{.place = address.url(), .entry = "chart.tgz", .files = {}};
    std::string archive = TRY(fetcher_->fetch(address));
    chart.bytes = archive.size();
    chart.files[chart.entry] = std::move(archive);
    return std::optional(std::move(chart));
}

Result<std::optional<ChartSource>> ChartLibrary::fetch(const ChartRelease& release) const {
    return release.dir.empty() ? fetch_from(release.address) : Result(std::optional<ChartSource>());
}

Result<bool> ChartLibrary::complete(ChartSource& chart, bool fetches) const {
    replace_operator(chart);
    return add_dependencies(chart.place, 0, fetches, chart);
}

}  // namespace renderer::engines

#include "renderer/engines/manifest_files.h"

#include <algorithm>
#include <utility>

#include "renderer/base/parallel.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kMaxTextRead = std::size_t{1} << 30U;  // of all files together

}  // namespace

std::vector<std::string> manifests_of(const DirList& dirs, bool in_charts) {
    std::vector<std::string> paths;
    for (const repo::WalkedDir* dir : dirs) {
        for (const std::string& name : dir->files) {
            if (repo::is_manifest_name(name) && dir->in_chart == in_charts) {
                paths.push_back(repo::join_path(dir->path, name));
            }
        }
    }
    return paths;
}

ChartDirs chart_dirs(const DirList& dirs) {
    ChartDirs charts;
    for (const repo::WalkedDir* dir : dirs) {
        if (dir->has_chart) {
            charts.insert(dir->path);
        }
    }
    return charts;
}

bool is_part_of_chart(const ChartDirs& charts, std::string_view path) {
    std::string dir = repo::parent_path(path);
    for (std::string child; dir != child; child = std::exchange(dir, repo::parent_path(dir))) {
        const std::string inner =
            charts.contains(dir) ? repo::relative_path(path, dir) : std::string();
        if (inner.starts_with("templates/") || inner.starts_with("charts/") ||
            inner.starts_with("crds/") || inner == "Chart.yaml") {
            return true;
        }
    }
    return false;
}

std::vector<std::pair<std::string, std::string>> read_wanted(
    const repo::SourceTree& tree, const std::vector<std::string>& paths, unsigned threads,
    const std::function<bool(std::size_t, std::string_view)>& wanted) {
    std::vector<std::string> texts(paths.size());
    for_each_parallel(paths.size(), threads, [&](std::size_t i) {
        Result<std::string> text = tree.read(paths[i]);
        if (text && wanted(i, *text)) {
            texts[i] = std::move(*text);
        }
    });
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!texts[i].empty()) {
            found.emplace_back(paths[i], std::move(texts[i]));
        }
    }
    return found;
}

std::vector<EngineObject> read_objects(SourceMap& sources, const std::string& path,
                                       std::string text, std::vector<RefusedFile>* refused) {
    std::vector<EngineObject> found;
    if (sources.total_bytes() + text.size() >= kMaxTextRead) {
        return found;
    }
    const SourceId source = sources.add(path, std::move(text));
    for (const ScannedDocument& scanned : scan_documents(sources, source)) {
        Diagnostics discarded;
        Value root = read_yaml(sources, source, scanned.range, discarded);
        if (!discarded.has_errors() && root.is_map()) {
            std::vector<Value> objects;
            add_objects(std::move(root), objects);
            for (Value& object : objects) {
                found.push_back({path, std::move(object)});
            }
        } else if (discarded.has_errors() && refused != nullptr &&
                   (refused->empty() || refused->back().path != path)) {
            const auto error =
                std::ranges::find(discarded.all(), Severity::Error, &Diagnostic::severity);
            refused->push_back({path, error->pos, error->message});
        }
    }
    return found;
}

Value read_text(std::string_view text) {
    SourceMap sources;
    Diagnostics discarded;
    return read_yaml(sources, sources.add("", std::string(text)), discarded);
}

}  // namespace renderer::engines

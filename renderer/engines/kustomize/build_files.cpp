#include "renderer/engines/kustomize/build_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "renderer/core/text_of.h"
#include "renderer/engines/kustomize/plug_ins.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// The fields that have names and text, never paths.
constexpr std::array<std::string_view, 3> kTextFields = {"namespace", "literals", "patch"};

class BuildSearch {
public:
    BuildSearch(const repo::SourceTree& tree, KustomizationReader& reader, const std::string& root)
        : tree_(tree), reader_(reader), root_(root), real_root_(tree.real_path(root)) {}

    void build(const std::string& dir) {
        if (!entered_.insert(dir).second) {
            return;
        }
        const Kustomization* kustomization = reader_.find(dir);
        if (kustomization == nullptr || !kustomization->root.is_map()) {
            return directory(dir);
        }
        for (const std::string_view name : repo::kKustomizationNames) {
            named(repo::join_path(dir, name), false);
        }
        values(dir, kustomization->root);
        charts(dir, kustomization->root);
    }

    BuildFiles found;

private:
    // Adds the files of charts that are in the tree.
    void charts(const std::string& dir, const Value& root) {
        const std::string_view home = text_of(root, {"helmGlobals", "chartHome"});
        for (const Value& chart : items_of(root.find("helmCharts"))) {
            const std::string path =
                repo::join_path(home.empty() ? "charts" : home, text_of(chart, {"name"}));
            named(repo::normal_path(repo::join_path(dir, path)), false);
        }
    }

    void file(const std::string& path) {
        if (!found.paths.insert(path).second) {
            return;
        }
        found.mentions_tailscale = found.mentions_tailscale || reader_.mentions_tailscale(path);
    }

    // Adds all files of a directory without a kustomization, such as a chart.
    void directory(const std::string& dir) {
        const Result<std::vector<repo::Entry>> entries = tree_.list(dir);
        if (!entries) {
            return;
        }
        for (const repo::Entry& entry : *entries) {
            named(repo::join_path(dir, entry.name), entry.is_link);
        }
    }

    void named(const std::string& path, bool is_link) {
        const repo::EntryKind kind = tree_.kind(path);
        if (kind != repo::EntryKind::File && kind != repo::EntryKind::Directory) {
            return;
        }
        if (is_link || !repo::is_within(tree_.real_path(path), real_root_)) {
            found.leaves_root = true;
        } else if (kind == repo::EntryKind::File) {
            file(path);
        } else if (!reader_.is_rendered(path)) {
            build(path);
        }
    }

    // Adds the files that any text in a value names, including the path in a generator's
    // `key=path`.
    void values(const std::string& dir, const Value& value) {
        for (const Value& item : items_of(&value)) {
            values(dir, item);
        }
        if (value.is_map()) {
            for (const Member& member : value.members()) {
                if (std::ranges::find(kTextFields, member.name()) == kTextFields.end()) {
                    values(dir, member.value);
                }
            }
        }
        const std::string_view text = text_of(&value);
        const std::size_t equals = text.find('=');
        if (is_remote_resource(text) || text.find('\n') != std::string_view::npos) {
            return;
        }
        path(dir, text);
        if (equals != std::string_view::npos) {
            path(dir, text.substr(equals + 1));
        }
    }

    void path(const std::string& dir, std::string_view text) {
        if (text.empty() || text.size() > kLongestPath) {
            return;
        }
        if (text.starts_with('/')) {
            found.leaves_root = found.leaves_root ||
                                repo::is_within(tree_.real_path(std::string(text)), real_root_);
            return;
        }
        const std::string target = repo::normal_path(repo::join_path(dir, text));
        if (!repo::is_within(target, root_)) {
            found.leaves_root = true;  // even if it does not exist: it may exist beside a copy
        } else if (target != dir) {
            named(target, false);
        }
    }

    static constexpr std::size_t kLongestPath = 4096;  // PATH_MAX

    const repo::SourceTree& tree_;
    KustomizationReader& reader_;
    const std::string& root_;
    std::string real_root_;
    std::set<std::string> entered_;  // directories
};

class ChartSearch {
public:
    ChartSearch(const repo::SourceTree& tree, KustomizationReader& reader)
        : tree_(tree), reader_(reader) {}

    // `plug_ins`: the field whose entries kustomize executes.
    Pos build(const std::string& dir, std::string_view plug_ins) {
        const Kustomization* file = reader_.find(dir);
        if (!entered_.insert(dir).second || file == nullptr || !file->root.is_map()) {
            return {};
        }
        for (const std::string_view field : {"helmCharts", "helmChartInflationGenerator"}) {
            for (const Value& chart : items_of(file->root.find(field))) {
                return chart.pos();
            }
        }
        for (const Value& entry : items_of(file->root.find(plug_ins))) {
            if (makes_charts(tree_, dir, text_of(entry))) {
                return entry.pos();
            }
        }
        for (const Value& entry : items_of(file->root.find("generators"))) {
            const Pos pos =
                build(repo::normal_path(repo::join_path(dir, text_of(entry))), "resources");
            if (pos.known()) {
                return pos;
            }
        }
        for (const std::string& part : reader_.directories(*file)) {
            if (const Pos pos = build(part, "generators"); pos.known()) {
                return pos;
            }
        }
        return {};
    }

private:
    const repo::SourceTree& tree_;
    KustomizationReader& reader_;
    std::set<std::string> entered_;  // directories
};

}  // namespace

Pos find_helm_charts(const repo::SourceTree& tree, KustomizationReader& reader,
                     const std::string& dir) {
    return ChartSearch(tree, reader).build(dir, "generators");
}

BuildFiles find_build_files(const repo::SourceTree& tree, KustomizationReader& reader,
                            const std::string& root, const std::string& dir) {
    std::shared_ptr<const BuildFiles>& known = reader.build_files[fmt::format("{}\n{}", root, dir)];
    if (known == nullptr) {
        BuildSearch search(tree, reader, root);
        search.build(dir);
        known = std::make_shared<const BuildFiles>(std::move(search.found));
    }
    return *known;
}

}  // namespace renderer::engines

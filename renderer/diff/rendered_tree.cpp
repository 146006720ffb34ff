#include "renderer/diff/rendered_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/repo/inventory.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::diff {
namespace {

Error is_link(const std::string& inventory, std::string_view path) {
    return Error{{.rule = "unsafe-path",
                  .where = inventory,
                  .message = "a symbolic link in place of a rendered file",
                  .found = fmt::format("\"{}\"", path),
                  .expected = "a file in the inventory's directory"}};
}

// Finds symbolic links, which may point to a file that must not appear in a report.
class Links {
public:
    Links(const repo::SourceTree& tree, std::string root) : tree_(tree), root_(std::move(root)) {}

    // True if the path itself or a directory above it is a link.
    bool lead_to(std::string_view path) {
        for (std::size_t slash = 0; slash != std::string_view::npos;) {
            const std::size_t next = path.find('/', slash);
            const std::string dir =
                repo::join_path(root_, path.substr(0, slash > 0 ? slash - 1 : 0));
            if (in(dir).contains(path.substr(slash, next - slash))) {
                return true;
            }
            slash = next == std::string_view::npos ? next : next + 1;
        }
        return false;
    }

private:
    using Names = std::set<std::string, std::less<>>;

    const Names& in(const std::string& dir) {
        const auto [found, inserted] = links_.try_emplace(dir);
        if (inserted) {
            const Result<std::vector<repo::Entry>> entries = tree_.list(dir);
            for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
                if (entry.is_link) {
                    found->second.insert(entry.name);
                }
            }
        }
        return found->second;
    }

    const repo::SourceTree& tree_;
    std::string root_;
    std::map<std::string, Names> links_;
};

Result<ClusterTree> read_cluster(const repo::SourceTree& tree, const std::string& dir,
                                 std::string cluster) {
    ClusterTree found{std::move(cluster), {}};
    const std::string inventory = repo::join_path(dir, repo::kInventoryFile);
    const std::string text = TRY(tree.read(inventory));
    Links links(tree, dir);
    repo::TreeInventory listed = TRY(repo::read_inventory(inventory, text));
    const std::vector<std::string> paths = std::exchange(listed.files, {});
    found.inventory = std::move(listed);
    for (std::string path : paths) {
        if (links.lead_to(path)) {
            return is_link(inventory, path);
        }
        std::string content = TRY(tree.read(repo::join_path(dir, path)));
        found.files.push_back({std::move(path), std::move(content)});
    }
    return found;
}

// The content of a directory without an inventory of its own.
struct Contents {
    std::vector<std::string> trees;  // paths of rendered trees, relative to that directory
    bool has_sources = false;        // it has manifests outside of those trees
};

// Hidden names are not sources, so they are skipped. A link to a directory is not followed.
Result<Unit> look_below(const repo::SourceTree& tree, const std::string& root,
                        const std::string& relative, Contents& contents) {
    const std::string dir = relative.empty() ? root : repo::join_path(root, relative);
    for (const repo::Entry& entry : TRY(tree.list(dir))) {
        const bool is_config = entry.name == ".tailrender.yaml" && relative.empty();
        if (entry.name.starts_with('.') && !is_config) {
            continue;
        }
        const std::string below = repo::join_path(relative, entry.name);
        const bool is_directory = entry.kind == repo::EntryKind::Directory;
        if (!is_directory || entry.is_link) {
            contents.has_sources =
                contents.has_sources || is_directory || repo::is_manifest_name(entry.name);
        } else if (repo::is_rendered_tree(tree, repo::join_path(dir, entry.name))) {
            contents.trees.push_back(below);
        } else {
            TRY(look_below(tree, root, below, contents));
        }
    }
    return Unit{};
}

Result<Contents> contents_of(const repo::SourceTree& tree, const std::string& dir) {
    Contents contents;
    if (tree.kind(dir) == repo::EntryKind::Directory) {
        TRY(look_below(tree, dir, "", contents));
    }
    return contents;
}

// Returns the deepest directory that contains all of them, "." if there is none.
std::string common_directory(const std::vector<std::string>& paths) {
    std::string common = paths.empty() ? "." : repo::parent_path(paths.front());
    while (common != "." && !std::ranges::all_of(paths, [&](const std::string& path) {
               return repo::is_within(path, common);
           })) {
        common = repo::parent_path(common);
    }
    return common;
}

}  // namespace

Result<std::vector<ClusterTree>> read_rendered(const repo::SourceTree& tree,
                                               const std::string& dir) {
    std::vector<ClusterTree> clusters;
    if (repo::is_rendered_tree(tree, dir)) {
        clusters.push_back(TRY(read_cluster(tree, dir, "")));
        return clusters;
    }
    const Contents contents = TRY(contents_of(tree, dir));
    if (contents.has_sources) {
        return clusters;
    }
    const std::string common = common_directory(contents.trees);
    for (const std::string& path : contents.trees) {
        clusters.push_back(
            TRY(read_cluster(tree, repo::join_path(dir, path), repo::relative_path(path, common))));
    }
    return clusters;
}

Result<std::vector<std::string>> rendered_below(const repo::SourceTree& tree,
                                                const std::string& dir) {
    return TRY(contents_of(tree, dir)).trees;
}

}  // namespace renderer::diff

#include "renderer/emit/tree/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "renderer/emit/tree/files.h"
#include "renderer/repo/paths.h"

namespace renderer::emit {
namespace {

class Disk : public Place {
public:
    [[nodiscard]] FileKind kind(const std::string& path) const override { return file_kind(path); }
    [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
        return read_file(path);
    }
    [[nodiscard]] Result<std::vector<std::string>> directories(
        const std::string& path) const override {
        return directories_in(path);
    }
};

class Finder {
public:
    Finder(const Place& place, const std::string& dir, Changes& changes)
        : place_(place), dir_(dir), changes_(changes) {}

    Result<Unit> look_at(const OutputFile& file) {
        const std::string path = fmt::format("{}/{}", dir_, file.path);
        const bool ours = is_listed(file.path);
        FileKind kind = parents_are_usable(file.path) ? place_.kind(path) : FileKind::Other;
        if (kind == FileKind::Directory && has_listed_below(file.path)) {
            // Its files are stale, so it is removed before the file is written.
            kind = FileKind::Missing;
        }
        if (kind == FileKind::Missing) {
            changes_.created.push_back(&file);
            return Unit{};
        }
        std::optional<std::string> content;
        if (kind == FileKind::File) {
            content = TRY(place_.read(path));
        }
        if (content == file.content) {
            ++changes_.unchanged;
        } else if (!ours || !content) {
            changes_.foreign.push_back(file.path);
        } else {
            changes_.changed.push_back({&file, std::move(*content)});
        }
        return Unit{};
    }

    // True if every directory above the path is a directory, is missing, or is a file of ours that
    // will be removed.
    bool parents_are_usable(std::string_view path) {
        const auto slash = path.rfind('/');
        if (slash == std::string_view::npos) {
            return true;
        }
        const std::string parent(path.substr(0, slash));
        if (const auto known = usable_.find(parent); known != usable_.end()) {
            return known->second;
        }
        const FileKind kind = place_.kind(fmt::format("{}/{}", dir_, parent));
        const bool usable =
            parents_are_usable(parent) &&
            (kind == FileKind::Directory || kind == FileKind::Missing || is_listed(parent));
        usable_[parent] = usable;
        return usable;
    }

private:
    bool is_listed(std::string_view path) const {
        return std::ranges::binary_search(changes_.listed.files, path);
    }

    bool has_listed_below(const std::string& path) const {
        const std::string prefix = path + "/";
        const auto next = std::ranges::lower_bound(changes_.listed.files, prefix);
        return next != changes_.listed.files.end() && next->starts_with(prefix);
    }

    const Place& place_;
    const std::string& dir_;
    Changes& changes_;
    std::map<std::string, bool> usable_;
};

bool has_inventory(const Place& place, const std::string& dir) {
    return place.kind(fmt::format("{}/{}", dir, repo::kInventoryFile)) == FileKind::File;
}

}  // namespace

Error not_ours(const std::string& dir, const std::vector<std::string>& foreign) {
    Error error{{.rule = "not-ours",
                 .where = fmt::format("{}/{}", dir, foreign.front()),
                 .message = "the output path has a file that tailrender did not write",
                 .expected = fmt::format("nothing, or a file listed in \"{}/{}\"", dir,
                                         repo::kInventoryFile),
                 .hint = "move it away, or choose another directory with -o"}};
    for (auto path = foreign.begin() + 1; path != foreign.end(); ++path) {
        error.diagnostic.notes.push_back({.text = fmt::format("so does \"{}/{}\"", dir, *path)});
    }
    return error;
}

Result<std::vector<std::string>> gone_clusters(const Place& place, const std::string& root,
                                               std::span<const std::string> clusters) {
    std::vector<std::string> gone = TRY(place.directories(root));
    std::erase_if(gone, [&](const std::string& name) {
        return std::ranges::find(clusters, name) != clusters.end() ||
               !has_inventory(place, fmt::format("{}/{}", root, name));
    });
    if (!clusters.empty() && has_inventory(place, root)) {
        gone.emplace_back();
    }
    return gone;
}

RenderedTree gone_tree(const std::string& root, const std::string& name,
                       std::span<const std::string> clusters) {
    RenderedTree tree{.dir = repo::join_path(root, name), .files = {}, .is_gone = true};
    if (name.empty()) {
        tree.inner.assign(clusters.begin(), clusters.end());
    }
    return tree;
}

Result<std::vector<RenderedTree>> find_gone_trees(const std::string& root,
                                                  std::span<const std::string> clusters) {
    std::vector<RenderedTree> trees;
    for (const std::string& name : TRY(gone_clusters(Disk(), root, clusters))) {
        trees.push_back(gone_tree(root, name, clusters));
    }
    return trees;
}

Result<repo::TreeInventory> earlier_inventory(const Place& place, const std::string& dir) {
    const std::string path = fmt::format("{}/{}", dir, repo::kInventoryFile);
    return repo::read_inventory(path, TRY(place.read(path)).value_or(""));
}

Result<std::vector<OutputFile>> earlier_files(const Place& place, const std::string& dir,
                                              const repo::TreeInventory& inventory) {
    std::vector<OutputFile> files;
    for (const std::string& path : inventory.files) {
        const std::string whole = fmt::format("{}/{}", dir, path);
        std::optional<std::string> content = place.kind(whole) == FileKind::File
                                                 ? TRY(place.read(whole))
                                                 : std::optional<std::string>();
        if (content) {
            files.push_back({path, std::move(*content)});
        }
    }
    return files;
}

Result<repo::TreeInventory> earlier_inventory(const std::string& dir) {
    return earlier_inventory(Disk(), dir);
}

Result<std::vector<OutputFile>> earlier_files(const std::string& dir,
                                              const repo::TreeInventory& inventory) {
    return earlier_files(Disk(), dir, inventory);
}

Result<Changes> find_changes(const RenderedTree& tree) {
    return find_changes(Disk(), tree.dir, tree);
}

Result<Changes> find_changes(const Place& place, const std::string& dir, const RenderedTree& tree) {
    Changes changes;
    const std::string inventory = fmt::format("{}/{}", dir, repo::kInventoryFile);
    changes.old_inventory = TRY(place.read(inventory)).value_or("");
    changes.listed = TRY(repo::read_inventory(inventory, changes.old_inventory));
    changes.wanted = tree.inventory;
    Finder finder(place, dir, changes);
    for (const OutputFile& file : tree.files) {
        TRY(finder.look_at(file));
        changes.wanted.files.push_back(file.path);
    }
    changes.wanted.sort();
    changes.new_inventory = tree.is_gone ? std::string() : repo::inventory_text(changes.wanted);
    const auto is_inner = [&](const std::string& path) {
        return std::ranges::any_of(
            tree.inner, [&](const std::string& inner) { return repo::is_within(path, inner); });
    };
    for (const std::string& path : changes.listed.files) {
        if (!is_inner(path) &&
            !std::ranges::binary_search(tree.files, path, {}, &OutputFile::path) &&
            finder.parents_are_usable(path)) {
            changes.stale.push_back(path);
        }
    }
    return changes;
}

}  // namespace renderer::emit

#include "renderer/repo/mounted_tree.h"

#include <algorithm>
#include <utility>

#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

// Replaces the directory `from` that `path` is in by `to`.
std::string moved(const std::string& path, const std::string& from, const std::string& to) {
    return normal_path(join_path(to, relative_path(path, from)));
}

}  // namespace

void MountedTree::mount(std::string place, std::string target,
                        std::shared_ptr<const SourceTree> tree) {
    mounts_.push_back({std::move(place), std::move(target), std::move(tree)});
}

// Returns the innermost mount, nullptr if the path is in none.
const MountedTree::Mount* MountedTree::find(const std::string& path) const {
    const Mount* found = nullptr;
    for (const Mount& mount : mounts_) {
        if (is_within(path, mount.place) &&
            (found == nullptr || mount.place.size() > found->place.size())) {
            found = &mount;
        }
    }
    return found;
}

Result<std::string> MountedTree::read(const std::string& path) const {
    const Mount* mount = find(path);
    return mount == nullptr ? base_.read(path)
                            : mount->tree->read(moved(path, mount->place, mount->target));
}

Result<std::vector<Entry>> MountedTree::list(const std::string& dir) const {
    const Mount* mount = find(dir);
    return mount == nullptr ? base_.list(dir)
                            : mount->tree->list(moved(dir, mount->place, mount->target));
}

EntryKind MountedTree::kind(const std::string& path) const {
    const Mount* mount = find(path);
    return mount == nullptr ? base_.kind(path)
                            : mount->tree->kind(moved(path, mount->place, mount->target));
}

std::string MountedTree::real_path(const std::string& path) const {
    const Mount* mount = find(path);
    if (mount == nullptr) {
        return base_.real_path(path);
    }
    std::string real = mount->tree->real_path(moved(path, mount->place, mount->target));
    const std::string top = mount->tree->real_path(mount->target);
    if (!is_within(real, top)) {
        return real;
    }
    const std::string place = join_path(base_.real_path(root_), relative_path(mount->place, root_));
    return moved(real, top, place);
}

}  // namespace renderer::repo

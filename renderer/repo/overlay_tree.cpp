#include "renderer/repo/overlay_tree.h"

#include <algorithm>

#include "renderer/repo/paths.h"

namespace renderer::repo {

Result<std::string> OverlayTree::read(const std::string& path) const {
    const auto known = files_.find(path);
    return known != files_.end() ? Result(known->second) : base_.read(path);
}

Result<std::vector<Entry>> OverlayTree::list(const std::string& dir) const {
    Result<std::vector<Entry>> entries = base_.list(dir);
    for (const auto& [path, text] : files_) {
        if (!entries || parent_path(path) != dir) {
            continue;
        }
        const std::string name(base_name(path));
        const auto place = std::ranges::lower_bound(*entries, name, {}, &Entry::name);
        if (place == entries->end() || place->name != name) {
            entries->insert(place, {.name = name, .kind = EntryKind::File});
        }
    }
    return entries;
}

EntryKind OverlayTree::kind(const std::string& path) const {
    return files_.contains(path) ? EntryKind::File : base_.kind(path);
}

std::string OverlayTree::real_path(const std::string& path) const {
    return files_.contains(path) ? join_path(base_.real_path(parent_path(path)), base_name(path))
                                 : base_.real_path(path);
}

}  // namespace renderer::repo

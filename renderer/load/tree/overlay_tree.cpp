#include "renderer/load/tree/overlay_tree.h"

#include <algorithm>

#include "renderer/load/tree/paths.h"

namespace renderer {

Result<std::string> OverlayTree::read(const std::string& path) const {
    return path == path_ ? Result(text_) : base_.read(path);
}

Result<std::vector<Entry>> OverlayTree::list(const std::string& dir) const {
    Result<std::vector<Entry>> entries = base_.list(dir);
    if (entries && parent_path(path_) == dir) {
        const std::string name(base_name(path_));
        const auto place = std::ranges::lower_bound(*entries, name, {}, &Entry::name);
        if (place == entries->end() || place->name != name) {
            entries->insert(place, {.name = name, .kind = EntryKind::File});
        }
    }
    return entries;
}

EntryKind OverlayTree::kind(const std::string& path) const {
    return path == path_ ? EntryKind::File : base_.kind(path);
}

std::string OverlayTree::real_path(const std::string& path) const {
    return path == path_ ? join_path(base_.real_path(parent_path(path)), base_name(path))
                         : base_.real_path(path);
}

}  // namespace renderer

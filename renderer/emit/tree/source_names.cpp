#include "renderer/emit/tree/source_names.h"

#include <string>

#include "renderer/repo/paths.h"

namespace renderer::emit {

SourceNames::SourceNames(const load::Loaded& loaded) : sources_(loaded.sources) {
    for (const load::SourceFile& file : loaded.files) {
        const std::string_view shown = sources_.path(file.source);
        const std::string path = repo::join_path(loaded.bundles[file.bundle].dir, file.path);
        if (file.reachable && shown.ends_with(path)) {
            root_ = shown.substr(0, shown.size() - path.size());
            return;
        }
    }
}

std::string_view SourceNames::of(Pos pos) const {
    if (!pos.known()) {
        return {};
    }
    const std::string_view shown = sources_.path(sources_.source_of(pos));
    return shown.starts_with(root_) ? shown.substr(root_.size()) : repo::base_name(shown);
}

}  // namespace renderer::emit

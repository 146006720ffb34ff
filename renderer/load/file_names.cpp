#include "renderer/load/file_names.h"

#include "renderer/base/printable.h"
#include "renderer/core/source_map.h"
#include "renderer/repo/walk.h"

namespace renderer::load {

bool has_usable_name(const engines::InputFile& file, SourceId source, const Loaded& loaded,
                     Diagnostics& diagnostics) {
    if (is_printable(file.bundle_path) && is_printable(loaded.bundles[file.bundle].dir)) {
        return true;
    }
    if (!loaded.only_generated || repo::mentions_tailscale(loaded.sources.text(source))) {
        diagnostics
            .error("unsafe-file-name", {}, "the name of a file that is used cannot be printed")
            .where(file.path)
            .expected("a name without control characters and direction marks")
            .hint("rename the file or its directory");
    }
    return false;
}

}  // namespace renderer::load

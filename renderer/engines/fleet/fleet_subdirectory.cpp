#include "renderer/engines/fleet/fleet_subdirectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/engines/kustomize/generator_sources.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// Returns the listed files that are in a subdirectory.
std::vector<ListedFile> files_below(const repo::SourceTree& tree,
                                    const Kustomization& kustomization) {
    const Value& root = kustomization.root;
    std::vector<ListedFile> files;
    for (const std::string_view field : {"resources", "crds", "configurations", "transformers",
                                         "generators", "validators", "patchesStrategicMerge"}) {
        for (const Value& entry : repo::list_of(root, field)) {
            files.push_back({&entry, text_of(entry)});
        }
    }
    for (const std::string_view field : {"patches", "patchesJson6902", "replacements"}) {
        for (const Value& entry : repo::list_of(root, field)) {
            files.push_back({entry.find("path"), repo::text_of(entry, "path")});
        }
    }
    std::ranges::copy(generator_files(root), std::back_inserter(files));
    std::erase_if(files, [&](const ListedFile& file) {
        const std::string path = repo::normal_path(file.path);
        return path.find('/') == std::string::npos || path.starts_with("../") ||
               tree.kind(repo::join_path(kustomization.dir, path)) != repo::EntryKind::File;
    });
    return files;
}

}  // namespace

void warn_of_subdirectories(const repo::SourceTree& tree, const Kustomization& kustomization,
                            Diagnostics& diagnostics) {
    const std::vector<ListedFile> found = files_below(tree, kustomization);
    if (found.empty()) {
        return;
    }
    const Value& first = *found.front().entry;
    diagnostics
        .warning("fleet-subdirectory", first.pos(),
                 "Fleet rejects this bundle: the kustomization beside fleet.yaml "
                 "lists files of subdirectories")
        .found(found.size() == 1
                   ? fmt::format("\"{}\"", first.text())
                   : fmt::format("\"{}\" and {} more", first.text(), found.size() - 1))
        .expected("files beside it, or directories that have a kustomization.yaml")
        .hint(
            "put a kustomization.yaml into the subdirectory and list that, or "
            "move this one to a directory and set kustomize.dir to it");
}

}  // namespace renderer::engines

#include "renderer/load/fleet/fleet_subdirectory.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/load/tree/paths.h"
#include "renderer/load/values/schema.h"

namespace renderer {

namespace {

class Finder {
public:
    Finder(const SourceTree& tree, const Kustomization& kustomization)
        : tree_(tree), kustomization_(kustomization) {}

    // The entries that name a file in a subdirectory.
    std::vector<const Value*> find() {
        const Value& root = kustomization_.root;
        for (const std::string_view field : {"resources", "crds", "configurations", "transformers",
                                             "generators", "validators", "patchesStrategicMerge"}) {
            for (const Value& entry : list_of(root, field)) {
                look_at(&entry);
            }
        }
        for (const std::string_view field : {"patches", "patchesJson6902", "replacements"}) {
            for (const Value& entry : list_of(root, field)) {
                look_at(entry.find("path"));
            }
        }
        for (const std::string_view field : {"configMapGenerator", "secretGenerator"}) {
            for (const Value& generator : list_of(root, field)) {
                look_at_generator(generator);
            }
        }
        return std::move(found_);
    }

private:
    void look_at_generator(const Value& generator) {
        look_at(generator.find("env"));
        for (const std::string_view field : {"envs", "files"}) {
            for (const Value& entry : list_of(generator, field)) {
                look_at(&entry);
            }
        }
    }

    // A file of a generator may have a key in front.
    void look_at(const Value* entry) {
        if (entry == nullptr || !entry->is_string()) {
            return;
        }
        const std::string_view text = entry->text();
        const std::string path = normal_path(text.substr(text.find('=') + 1));
        if (path.find('/') != std::string::npos && !path.starts_with("../") &&
            tree_.kind(join_path(kustomization_.dir, path)) == EntryKind::File) {
            found_.push_back(entry);
        }
    }

    const SourceTree& tree_;
    const Kustomization& kustomization_;
    std::vector<const Value*> found_;
};

}  // namespace

void warn_of_subdirectories(const SourceTree& tree, const Kustomization& kustomization,
                            Diagnostics& diagnostics) {
    const std::vector<const Value*> found = Finder(tree, kustomization).find();
    if (found.empty()) {
        return;
    }
    const Value& first = *found.front();
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

}  // namespace renderer

#include "renderer/lint/flux_patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/base/pattern.h"
#include "renderer/core/document_scanner.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

constexpr std::string_view kKind = "Kustomization";

class PatchReader {
public:
    explicit PatchReader(const repo::SourceTree& tree) : tree_(tree) {}

    void read_flux(const Value& spec) {
        for (const Value& entry : repo::list_of(spec, "patches")) {
            add(repo::text_of(entry, "patch"), repo::map_of(entry, "target"));
        }
    }

    void read_build(const RepositoryBuild& build) {
        for (const std::string_view field : {"patches", "patchesJson6902"}) {
            for (const Value& entry : repo::list_of(build.root, field)) {
                const std::string_view path = repo::text_of(entry, "path");
                add(path.empty() ? repo::text_of(entry, "patch") : text_at(build, path),
                    repo::map_of(entry, "target"));
            }
        }
        for (const Value& entry : repo::list_of(build.root, "patchesStrategicMerge")) {
            const std::string_view text = text_of(&entry);
            add(text.find('\n') == std::string_view::npos ? text_at(build, text) : text, nullptr);
        }
    }

    std::vector<FluxPatch> take() { return std::move(found_); }

private:
    std::string text_at(const RepositoryBuild& build, std::string_view path) const {
        Result<std::string> text =
            tree_.read(repo::normal_path(repo::join_path(build.dir->path, path)));
        return text ? std::move(*text) : std::string();
    }

    // If there is a target, the name in the patch is ignored.
    void add(std::string_view text, const Value* target) {
        if (target != nullptr && text_of(target->find("kind")) != kKind) {
            return;
        }
        SourceMap sources;
        Diagnostics ignored;
        const SourceId source = sources.add("", std::string(text));
        for (const ScannedDocument& scanned : scan_documents(sources, source)) {
            const Value root = read_yaml(sources, source, scanned.range, ignored);
            FluxPatch patch = patch_of(root);
            if (target != nullptr) {
                patch.name = text_of(target->find("name"));
            } else if (repo::text_of(root, "kind") != kKind) {
                continue;
            } else {
                patch.name = text_of(root.at({"metadata", "name"}));
            }
            if (patch.decrypts || patch.substitutes) {
                found_.push_back(std::move(patch));
            }
        }
    }

    // Reads a strategic merge patch, or a list of JSON patches.
    static FluxPatch patch_of(const Value& root) {
        FluxPatch patch{.name = {},
                        .decrypts = root.at({"spec", "decryption"}) != nullptr,
                        .substitutes = root.at({"spec", "postBuild"}) != nullptr};
        for (const Value& operation : items_of(&root)) {
            const std::string_view path = text_of(operation.find("path"));
            const bool sets = text_of(operation.find("op")) != "remove";
            patch.decrypts = patch.decrypts || (sets && path.starts_with("/spec/decryption"));
            patch.substitutes = patch.substitutes || (sets && path.starts_with("/spec/postBuild"));
        }
        return patch;
    }

    const repo::SourceTree& tree_;
    std::vector<FluxPatch> found_;
};

}  // namespace

bool applies_from_git(const RepositoryDocument& document) {
    const Value* source = document.root.at({"spec", "sourceRef", "kind"});
    const bool may_be_git = source == nullptr ? document.root.at({"spec", "path"}) != nullptr
                                              : text_of(source) == "GitRepository";
    return document.is(kFluxGroup, kKind) && may_be_git;
}

std::vector<FluxPatch> find_flux_patches(const Repository& repository) {
    PatchReader reader(repository.tree);
    for (const RepositoryDocument& document : repository.documents) {
        const Value* spec = document.root.find("spec");
        if (document.is(kFluxGroup, kKind) && spec != nullptr && spec->is_map()) {
            reader.read_flux(*spec);
        }
    }
    for (const RepositoryBuild& build : repository.builds) {
        reader.read_build(build);
    }
    return reader.take();
}

bool is_patched(const std::vector<FluxPatch>& patches, bool FluxPatch::*what,
                std::string_view name) {
    return std::ranges::any_of(patches, [&](const FluxPatch& patch) {
        if (!(patch.*what) || patch.name.empty()) {
            return patch.*what;
        }
        const std::optional<Pattern> pattern = Pattern::parse(fmt::format("^(?:{})$", patch.name));
        return pattern && pattern->matches(name);
    });
}

}  // namespace renderer::lint

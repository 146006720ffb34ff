#include "renderer/engines/flux/generated_maps.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/kustomize/generator_sources.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kField = "configMapGenerator";
// A kustomization without these words makes no ConfigMap and changes none.
constexpr auto kMapWords = std::to_array<std::string_view>({kField, "patch", "replacements"});

class MapSearch {
public:
    MapSearch(const repo::SourceTree& tree, const std::string& root, SourceMap& sources)
        : reader_(tree, sources), context_{tree, sources, reader_, selection_, discarded_, root} {}

    void kustomization(const repo::WalkedDir& dir, PatchedMaps& patched) {
        for (const std::string& name : dir.kustomizations) {
            const std::string path = repo::join_path(dir.path, name);
            const Result<std::string> text = context_.tree.read(path);
            if (!text || std::ranges::none_of(kMapWords, [&](std::string_view word) {
                    return text->find(word) != std::string::npos;
                })) {
                continue;
            }
            if (const Kustomization* file = reader_.find_file(path)) {
                patched.add(file->root, context_.tree, dir.path);
                for (const Value& generator : items_of(file->root.find(kField))) {
                    take(*file, generator);
                }
            } else {
                // kustomize refuses two in a directory: what the other one changes is not known.
                patched.add(read_text(*text), context_.tree, dir.path);
            }
        }
    }

    GeneratedMaps finish() {
        for (auto& [name, maps] : found_) {
            if (std::ranges::any_of(maps, [](const Value& map) { return map.is_null(); })) {
                maps.clear();
            }
        }
        return std::move(found_);
    }

private:
    void take(const Kustomization& file, const Value& generator) {
        const std::string name(text_of(generator, {"name"}));
        std::optional<GeneratorInput> input =
            generator.is_map() ? read_generator(context_, file, generator, false) : std::nullopt;
        const bool is_known = input && std::ranges::none_of(input->pairs, [](const KeyValue& pair) {
                                  return pair.key.starts_with("sops_");
                              });
        if (!is_known) {
            found_[name].emplace_back();
            return;
        }
        if (const std::string_view ns = text_of(file.root, {"namespace"}); !ns.empty()) {
            input->ns = ns;
        }
        for (const bool is_plain : {true, false}) {
            input->options.disable_name_suffix_hash = is_plain;
            Value map = make_generated(*input);
            const std::string made(text_of(map, {"metadata", "name"}));
            found_[made].push_back(std::move(map));
        }
    }

    KustomizationReader reader_;
    Selection selection_;
    Diagnostics discarded_;  // the build itself reports them
    BuildContext context_;
    GeneratedMaps found_;
};

}  // namespace

GeneratedMaps generated_config_maps(const repo::SourceTree& tree, const DirList& dirs,
                                    const std::string& root, SourceMap& sources,
                                    PatchedMaps& patched) {
    MapSearch search(tree, root, sources);
    for (const repo::WalkedDir* dir : dirs) {
        if (!dir->kustomizations.empty()) {
            search.kustomization(*dir, patched);
        }
    }
    return search.finish();
}

}  // namespace renderer::engines

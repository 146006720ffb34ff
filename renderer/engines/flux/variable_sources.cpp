#include "renderer/engines/flux/variable_sources.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/nearest.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

VariableSources::VariableSources(const repo::SourceTree& tree, const DirList& dirs,
                                 const std::string& root, SourceMap& sources,
                                 const repo::LoadOptions& options)
    : tree_(tree), dirs_(dirs), root_(root), sources_(sources), threads_(options.threads) {
    substitutes_.named_only = true;
    substitutes_.values.insert(options.configured_substitutes.begin(),
                               options.configured_substitutes.end());
    for (std::string_view text : options.substitutes) {
        const std::string_view name = take(text, '=');
        substitutes_.values.insert_or_assign(std::string(name), std::string(text));
    }
}

void VariableSources::read_files() {
    if (std::exchange(has_read_, true)) {
        return;
    }
    const auto may_hold = [](std::size_t, std::string_view text) {
        return text.find("ConfigMap") != std::string_view::npos ||
               text.find("Secret") != std::string_view::npos;
    };
    for (auto& [path, text] : read_wanted(tree_, manifests_of(dirs_, false), threads_, may_hold)) {
        for (EngineObject& object : read_objects(sources_, path, std::move(text))) {
            const bool is_encrypted = object.root.find("sops") != nullptr;
            const std::string name(text_of(object.root, {"metadata", "name"}));
            if (is_kind(object.root, "v1", "ConfigMap")) {
                auto& known = config_maps_[name];
                if (!is_encrypted) {
                    known.push_back(std::move(object.root));
                }
            } else if (is_kind(object.root, "v1", "Secret")) {
                secrets_[name].push_back(std::move(object.root));
            } else if (const Value* spec = object.root.find("spec");
                       spec != nullptr && is_kind(object.root, kFluxGroup, "Kustomization")) {
                patched_.add(*spec, tree_, repo::parent_path(path));
            }
        }
    }
    generated_ = generated_config_maps(tree_, dirs_, root_, sources_, patched_);
}

const Value* VariableSources::find(const VariableSource& wanted) {
    std::vector<const Value*> known =
        wanted.is_secret ? secrets(wanted.name) : config_maps(wanted.name);
    std::erase_if(known, [&](const Value* one) {
        const std::string_view ns = text_of(*one, {"metadata", "namespace"});
        return ns != wanted.ns && !ns.empty() && !wanted.ns.empty();
    });
    // A generated ConfigMap has no place.
    keep_nearest(known, [&](const Value* one) {
        const std::string file = file_of(*one);
        return file.empty() ? std::size_t{0} : repo::shared_directories(file, wanted.file);
    });
    const bool is_known = wanted.is_secret || !patched_.may_have(wanted.name);
    return known.size() == 1 && is_known ? known.front() : nullptr;
}

std::string VariableSources::file_of(const Value& found) const {
    return found.pos().known() ? std::string(sources_.path(sources_.source_of(found.pos())))
                               : std::string();
}

std::vector<const Value*> VariableSources::config_maps(std::string_view name) {
    read_files();
    std::vector<const Value*> found;
    for (const auto* maps : {&config_maps_, &generated_}) {
        if (const auto known = maps->find(name); known != maps->end() && found.empty()) {
            std::ranges::transform(known->second, std::back_inserter(found),
                                   [](const Value& one) { return &one; });
        }
    }
    return found;
}

bool VariableSources::has_config_map(std::string_view name) {
    read_files();
    return config_maps_.contains(name) || generated_.contains(name);
}

std::vector<const Value*> VariableSources::secrets(std::string_view name) {
    read_files();
    std::vector<const Value*> found;
    if (const auto known = secrets_.find(name); known != secrets_.end()) {
        std::ranges::transform(known->second, std::back_inserter(found),
                               [](const Value& one) { return &one; });
    }
    return found;
}

}  // namespace renderer::engines

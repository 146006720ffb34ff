#include "renderer/engines/flux/patched_maps.h"

#include <algorithm>
#include <array>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kConfigMap = "ConfigMap";

bool contains(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

bool is_expression(std::string_view text) {
    return text.find_first_of(".*+?[(|^$") != std::string_view::npos;
}

// Returns the text of a patch: of its file, or inline, also as an object.
std::string text_of_patch(const Value& patch, const repo::SourceTree& tree,
                          const std::string& dir) {
    const Value* text = patch.is_map() ? patch.find("patch") : &patch;
    const std::string_view path = text_of(patch.is_map() ? patch.find("path") : &patch);
    if (!path.empty() && !contains(path, "\n")) {
        if (Result<std::string> content =
                tree.read(repo::normal_path(repo::join_path(dir, path)))) {
            return std::move(*content);
        }
    }
    if (text != nullptr && text->is_string()) {
        return std::string(text->text());
    }
    std::string out;
    write_yaml(patch, out);
    return out;
}

}  // namespace

bool changes_data(std::string_view patch) {
    constexpr auto kForms =
        std::to_array<std::string_view>({"/data", "\ndata", " data", "{data", "\"data"});
    return patch.starts_with("data") || std::ranges::any_of(kForms, [&](std::string_view form) {
               return contains(patch, form);
           });
}

void PatchedMaps::add_patch(const Value& patch, const repo::SourceTree& tree,
                            const std::string& dir) {
    const Value* target = patch.is_map() ? patch.find("target") : nullptr;
    std::string text = text_of_patch(patch, tree, dir);
    if (!changes_data(text)) {
        return;
    }
    if (target == nullptr) {
        if (contains(text, kConfigMap)) {
            texts_.push_back(std::move(text));
        }
        return;
    }
    add_target(text_of(*target, {"kind"}), text_of(*target, {"name"}));
}

// `kind` and `name` may be expressions.
void PatchedMaps::add_target(std::string_view kind, std::string_view name) {
    const bool is_of_maps = kind == kConfigMap || is_expression(kind);
    if (!is_of_maps && !kind.empty()) {
        return;
    }
    if (!name.empty() && !is_expression(name)) {
        names_.emplace_back(name);
    } else if (is_of_maps) {
        has_any_ = true;
    }
}

void PatchedMaps::add(const Value& fields, const repo::SourceTree& tree, const std::string& dir) {
    for (const std::string_view field :
         std::to_array<std::string_view>({"patches", "patchesStrategicMerge", "patchesJson6902"})) {
        for (const Value& patch : items_of(fields.find(field))) {
            add_patch(patch, tree, dir);
        }
    }
    for (const Value& replacement : items_of(fields.find("replacements"))) {
        for (const Value& target : items_of(replacement.find("targets"))) {
            const Value* select = target.find("select");
            if (select != nullptr) {
                add_target(text_of(*select, {"kind"}), text_of(*select, {"name"}));
            }
        }
    }
    for (const Value& generator : items_of(fields.find("configMapGenerator"))) {
        const std::string_view behavior = text_of(generator, {"behavior"});
        if (behavior == "merge" || behavior == "replace") {
            names_.emplace_back(text_of(generator, {"name"}));
        }
    }
}

bool PatchedMaps::may_have(std::string_view name) const {
    return has_any_ || std::ranges::find(names_, name) != names_.end() ||
           std::ranges::any_of(texts_,
                               [&](const std::string& text) { return contains(text, name); });
}

}  // namespace renderer::engines

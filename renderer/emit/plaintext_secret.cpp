#include <algorithm>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/emit/edits.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/generated_file.h"

namespace renderer {
namespace {

std::optional<PlaintextSecret> among(const std::vector<Object>& objects) {
    const auto found = std::ranges::find_if(
        objects, [](const Object& object) { return holds_credentials(object.root); });
    if (found == objects.end()) {
        return std::nullopt;
    }
    return PlaintextSecret{found->origin.pos, found->object_name(), false};
}

std::optional<PlaintextSecret> among(const Value& root) {
    const Value* items = root.find("items");
    if (items != nullptr && items->is_list()) {
        for (const Value& item : items->items()) {
            if (auto found = among(item)) {
                return found;
            }
        }
        return std::nullopt;
    }
    if (!holds_credentials(root)) {
        return std::nullopt;
    }
    return PlaintextSecret{root.find("kind")->pos(),
                           object_name("Secret", text_of(root.at({"metadata", "namespace"})),
                                       text_of(root.at({"metadata", "name"}))),
                           true};
}

// An item of a List is looked at with its List.
std::optional<PlaintextSecret> in_document(const Loaded& loaded, const Document& document) {
    if (document.list != kNone || !document.reachable) {
        return std::nullopt;
    }
    const std::string_view kind = text_of(document.kind);
    if (kind != "Secret" && !kind.ends_with("List")) {
        return std::nullopt;
    }
    if (!document.root.is_null()) {
        return among(document.root);
    }
    Diagnostics reported_before;
    return among(read_yaml(loaded.sources, document.source, document.range, reported_before));
}

}  // namespace

std::optional<PlaintextSecret> find_plaintext_secret(const Output& output) {
    for (const auto* objects :
         {&output.loaded.generated_inputs, &output.plan.replacements, &output.objects}) {
        if (auto found = among(*objects)) {
            return found;
        }
    }
    const EditIndex edits(output.plan.edits);
    for (const Document& document : output.loaded.documents) {
        if (edits.cuts(document.source, document.range)) {
            continue;
        }
        if (auto found = in_document(output.loaded, document)) {
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace renderer

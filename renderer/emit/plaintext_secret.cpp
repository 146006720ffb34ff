#include "renderer/core/text_of.h"
#include "renderer/emit/edits.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/generated_file.h"

namespace renderer::emit {
namespace {

std::optional<PlaintextSecret> among(const Value& root) {
    const Value* items = root.find("items");
    for (const Value& item : items_of(items)) {
        if (auto found = among(item)) {
            return found;
        }
    }
    if ((items != nullptr && items->is_list()) || !holds_credentials(root)) {
        return std::nullopt;
    }
    return PlaintextSecret{root.find("kind")->pos(),
                           object_name("Secret", text_of(root.at({"metadata", "namespace"})),
                                       text_of(root.at({"metadata", "name"}))),
                           true};
}

// Items of a List are checked with their List.
std::optional<PlaintextSecret> in_document(const load::Loaded& loaded, const Document& document) {
    if (document.list != kNone || !document.reachable) {
        return std::nullopt;
    }
    const std::string_view kind = text_of(document.kind);
    if (kind != "Secret" && !kind.ends_with("List")) {
        return std::nullopt;
    }
    Diagnostics reported_before;
    return among(load::read_document(loaded, document, reported_before));
}

}  // namespace

std::optional<PlaintextSecret> find_plaintext_secret(const Output& output) {
    for (const Object* object : output.made()) {
        if (holds_credentials(object->root)) {
            return PlaintextSecret{object->origin.pos, object->object_name(), false};
        }
    }
    if (output.loaded.only_generated) {
        return std::nullopt;  // sources are not written
    }
    const EditIndex edits(output.plan.edits);
    for (const Document& document : output.loaded.documents) {
        auto found = edits.cuts(document.source, document.range)
                         ? std::nullopt
                         : in_document(output.loaded, document);
        if (found) {
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace renderer::emit

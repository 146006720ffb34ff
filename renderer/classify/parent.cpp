#include "renderer/classify/parent.h"

#include <fmt/format.h>

#include "renderer/classify/fields.h"
#include "renderer/core/text_of.h"

namespace renderer {

namespace {

constexpr std::string_view kDomain = "tailscale.com/";

const Value* entry(const Document& doc, std::string_view group, std::string_view key) {
    const Value* entries = doc.root.at({"metadata", group});
    return entries != nullptr && entries->is_map() ? entries->find(key) : nullptr;
}

std::string quoted_hint(const Member& member) {
    const Value& value = member.value;
    if (value.is_null()) {
        return fmt::format("write {}: \"\"", member.name());
    }
    if (value.is_bool()) {
        return fmt::format("put it in quotes: {}: \"{}\"", member.name(),
                           value.as_bool() ? "true" : "false");
    }
    return value.is_number()
               ? fmt::format("put it in quotes: {}: \"{}\"", member.name(), value.text())
               : "";
}

void check_texts(const Fields& metadata, std::string_view group, ParentInput& parent) {
    const Value* entries = metadata.map(group);
    if (entries == nullptr) {
        return;
    }
    for (const Member& member : entries->members()) {
        if (!member.value.is_string()) {
            Faults& faults =
                member.name().starts_with(kDomain) ? parent.wish_faults : parent.faults;
            faults.push_back(
                {.rule = "invalid-object",
                 .pos = member.value.pos().known() ? member.value.pos() : member.key.pos(),
                 .message = fmt::format("{} \"{}\" is not a string",
                                        group == "labels" ? "label" : "annotation", member.name()),
                 .found = std::string(kind_name(member.value)),
                 .expected = "a string",
                 .hint = quoted_hint(member)});
        }
    }
}

}  // namespace

const Value* ParentInput::annotation(std::string_view key) const {
    return entry(*doc, "annotations", key);
}

const Value* ParentInput::label(std::string_view key) const {
    return entry(*doc, "labels", key);
}

Pos ParentInput::name_pos() const {
    return doc->name.pos().known() ? doc->name.pos() : pos();
}

void decode_metadata(const Document& doc, ParentInput& parent) {
    parent.doc = &doc;
    parent.name = text_of(doc.name);
    parent.ns = doc.effective_namespace;
    const Fields metadata(doc.root.find("metadata"), "metadata", parent.faults);
    check_texts(metadata, "labels", parent);
    check_texts(metadata, "annotations", parent);
}

}  // namespace renderer

#include "renderer/classify/parent.h"

#include <fmt/format.h>

#include "renderer/core/text_of.h"

namespace renderer::classify {

namespace {

constexpr std::string_view kDomain = "tailscale.com/";

std::string quoted_hint(const Member& member) {
    const Value& value = member.value;
    if (value.is_null()) {
        return fmt::format("write {}: \"\"", member.name());
    }
    if (value.is_bool()) {
        return "put what is written there in quotes: in YAML 1.1, y, yes, on, n, no and off are "
               "booleans, too";
    }
    return value.is_number()
               ? fmt::format("put it in quotes: {}: \"{}\"", member.name(), value.text())
               : "write one text in quotes; several values have commas between them";
}

void check_texts(const Document& doc, std::string_view group, ParentInput& parent) {
    for (const Member& member : members_of(doc.root.at({"metadata", group}))) {
        if (!member.value.is_string()) {
            std::vector<Diagnostic>& faults =
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
    return doc->root.at({"metadata", "annotations", key});
}

const Value* ParentInput::label(std::string_view key) const {
    return doc->root.at({"metadata", "labels", key});
}

Pos ParentInput::name_pos() const {
    return doc->name.pos().known() ? doc->name.pos() : pos();
}

void decode_metadata(const Document& doc, ParentInput& parent) {
    parent.doc = &doc;
    parent.name = text_of(doc.name);
    parent.ns = doc.effective_namespace;
    check_texts(doc, "labels", parent);
    check_texts(doc, "annotations", parent);
}

}  // namespace renderer::classify

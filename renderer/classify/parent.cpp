#include "renderer/classify/parent.h"

#include <fmt/format.h>

#include "renderer/contract/domain.h"
#include "renderer/core/text_of.h"
#include "renderer/core/word_at.h"

namespace renderer::classify {

namespace {

std::string boolean_hint(std::string_view key, std::string_view spelled) {
    return fmt::format("write {}: \"{}\"{}", key, spelled,
                       spelled == "true" || spelled == "false"
                           ? ""
                           : fmt::format(": without quotes, {} is a boolean in YAML 1.1", spelled));
}

std::string quoted_hint(const Member& member) {
    const Value& value = member.value;
    if (value.is_null()) {
        return fmt::format("write {}: \"\"", member.name());
    }
    if (value.is_bool()) {
        return boolean_hint(member.name(), value.as_bool() ? "true" : "false");
    }
    return value.is_number() ? fmt::format("write {}: \"{}\"", member.name(), value.text())
                             : "write one text in quotes; several values have commas between them";
}

void check_texts(const Document& doc, std::string_view group, ParentInput& parent) {
    for (const Member& member : members_of(doc.root.at({"metadata", group}))) {
        if (!member.value.is_string()) {
            std::vector<Diagnostic>& faults =
                member.name().starts_with(kOperatorDomain) ? parent.operator_faults : parent.faults;
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

// The tree does not keep how a boolean is spelled: y would be shown as true.
void spell_booleans(const SourceMap& sources, std::vector<Diagnostic>& faults) {
    for (Diagnostic& fault : faults) {
        const std::size_t key = fault.hint.find(' ') + 1;
        const std::size_t end = fault.hint.rfind(": \"");
        if (fault.found == "a boolean" && fault.pos.known() && fault.hint.starts_with("write ") &&
            end != std::string::npos) {
            const std::string_view word = word_at(sources, fault.pos);
            if (word.find("${") != std::string_view::npos) {
                fault.hint += ": Flux puts the value of a variable there without quotes";
            } else if (!word.empty()) {
                fault.hint = boolean_hint(fault.hint.substr(key, end - key), word);
            }
        }
    }
}

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

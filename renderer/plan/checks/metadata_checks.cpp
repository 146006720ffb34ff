#include "renderer/plan/checks/metadata_checks.h"

#include <fmt/format.h>

#include "renderer/base/ascii.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/grammar.h"
#include "renderer/secrets/userinfo.h"

namespace renderer {

namespace {

constexpr std::size_t kMaxAnnotations = std::size_t{256} << 10U;
const Value* entries(const ParentInput& parent, std::string_view group) {
    const Value* found = parent.doc->root.at({"metadata", group});
    return found != nullptr && found->is_map() ? found : nullptr;
}

}  // namespace

void report_invalid(const ParentInput& parent, Pos pos, std::string message, std::string_view found,
                    std::string expected, Diagnostics& diagnostics) {
    const bool has_password = !find_userinfo(found).empty();
    diagnostics.add({.rule = "invalid-object",
                     .pos = pos.known() ? pos : parent.pos(),
                     .object = parent.doc->object_name(),
                     .message = std::move(message),
                     .found = std::string(has_password ? kHiddenPassword : found),
                     .expected = std::move(expected),
                     .hide_text = has_password});
}

void check_labels(const ParentInput& parent, const Value* labels, Diagnostics& diagnostics) {
    if (labels == nullptr) {
        return;
    }
    for (const Member& label : labels->members()) {
        if (!is_label_key(label.name())) {
            report_invalid(parent, label.key.pos(),
                           fmt::format("invalid label key \"{}\"", label.name()), "",
                           std::string(kLabelKeyGrammar), diagnostics);
        }
        if (label.value.is_string() && !is_label_value(label.value.text())) {
            report_invalid(parent, label.value.pos(),
                           fmt::format("invalid label value \"{}\"", label.value.text()), "",
                           std::string(kLabelValueGrammar), diagnostics);
        }
    }
}

void check_annotations(const ParentInput& parent, const Value* annotations,
                       Diagnostics& diagnostics) {
    if (annotations == nullptr) {
        return;
    }
    std::size_t size = 0;
    for (const Member& annotation : annotations->members()) {
        const std::string key = lower_case(annotation.name());
        size += key.size() + (annotation.value.is_string() ? annotation.value.text().size() : 0);
        if (!is_label_key(key)) {
            report_invalid(parent, annotation.key.pos(),
                           fmt::format("invalid annotation key \"{}\"", annotation.name()), "",
                           std::string(kLabelKeyGrammar), diagnostics);
        }
    }
    if (size > kMaxAnnotations) {
        report_invalid(parent, annotations->pos(), "annotations are too long",
                       fmt::format("{} bytes", size), fmt::format("at most {}", kMaxAnnotations),
                       diagnostics);
    }
}

bool lacks_name(const ParentInput& parent) {
    const Value* name = parent.doc->root.at({"metadata", "name"});
    return name == nullptr || name->is_null() || (name->is_string() && name->text().empty());
}

void check_metadata(const ParentInput& parent, Diagnostics& diagnostics) {
    if (!parent.ns.empty() && !is_dns1123_label(parent.ns)) {
        const Pos place = parent.doc->ns.pos();
        report_invalid(parent, place, fmt::format("invalid namespace \"{}\"", parent.ns), "",
                       std::string(kDnsLabelGrammar), diagnostics);
    }
    check_labels(parent, entries(parent, "labels"), diagnostics);
    check_annotations(parent, entries(parent, "annotations"), diagnostics);
}

}  // namespace renderer

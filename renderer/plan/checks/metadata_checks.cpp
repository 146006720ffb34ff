#include "renderer/plan/checks/metadata_checks.h"

#include <fmt/format.h>

#include "renderer/core/text_of.h"
#include "renderer/kube/metadata_rules.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/tags.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::plan {

namespace {

const Value* entries(const classify::ParentInput& parent, std::string_view group) {
    return parent.doc->root.at({"metadata", group});
}

}  // namespace

void report_invalid(const classify::ParentInput& parent, Pos pos, std::string message,
                    std::string_view found, std::string_view expected, Diagnostics& diagnostics) {
    const bool has_password = !secrets::find_userinfo(found).empty();
    classify::about(parent, diagnostics)
        .error("invalid-object", pos.known() ? pos : parent.pos(), std::move(message))
        .found(has_password ? secrets::kHiddenPassword : found)
        .expected(expected)
        .hide_text(has_password);
}

void check_labels(const classify::ParentInput& parent, const Value* labels,
                  Diagnostics& diagnostics) {
    for (const Member& label : members_of(labels)) {
        if (!key_faults(label.name()).empty()) {
            report_key(parent, "label", label.key, diagnostics);
        }
    }
    check_label_values(parent, labels, diagnostics);
}

void check_label_values(const classify::ParentInput& parent, const Value* labels,
                        Diagnostics& diagnostics) {
    for (const Member& label : members_of(labels)) {
        if (label.value.is_string() && !is_label_value(label.value.text())) {
            report_invalid(parent, label.value.pos(),
                           fmt::format("invalid label value \"{}\"", label.value.text()), "",
                           kLabelValueGrammar, diagnostics);
        }
    }
}

void check_annotations(const classify::ParentInput& parent, const Value* annotations,
                       Diagnostics& diagnostics) {
    for (const Member& annotation : members_of(annotations)) {
        if (!annotation_key_faults(annotation.name()).empty()) {
            report_key(parent, "annotation", annotation.key, diagnostics);
        }
    }
    if (annotations != nullptr && annotations->is_map() &&
        annotations_size(*annotations) > kMaxAnnotations) {
        report_size(parent, *annotations, diagnostics);
    }
}

void report_key(const classify::ParentInput& parent, std::string_view what, const Value& key,
                Diagnostics& diagnostics) {
    report_invalid(parent, key.pos(), fmt::format("invalid {} key \"{}\"", what, key.text()), "",
                   kLabelKeyGrammar, diagnostics);
}

void report_size(const classify::ParentInput& parent, const Value& annotations,
                 Diagnostics& diagnostics) {
    report_invalid(parent, annotations.pos(), "annotations are too long",
                   fmt::format("{} bytes", annotations_size(annotations)),
                   fmt::format("at most {}", kMaxAnnotations), diagnostics);
}

void check_tags(const classify::ParentInput& parent, const std::vector<classify::TextInput>& tags,
                std::string_view example, Diagnostics& diagnostics) {
    for (const classify::TextInput& tag : tags) {
        if (const std::string_view wrong = tag_error(tag.text); !wrong.empty()) {
            classify::about(parent, diagnostics)
                .error("invalid-tag", tag.pos,
                       fmt::format("invalid tag \"{}\": {}", tag.text, wrong))
                .expected(fmt::format("tags such as \"{}\"", example));
        }
    }
}

bool lacks_name(const classify::ParentInput& parent) {
    const Value* name = parent.doc->root.at({"metadata", "name"});
    return name == nullptr || name->is_null() || (name->is_string() && name->text().empty());
}

void check_metadata(const classify::ParentInput& parent, Diagnostics& diagnostics) {
    if (!parent.ns.empty() && !is_dns1123_label(parent.ns)) {
        report_invalid(parent, parent.doc->ns.pos(),
                       fmt::format("invalid namespace \"{}\"", parent.ns), "", kDnsLabelGrammar,
                       diagnostics);
    }
    check_labels(parent, entries(parent, "labels"), diagnostics);
    check_annotations(parent, entries(parent, "annotations"), diagnostics);
}

}  // namespace renderer::plan

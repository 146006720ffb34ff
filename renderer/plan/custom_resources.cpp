#include "renderer/plan/custom_resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/install/chart_stream.h"
#include "renderer/plan/parents.h"
#include "renderer/schema/type_table.h"

namespace renderer::plan {

namespace {

constexpr std::span<const Kind> kCustomKinds = custom_kinds();

const Kind* known_kind(const Document& doc) {
    const Kind* kind = find_kind(text_of(doc.kind));
    return kind != nullptr && kind->is_custom() ? kind : nullptr;
}

// Returns true if the operator of that release has the kind.
bool is_of_release(const Kind& kind, const Release& release) {
    return schema::TypeTable::releases_of(kind.name).holds(release.version.minor);
}

void refuse_release(const Document& doc, const Release& release, Diagnostics& diagnostics) {
    const std::string_view kind = text_of(doc.kind);
    about(doc, diagnostics)
        .error("not-supported", doc.kind.pos(),
               fmt::format("this release of the operator has no kind \"{}\"", kind))
        .found(fmt::format("release {}", release.name()))
        .expected(fmt::format("1.{} or later", schema::TypeTable::releases_of(kind).first))
        .hint("set \"tailrender.operatorVersion\", or leave it out of the inputs");
}

void refuse(const Document& doc, Diagnostics& diagnostics) {
    std::vector<std::string_view> names;
    names.reserve(kCustomKinds.size());
    for (const Kind& kind : kCustomKinds) {
        names.push_back(kind.name);
    }
    const std::string_view near = nearest(text_of(doc.kind), names);
    about(doc, diagnostics)
        .error("unknown-kind", doc.kind.pos(),
               fmt::format("{} has no kind \"{}\"", kCustomGroup, text_of(doc.kind)))
        .expected(fmt::format("one of {{ {} }}", fmt::join(names, ", ")))
        .hint(did_you_mean(near));
}

void refuse_version(const Document& doc, Diagnostics& diagnostics) {
    about(doc, diagnostics)
        .error("not-supported", doc.api_version.pos(), "unknown version of the resource")
        .found(fmt::format("\"{}\"", text_of(doc.api_version)))
        .expected(fmt::format("\"{}\"", kCustomVersion));
}

bool has_crd(const load::Loaded& loaded, const Kind& kind) {
    return std::ranges::any_of(loaded.documents, [crd = kind.crd_name()](const Document& doc) {
        return text_of(doc.kind) == "CustomResourceDefinition" && text_of(doc.name) == crd;
    });
}

// Returns the kinds whose documents are consumed.
std::set<const Kind*> consumed_kinds(const load::Loaded& loaded, CustomResources mode) {
    std::set<const Kind*> consumed;
    for (const Kind& kind : kCustomKinds) {
        if (mode == CustomResources::Consume ||
            (mode == CustomResources::Auto && !has_crd(loaded, kind))) {
            consumed.insert(&kind);
        }
    }
    return consumed;
}

// Items of one List, by the index of the List's document.
using Lists = std::map<std::uint32_t, std::vector<const Document*>>;

// Cuts out whole Lists. Only a List whose items are all consumed can be cut out.
void cut_lists(const load::Loaded& loaded, const Lists& lists, std::vector<Edit>& edits,
               Diagnostics& diagnostics) {
    for (const auto& [list, items] : lists) {
        const auto all = std::ranges::count(loaded.documents, list,
                                            [](const Document& doc) { return doc.list; });
        if (static_cast<std::size_t>(all) == items.size()) {
            cut_document(loaded.documents[list], "consumed", edits, diagnostics);
            continue;
        }
        for (const Document* item : items) {
            about(*item, diagnostics)
                .error("mixed-list", item->kind.pos(),
                       "this resource is consumed, but its List has other items that are kept")
                .expected("a separate document, or a List that has only such resources")
                .hint(
                    "move it out of the List, or set \"tailrender.customResources: emit\" if "
                    "the cluster has its CRD");
        }
    }
}

// Reports duplicate custom resources, with a note on the first one.
void check_custom_duplicates(const load::Loaded& loaded, std::vector<const Document*> documents,
                             Diagnostics& diagnostics) {
    const auto key = [](const Document* doc) {
        return std::tuple(text_of(doc->kind), std::string_view(doc->effective_namespace),
                          text_of(doc->name));
    };
    std::ranges::stable_sort(documents, {}, key);
    for (std::size_t i = 1, first = 0; i < documents.size(); ++i) {
        if (key(documents[first]) != key(documents[i])) {
            first = i;
            continue;
        }
        report_duplicate(loaded, *documents[first], *documents[i], diagnostics);
    }
}

}  // namespace

void check_custom_resource(const classify::ParentInput& parent, Diagnostics& diagnostics) {
    report_faults(parent, diagnostics);
    if (lacks_name(parent)) {
        report_invalid(parent, parent.pos(), "the object has no name", "", "metadata.name",
                       diagnostics);
    } else if (!parent.name.empty() && !is_dns1123_subdomain(parent.name)) {
        report_invalid(parent, parent.name_pos(), fmt::format("invalid name \"{}\"", parent.name),
                       "", "lower-case letters, digits, \"-\" and \".\", at most 253", diagnostics);
    }
    check_metadata(parent, diagnostics);
}

std::vector<const Kind*> missing_crds(const load::Loaded& loaded, const Settings& settings) {
    std::vector<const Kind*> missing;
    if (!loaded.is_stream && settings.custom_resources == CustomResources::Emit) {
        for (const Kind& kind : kCustomKinds) {
            if (!has_crd(loaded, kind) && is_of_release(kind, settings.release)) {
                missing.push_back(&kind);
            }
        }
    }
    return missing;
}

std::vector<Edit> plan_custom_resources(const load::Loaded& loaded,
                                        const classify::Inventory& inventory,
                                        const Settings& settings, Diagnostics& diagnostics) {
    const auto consumed = consumed_kinds(loaded, settings.custom_resources);
    Lists lists;
    std::vector<const Document*> built;
    for (const Document* doc : inventory.custom_documents) {
        if (doc->hook && is_applied(loaded, *doc)) {
            warn_of_hook(*doc, diagnostics);
        }
        if (!is_rendered(loaded, *doc)) {
            continue;
        }
        if (known_kind(*doc) == nullptr) {
            refuse(*doc, diagnostics);
        } else if (!is_of_release(*known_kind(*doc), settings.release)) {
            refuse_release(*doc, settings.release, diagnostics);
        } else if (text_of(doc->api_version) != kCustomVersion) {
            refuse_version(*doc, diagnostics);
        } else {
            built.push_back(doc);
        }
    }
    check_custom_duplicates(loaded, built, diagnostics);
    std::vector<Edit> edits;
    for (const Document* doc : built) {
        if (loaded.keeps_custom_resources || !consumed.contains(known_kind(*doc))) {
            continue;
        }
        if (doc->list != kNone) {
            lists[doc->list].push_back(doc);
        } else {
            cut_document(*doc, "consumed", edits, diagnostics);
        }
    }
    cut_lists(loaded, lists, edits, diagnostics);
    return edits;
}

}  // namespace renderer::plan

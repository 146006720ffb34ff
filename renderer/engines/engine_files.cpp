#include "renderer/engines/engine_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/contract/domain.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/engine_groups.h"

namespace renderer::engines {

namespace {

struct EngineGroup {
    std::string_view name;                   // with the slash
    std::array<std::string_view, 2> meant;   // kinds that apply something
    std::array<std::string_view, 2> others;  // similar kinds of the same group
    std::string_view versions;               // that any release serves, the newest first
};

constexpr std::array<EngineGroup, 4> kEngineGroups = {{
    {kHelmGroup, {"HelmRelease"}, {}, "v2 v2beta2 v2beta1 v2alpha1"},
    {kFluxGroup, {"Kustomization"}, {}, "v1 v1beta2 v1beta1 v1alpha1"},
    {kFluxOperator,
     {"ResourceSet", "FluxInstance"},
     {"ResourceSetInputProvider", "FluxReport"},
     "v1"},
    {kArgoGroup, {"Application", "ApplicationSet"}, {}, "v1alpha1"},
}};

bool says(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

// Returns null if the group is not that of an engine.
const EngineGroup* engine_group_of(std::string_view api_version) {
    const auto found = std::ranges::find_if(kEngineGroups, [&](const EngineGroup& group) {
        return api_version.starts_with(group.name);
    });
    return found == kEngineGroups.end() ? nullptr : &*found;
}

std::optional<Misspelling> wrong_kind(const Value& object, const EngineGroup& group) {
    const std::string_view version = text_of(object, {"apiVersion"});
    const Value* kind = object.find("kind");
    if (kind == nullptr || text_of(*kind).empty()) {
        return Misspelling{object.find("apiVersion")->pos(),
                           fmt::format("no kind beside \"{}\"", version)};
    }
    const std::string_view text = text_of(*kind);
    const bool is_other = std::ranges::find(group.others, text) != group.others.end();
    const std::string_view near =
        is_other ? "" : nearest(text, {group.meant.begin(), group.meant.end()});
    return near.empty() ? std::nullopt
                        : std::optional(Misspelling{
                              kind->pos(), fmt::format("no kind \"{}\" in \"{}\": is {} meant?",
                                                       text, version, near)});
}

std::optional<Misspelling> wrong_version(const Value& object, const EngineGroup& group) {
    const Value& version = *object.find("apiVersion");
    const std::vector<std::string_view> served = split(group.versions, ' ');
    const std::string_view text = text_of(version).substr(group.name.size());
    const bool is_word = std::ranges::all_of(text, is_lower_or_digit);
    return !is_word || std::ranges::find(served, text) != served.end()
               ? std::nullopt
               : std::optional(Misspelling{
                     version.pos(), fmt::format("no kind \"{}\" in \"{}\": is \"{}{}\" meant?",
                                                text_of(object, {"kind"}), text_of(version),
                                                group.name, served.front())});
}

std::optional<Misspelling> wrong_field(const Value& object) {
    const std::optional<MistypedField> field = mistyped_field(object);
    return field ? std::optional(Misspelling{
                       field->key->pos(),
                       fmt::format("no field \"{}\" in {}: is \"{}\" meant?", text_of(*field->key),
                                   text_of(object, {"kind"}), field->meant)})
                 : std::nullopt;
}

// `groups`: those that have the kind.
std::optional<Misspelling> wrong_group(const Value& object,
                                       const std::vector<std::string_view>& groups) {
    const Value& version = *object.find("apiVersion");
    const std::size_t slash = text_of(version).find('/');
    if (slash == std::string_view::npos && !has_own_field(object)) {
        return std::nullopt;
    }
    const std::string_view near = slash == std::string_view::npos
                                      ? groups.front()
                                      : nearest(text_of(version).substr(0, slash + 1), groups);
    return near.empty() ? std::nullopt
                        : std::optional(Misspelling{
                              version.pos(),
                              fmt::format("no kind \"{}\" in \"{}\": is \"{}…\" meant?",
                                          text_of(object, {"kind"}), text_of(version), near)});
}

bool is_list(const Value& object) {
    const Value* items = object.is_map() ? object.find("items") : nullptr;
    return items != nullptr && items->is_list() && text_of(object, {"kind"}).ends_with("List");
}

bool is_input(std::string_view api_version, std::string_view kind, std::string_view text) {
    if (kind == "Service" || kind == "Ingress" || kind == "ResourceSet" ||
        api_version.starts_with(kOperatorDomain)) {
        return true;
    }
    return api_version.starts_with("kustomize.config.k8s.io/") &&
           (says(text, kOperatorDomain) || says(text, "loadBalancerClass") ||
            says(text, "ingressClassName"));
}

}  // namespace

void add_objects(Value object, std::vector<Value>& objects) {
    if (!is_list(object)) {
        objects.push_back(std::move(object));
        return;
    }
    for (Value& item : object.find("items")->items()) {
        add_objects(std::move(item), objects);
    }
}

bool has_input(const std::string& path, std::string text, const std::vector<std::string>& words) {
    SourceMap sources;
    const SourceId source = sources.add(path, std::move(text));
    return std::ranges::any_of(
        scan_documents(sources, source), [&](const ScannedDocument& scanned) {
            const std::string_view whole = sources.text(source).substr(
                scanned.range.begin, scanned.range.end - scanned.range.begin);
            if (!scanned.mentions_tailscale &&
                std::ranges::none_of(words,
                                     [&](const std::string& word) { return says(whole, word); })) {
                return false;
            }
            if (scanned.plain && !text_of(scanned.kind).ends_with("List")) {
                return is_input(text_of(scanned.api_version), text_of(scanned.kind), whole);
            }
            Diagnostics discarded;
            std::vector<Value> objects;
            add_objects(read_yaml(sources, source, scanned.range, discarded), objects);
            return std::ranges::any_of(objects, [&](const Value& object) {
                return is_input(text_of(object, {"apiVersion"}), text_of(object, {"kind"}), whole);
            });
        });
}

bool holds_objects(const std::string& path, std::string_view text) {
    if (!says(text, "apiVersion") || !says(text, "kind")) {
        return false;
    }
    SourceMap sources;
    const SourceId source = sources.add(path, std::string(text));
    return std::ranges::any_of(
        scan_documents(sources, source), [&](const ScannedDocument& scanned) {
            if (scanned.plain) {
                return !text_of(scanned.api_version).empty() && !text_of(scanned.kind).empty();
            }
            Diagnostics discarded;
            const Value root = read_yaml(sources, source, scanned.range, discarded);
            return discarded.has_errors()
                       ? says(text, "apiVersion:") && says(text, "kind:") && says(text, "metadata:")
                       : !text_of(root, {"apiVersion"}).empty() && !text_of(root, {"kind"}).empty();
        });
}

bool says_unit(std::string_view text) {
    return std::ranges::any_of(kEngineGroups, [&](const EngineGroup& group) {
        return group.name != kHelmGroup && says(text, group.name) &&
               std::ranges::any_of(group.meant, [&](std::string_view kind) {
                   return !kind.empty() && says(text, kind);
               });
    });
}

bool may_be_misspelled(std::string_view text) {
    return says(text, kHelmGroup) ||
           (!says(text, "kustomize.config.k8s.io/") &&
            std::ranges::any_of(kEngineGroups, [&](const EngineGroup& group) {
                return std::ranges::any_of(group.meant, [&](std::string_view kind) {
                    return !kind.empty() && says(text, kind);
                });
            }));
}

std::optional<Misspelling> misspelling_of(const Value& object) {
    const std::string_view version = text_of(object, {"apiVersion"});
    const std::string_view kind = text_of(object, {"kind"});
    const EngineGroup* own = engine_group_of(version);
    std::vector<std::string_view> with_kind;
    for (const EngineGroup& group : kEngineGroups) {
        if (!kind.empty() && std::ranges::find(group.meant, kind) != group.meant.end()) {
            with_kind.push_back(group.name);
        }
    }
    if (own != nullptr && std::ranges::find(with_kind, own->name) == with_kind.end()) {
        return wrong_kind(object, *own);
    }
    if (own != nullptr) {
        std::optional<Misspelling> found = wrong_version(object, *own);
        return found ? std::move(found) : wrong_field(object);
    }
    if (with_kind.empty() || (version.empty() && object.find("spec") == nullptr)) {
        return std::nullopt;
    }
    if (!version.empty()) {
        return wrong_group(object, with_kind);
    }
    if (std::optional<Misspelling> found = wrong_field(object)) {
        return found;
    }
    return has_own_field(object)
               ? std::optional(Misspelling{object.find("kind")->pos(),
                                           fmt::format("no apiVersion beside {}", kind), true})
               : std::nullopt;
}

}  // namespace renderer::engines

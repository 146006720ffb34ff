#include "renderer/engines/engine_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/core/edit_distance.h"
#include "renderer/core/text_of.h"
#include "renderer/schema/type_table.h"
#include "renderer/schema/validator.h"

namespace renderer::engines {

namespace {

// Known fields of a map. A path without an entry is not checked.
struct Fields {
    std::string_view kind;
    std::string_view path;  // list items have the path of the list
    std::string_view names;
};

constexpr std::string_view kObjectFields = "apiVersion kind metadata spec status operation";
constexpr std::string_view kMetadataFields =
    "name namespace annotations labels finalizers generateName ownerReferences uid selfLink "
    "resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds "
    "managedFields";
constexpr std::string_view kReferenceFields = "apiVersion kind name namespace";
constexpr std::string_view kPathFields = "path exclude";
constexpr std::string_view kSelectorFields = "matchLabels matchExpressions";
constexpr std::string_view kRequirementFields = "key operator values";

constexpr auto kFields = std::to_array<Fields>({
    {"Kustomization", "spec",
     "commonMetadata dependsOn decryption interval retryInterval kubeConfig path postBuild prune "
     "deletionPolicy healthChecks healthCheckExprs namePrefix nameSuffix patches "
     "patchesStrategicMerge patchesJson6902 images serviceAccountName sourceRef suspend "
     "targetNamespace timeout force wait components ignoreMissingComponents validation "
     "buildMetadata ignore"},
    {"Kustomization", "spec.sourceRef", kReferenceFields},
    {"Kustomization", "spec.postBuild", "substitute substituteFrom substituteStrategy"},
    {"Kustomization", "spec.postBuild.substituteFrom", "kind name optional"},
    {"HelmRelease", "spec",
     "chart chartRef interval kubeConfig suspend releaseName targetNamespace storageNamespace "
     "dependsOn timeout maxHistory serviceAccountName persistentClient driftDetection install "
     "upgrade test rollback uninstall valuesFrom values postRenderers postRenderStrategy "
     "commonMetadata waitStrategy healthCheckExprs"},
    {"HelmRelease", "spec.chart", "metadata spec"},
    {"HelmRelease", "spec.chart.spec",
     "chart version sourceRef interval reconcileStrategy valuesFile valuesFiles "
     "ignoreMissingValuesFiles verify"},
    {"HelmRelease", "spec.chart.spec.sourceRef", kReferenceFields},
    {"HelmRelease", "spec.chartRef", kReferenceFields},
    {"HelmRelease", "spec.valuesFrom", "kind name valuesKey targetPath optional literal"},
    {"ResourceSet", "spec",
     "inputs inputsFrom inputStrategy resources resourcesTemplate dependsOn serviceAccountName "
     "wait commonMetadata healthChecks healthCheckExprs"},
    {"ResourceSet", "spec.inputsFrom", "apiVersion kind name selector"},
    {"Application", "spec",
     "project destination source sources sourceHydrator syncPolicy ignoreDifferences info "
     "revisionHistoryLimit"},
    {"Application", "spec.destination", "server name namespace"},
    {"Application", "spec.source",
     "repoURL targetRevision path chart helm kustomize directory plugin ref name tagPrefix"},
    {"Application", "spec.source.helm",
     "valueFiles values valuesObject parameters fileParameters releaseName passCredentials "
     "ignoreMissingValueFiles skipCrds skipSchemaValidation skipTests version namespace "
     "kubeVersion apiVersions"},
    {"Application", "spec.source.kustomize",
     "namePrefix nameSuffix images replicas commonLabels commonAnnotations "
     "commonAnnotationsEnvsubst forceCommonLabels forceCommonAnnotations namespace patches "
     "components ignoreMissingComponents labelWithoutSelector labelIncludeTemplates version "
     "kubeVersion apiVersions"},
    {"Application", "spec.source.directory",
     "recurse jsonnet exclude include disableExtensionFilter"},
    {"Application", "spec.sourceHydrator", "drySource syncSource hydrateTo"},
    {"Application", "spec.sourceHydrator.syncSource", "targetBranch path repoURL"},
    {"ApplicationSet", "spec",
     "generators template templatePatch goTemplate goTemplateOptions syncPolicy strategy "
     "preservedFields ignoreApplicationDifferences applyNestedSelectors"},
    {"ApplicationSet", "spec.template", "metadata spec"},
    {"ApplicationSet", "spec.template.metadata", "name namespace labels annotations finalizers"},
    {"ApplicationSet", "spec.generators",
     "list clusters git oci scmProvider pullRequest clusterDecisionResource matrix merge plugin "
     "selector"},
    {"ApplicationSet", "spec.generators.list", "elements elementsYaml template"},
    {"ApplicationSet", "spec.generators.clusters", "selector template values flatList"},
    {"ApplicationSet", "spec.generators.clusters.selector", kSelectorFields},
    {"ApplicationSet", "spec.generators.clusters.selector.matchExpressions", kRequirementFields},
    {"ApplicationSet", "spec.generators.selector", kSelectorFields},
    {"ApplicationSet", "spec.generators.selector.matchExpressions", kRequirementFields},
    {"ApplicationSet", "spec.generators.git",
     "repoURL revision directories files requeueAfterSeconds template pathParamPrefix values"},
    {"ApplicationSet", "spec.generators.git.directories", kPathFields},
    {"ApplicationSet", "spec.generators.git.files", kPathFields},
    {"ApplicationSet", "spec.generators.matrix", "generators template"},
    {"ApplicationSet", "spec.generators.merge", "generators mergeKeys template"},
});

std::string_view known_names(std::string_view kind, std::string_view path) {
    if (path.empty()) {
        return kObjectFields;
    }
    if (path == "metadata") {
        return kMetadataFields;
    }
    const auto found = std::ranges::find_if(
        kFields, [&](const Fields& fields) { return fields.kind == kind && fields.path == path; });
    return found == kFields.end() ? std::string_view() : found->names;
}

std::optional<MistypedField> find_in(const Value& value, std::string_view kind,
                                     const std::string& path) {
    constexpr std::string_view kTemplate = "spec.template.";
    if (kind == "ApplicationSet" && path.starts_with("spec.template.spec")) {
        return find_in(value, "Application", path.substr(kTemplate.size()));
    }
    if (kind == "Application" && path == "spec.sources") {
        return find_in(value, kind, "spec.source");
    }
    if (path.ends_with(".matrix.generators") || path.ends_with(".merge.generators")) {
        return find_in(value, kind, "spec.generators");
    }
    for (const Value& item : items_of(&value)) {
        if (std::optional<MistypedField> found = find_in(item, kind, path)) {
            return found;
        }
    }
    const std::string_view names = known_names(kind, path);
    const std::vector<std::string_view> known = split(names, ' ');
    for (const Member& member : members_of(names.empty() ? nullptr : &value)) {
        if (std::ranges::find(known, member.name()) == known.end()) {
            const auto meant = std::ranges::min_element(known, {}, [&](std::string_view name) {
                return edit_distance(lower_case(member.name()), lower_case(name));
            });
            if (is_typo_of(member.name(), *meant)) {
                return MistypedField{&member.key, *meant};
            }
            continue;
        }
        const std::string below =
            path.empty() ? std::string(member.name()) : path + "." + std::string(member.name());
        if (std::optional<MistypedField> found = find_in(member.value, kind, below)) {
            return found;
        }
    }
    return std::nullopt;
}

// Fields of spec, each of which shows that the object is not a patch.
struct OwnFields {
    std::string_view kind;
    std::array<std::string_view, 4> any;  // "" = none
};

constexpr auto kOwn = std::to_array<OwnFields>({
    {"Kustomization", {"sourceRef"}},
    {"HelmRelease", {"chart", "chartRef"}},
    {"ResourceSet", {"resources", "resourcesTemplate"}},
    {"FluxInstance", {"distribution"}},
    {"Application", {"source", "sources", "sourceHydrator", "destination"}},
    {"ApplicationSet", {"generators"}},
    {"GitRepository", {"url", "interval"}},
    {"OCIRepository", {"url", "interval"}},
    {"HelmRepository", {"url", "interval"}},
    {"Bucket", {"bucketName", "endpoint", "interval"}},
});

// Returns the schema of a kind of an engine, or nullptr.
const schema::ValueType* schema_of_kind(std::string_view kind) {
    static schema::TypeTable table(schema::kubernetes_versions().back());
    static const std::map<std::string_view, const schema::ValueType*> kTypes = [] {
        std::map<std::string_view, const schema::ValueType*> types;
        for (const OwnFields& own : kOwn) {
            types[own.kind] = table.find_of_engine(own.kind);
        }
        return types;
    }();
    const auto found = kTypes.find(kind);
    return found == kTypes.end() ? nullptr : found->second;
}

// False if no object can have the name (RFC 1123). A variable or a parameter may be a part of it.
bool may_be_name(std::string_view name) {
    return name.find("${") != std::string_view::npos || name.find("{{") != std::string_view::npos ||
           std::ranges::all_of(name,
                               [](char c) { return is_lower_or_digit(c) || c == '-' || c == '.'; });
}

// A rule of the schema between two fields.
bool names_no_chart(const Value& object) {
    const auto has = [&](std::string_view field) {
        const Value* value = object.at({"spec", field});
        return value != nullptr && !value->is_null();
    };
    return text_of(object, {"kind"}) == "HelmRelease" && !has("chart") && !has("chartRef");
}

// What Argo CD rejects in an Application that its schema allows.
// Source: argo-cd v3.6.1 util/argo/argo.go (GetDestinationServer), util/app/path/path.go (Path).
std::optional<IncompleteObject> rejected_by_argo(const Value& object) {
    if (text_of(object, {"kind"}) != "Application") {
        return std::nullopt;
    }
    const Value* destination = object.at({"spec", "destination"});
    const bool has_name = !text_of(object, {"spec", "destination", "name"}).empty();
    const bool has_server = !text_of(object, {"spec", "destination", "server"}).empty();
    if (destination != nullptr && destination->is_map() && has_name == has_server) {
        return IncompleteObject{destination->pos(), "spec.destination needs either name or server",
                                !has_name};
    }
    const Value* path = object.at({"spec", "source", "path"});
    for (const Value& source : items_of(object.at({"spec", "sources"}))) {
        path = text_of(source, {"path"}).starts_with('/') ? source.find("path") : path;
    }
    return text_of(path).starts_with('/')
               ? std::optional(IncompleteObject{path->pos(), "spec.source.path begins with \"/\""})
               : std::nullopt;
}

std::string fault_text(const Diagnostic& fault) {
    std::string words = fault.message;
    std::erase(words, '"');  // paths of fields are no text of the user
    words += fault.found.empty() ? "" : fmt::format(": {}", fault.found);
    if (fault.rule == schema::kUnknownRule) {
        words += fmt::format(": {}", fault.hint);
    } else if (fault.rule != schema::kRequiredRule && !fault.expected.empty()) {
        words += fmt::format(", not {}", fault.expected);
    }
    if (fault.message.find("helm.values\"") != std::string::npos) {
        words += "; valuesObject takes a map";
    }
    return words;
}

// True for a missing field that does not change what is applied: the user would add it.
bool is_setting(const schema::SchemaFault& fault) {
    constexpr std::array<std::string_view, 4> kSettings = {"interval", "prune", "project",
                                                           "revision"};
    return std::ranges::find(kSettings, fault.missing) != kSettings.end();
}

bool is_typo(const schema::SchemaFault& fault) {
    return fault.diagnostic.rule == schema::kUnknownRule &&
           fault.diagnostic.hint.starts_with("did you mean");
}

bool is_known_field(const schema::SchemaFault& fault) {
    return fault.diagnostic.rule != schema::kUnknownRule;
}

// Adds the faults of the object by the schema of its kind to those that were found: the ones that
// `counts` is true for.
std::optional<IncompleteObject> faults_of(const Value& object,
                                          bool (*counts)(const schema::SchemaFault&),
                                          std::optional<IncompleteObject> found) {
    const schema::ValueType* type = schema_of_kind(text_of(object, {"kind"}));
    if (type == nullptr) {
        return found;
    }
    for (const schema::SchemaFault& fault : schema::validate(object, *type, {})) {
        const Diagnostic& one = fault.diagnostic;
        const bool is_missing = one.rule == schema::kRequiredRule;
        if (fault.may_change || !counts(fault)) {
            continue;
        }
        if (!found) {
            found = {one.pos, fault_text(one), is_missing};
        } else {
            found->message += fmt::format("; {}", fault_text(one));
            found->is_missing = found->is_missing && is_missing;
        }
    }
    return found;
}

}  // namespace

bool is_typo_of(std::string_view word, std::string_view meant) {
    const std::size_t distance = edit_distance(lower_case(word), lower_case(meant));
    return word != meant && (distance < 2 || (distance == 2 && meant.size() >= 4));
}

std::string_view meant_name(std::string_view word, const std::vector<std::string_view>& names) {
    const auto letters = [](std::string_view name) {
        std::string out(name);
        std::erase_if(out, is_digit);
        return out;
    };
    if (word.find("${") != std::string_view::npos ||
        std::ranges::find(names, word) != names.end()) {
        return {};
    }
    const auto meant = std::ranges::find_if(names, [&](std::string_view name) {
        return name.size() > 4 && is_typo_of(word, name) && letters(word) != letters(name);
    });
    return meant == names.end() ? std::string_view() : *meant;
}

std::optional<MistypedField> mistyped_field(const Value& object) {
    constexpr std::array<std::string_view, 5> kWithFields = {
        "HelmRelease", "Kustomization", "ResourceSet", "Application", "ApplicationSet"};
    const std::string_view kind = text_of(object, {"kind"});
    return std::ranges::find(kWithFields, kind) == kWithFields.end() ? std::nullopt
                                                                     : find_in(object, kind, {});
}

bool has_own_field(const Value& object) {
    const std::string_view kind = text_of(object, {"kind"});
    return std::ranges::any_of(kOwn, [&](const OwnFields& own) {
        return own.kind == kind && std::ranges::any_of(own.any, [&](std::string_view field) {
                   return !field.empty() && object.at({"spec", field}) != nullptr;
               });
    });
}

std::optional<IncompleteObject> incomplete_object(const Value& object) {
    const Value* metadata = object.find("metadata");
    const Pos place = object.find("kind")->pos();
    const Value* name = object.at({"metadata", "name"});
    if (name == nullptr && object.at({"metadata", "generateName"}) == nullptr) {
        return IncompleteObject{metadata == nullptr ? place : metadata->pos(),
                                "metadata.name is required"};
    }
    if (name != nullptr && !name->is_string()) {
        return IncompleteObject{name->pos(),
                                fmt::format("metadata.name is {}, not text", kind_name(*name))};
    }
    if (name != nullptr && !may_be_name(name->text())) {
        return IncompleteObject{
            name->pos(), fmt::format("metadata.name is {}, which cannot be the name of an object",
                                     name->text())};
    }
    std::optional<IncompleteObject> found = rejected_by_argo(object);
    if (names_no_chart(object)) {
        found = {place, "spec.chart or spec.chartRef is missing", true};
    }
    return faults_of(
        object,
        [](const schema::SchemaFault& fault) {
            return is_known_field(fault) && !is_setting(fault);
        },
        std::move(found));
}

std::optional<IncompleteObject> lacking_settings(const Value& object) {
    return faults_of(object, is_setting, {});
}

std::optional<IncompleteObject> rejected_source(const Value& object) {
    return faults_of(object,
                     [](const schema::SchemaFault& fault) {
                         return is_typo(fault) || (is_known_field(fault) && !is_setting(fault));
                     },
                     {});
}

void warn_rejected(std::string_view name, const IncompleteObject& fault, Diagnostics& diagnostics) {
    diagnostics
        .warning("incomplete-unit", fault.pos, fmt::format("the API server rejects {}", name))
        .found(fault.message)
        .expected("an object that it accepts; this one is followed anyway")
        .hint(std::string(kAskServer));
}

}  // namespace renderer::engines

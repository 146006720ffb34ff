#include "renderer/engines/engine_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/core/edit_distance.h"
#include "renderer/core/text_of.h"

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
            const auto meant = std::ranges::find_if(
                known, [&](std::string_view name) { return is_typo_of(member.name(), name); });
            if (meant != known.end()) {
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

struct RequiredFields {
    std::string_view kind;
    std::array<std::string_view, 4> any;  // of spec; each one shows that the object is not a patch
    std::array<std::string_view, 2> one;  // one of these in spec is required, "" = none
    bool is_list = false;
};

constexpr auto kRequired = std::to_array<RequiredFields>({
    {"Kustomization", {"sourceRef"}, {"sourceRef"}},
    {"HelmRelease", {"chart", "chartRef"}, {"chart", "chartRef"}},
    {"ResourceSet", {"resources", "resourcesTemplate"}, {}},
    {"FluxInstance", {"distribution"}, {}},
    {"Application", {"source", "sources", "sourceHydrator", "destination"}, {"destination"}},
    {"ApplicationSet", {"generators"}, {"template"}},
    {"ApplicationSet", {"generators"}, {"generators"}, true},
});

// A field that is required if its map exists.
struct NestedField {
    std::string_view kind;
    std::string_view map;  // in spec
    std::string_view name;
};

constexpr auto kNested = std::to_array<NestedField>({
    {"HelmRelease", "chart", "spec"},
    {"HelmRelease", "chart.spec", "chart"},
    {"HelmRelease", "chart.spec", "sourceRef"},
    {"HelmRelease", "chart.spec.sourceRef", "name"},
    {"HelmRelease", "chartRef", "name"},
});

// Returns nullptr if the value does not exist or is not a map.
const Value* map_of_spec(const Value& object, std::string_view path) {
    const Value* map = object.find("spec");
    for (const std::string_view name : split(path, '.')) {
        map = map != nullptr && map->is_map() ? map->find(name) : nullptr;
    }
    return map != nullptr && map->is_map() ? map : nullptr;
}

std::optional<IncompleteObject> incomplete_map(const Value& object) {
    const std::string_view kind = text_of(object, {"kind"});
    for (const NestedField& nested : kNested) {
        const Value* map = nested.kind == kind ? map_of_spec(object, nested.map) : nullptr;
        const Value* field = map == nullptr ? nullptr : map->find(nested.name);
        if (map != nullptr && (field == nullptr || field->is_null())) {
            return IncompleteObject{
                map->pos(), fmt::format("spec.{}.{} is required", nested.map, nested.name), true};
        }
    }
    return std::nullopt;
}

}  // namespace

bool is_typo_of(std::string_view word, std::string_view meant) {
    const std::size_t distance = edit_distance(lower_case(word), lower_case(meant));
    return word != meant && (distance < 2 || (distance == 2 && meant.size() >= 4));
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
    return std::ranges::any_of(kRequired, [&](const RequiredFields& required) {
        return required.kind == kind &&
               std::ranges::any_of(required.any, [&](std::string_view field) {
                   return !field.empty() && object.at({"spec", field}) != nullptr;
               });
    });
}

std::optional<IncompleteObject> incomplete_object(const Value& object) {
    const Value* metadata = object.find("metadata");
    const Pos place = object.find("kind")->pos();
    if (object.at({"metadata", "name"}) == nullptr &&
        object.at({"metadata", "generateName"}) == nullptr) {
        return IncompleteObject{metadata == nullptr ? place : metadata->pos(),
                                "metadata.name is required"};
    }
    for (const RequiredFields& required : kRequired) {
        if (required.kind != text_of(object, {"kind"}) || required.one.front().empty()) {
            continue;
        }
        const auto [first, second] = required.one;
        const Value* field = object.at({"spec", first});
        if ((field == nullptr || field->is_null()) && !second.empty()) {
            field = object.at({"spec", second});
        }
        if (field == nullptr || field->is_null()) {
            return IncompleteObject{
                place,
                second.empty() ? fmt::format("spec.{} is required", first)
                               : fmt::format("spec.{} or spec.{} is required", first, second),
                true};
        }
        if (required.is_list ? !field->is_list() : !field->is_map()) {
            return IncompleteObject{field->pos(), fmt::format("spec.{} is not a {}", first,
                                                              required.is_list ? "list" : "map")};
        }
    }
    return incomplete_map(object);
}

}  // namespace renderer::engines

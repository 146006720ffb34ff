#include <array>

#include "renderer/engines/fleet/fleet_bundle.h"

namespace renderer {

namespace {

constexpr std::array kRequirement = {
    SchemaField{"key operator", FieldType::Text},
    SchemaField{"values", FieldType::TextList},
};

constexpr std::array kSelector = {
    SchemaField{"matchLabels", FieldType::TextMap},
    SchemaField{"matchExpressions", FieldType::SectionList, kRequirement},
};

constexpr std::array kKeyRef = {
    SchemaField{"name namespace key", FieldType::Text},
};

constexpr std::array kValuesFrom = {
    SchemaField{"configMapKeyRef secretKeyRef", FieldType::Section, kKeyRef},
};

constexpr std::array kHelm = {
    SchemaField{"atomic disableDNS disableDependencyUpdate disablePreProcess "
                "force skipSchemaValidation takeOwnership waitForJobs",
                FieldType::Flag},
    SchemaField{"chart releaseName repo version", FieldType::Text},
    SchemaField{"maxHistory timeoutSeconds", FieldType::Number},
    SchemaField{"templateValues values", FieldType::Map},
    SchemaField{"valuesFiles", FieldType::TextList},
    SchemaField{"valuesFrom", FieldType::SectionList, kValuesFrom},
};

constexpr std::array kKustomize = {SchemaField{"dir", FieldType::Text}};

constexpr std::array kYaml = {SchemaField{"overlays", FieldType::TextList}};

constexpr std::array kOperation = {
    SchemaField{"op path value", FieldType::Text},
};

constexpr std::array kComparePatch = {
    SchemaField{"apiVersion kind name namespace", FieldType::Text},
    SchemaField{"jsonPointers", FieldType::TextList},
    SchemaField{"operations", FieldType::SectionList, kOperation},
};

constexpr std::array kDiff = {
    SchemaField{"comparePatches", FieldType::SectionList, kComparePatch},
};

constexpr std::array kCorrectDrift = {
    SchemaField{"enabled force keepFailHistory", FieldType::Flag},
};

constexpr std::array kDownstream = {
    SchemaField{"kind name", FieldType::Text},
};

constexpr std::array kSecretRef = {SchemaField{"name", FieldType::Text}};

constexpr std::array kSemver = {SchemaField{"range", FieldType::Text}};

constexpr std::array kAlphabetical = {SchemaField{"order", FieldType::Text}};

constexpr std::array kImagePolicy = {
    SchemaField{"alphabetical", FieldType::Section, kAlphabetical},
    SchemaField{"semver", FieldType::Section, kSemver},
};

constexpr std::array kImageScan = {
    SchemaField{"gitrepoName image interval name tagName", FieldType::Text},
    SchemaField{"policy", FieldType::Section, kImagePolicy},
    SchemaField{"secretRef", FieldType::Section, kSecretRef},
    SchemaField{"suspend", FieldType::Flag},
};

constexpr std::array kIgnore = {SchemaField{"conditions", FieldType::Any}};

constexpr std::array kTarget = {
    SchemaField{"clusterGroup clusterName defaultNamespace name namespace "
                "serviceAccount",
                FieldType::Text},
    SchemaField{"clusterGroupSelector clusterSelector", FieldType::Section, kSelector},
    SchemaField{"correctDrift", FieldType::Section, kCorrectDrift},
    SchemaField{"createNamespace deleteCRDResources deleteNamespace "
                "doNotDeploy keepResources",
                FieldType::Flag},
    SchemaField{"diff", FieldType::Section, kDiff},
    SchemaField{"downstreamResources", FieldType::SectionList, kDownstream},
    SchemaField{"forceSyncGeneration", FieldType::Number},
    SchemaField{"helm", FieldType::Section, kHelm},
    SchemaField{"ignore", FieldType::Section, kIgnore},
    SchemaField{"kustomize", FieldType::Section, kKustomize},
    SchemaField{"namespaceAnnotations namespaceLabels", FieldType::TextMap},
    SchemaField{"yaml", FieldType::Section, kYaml},
};

constexpr std::array kGitTarget = {
    SchemaField{"name clusterGroup clusterName", FieldType::Text},
    SchemaField{"clusterGroupSelector clusterSelector", FieldType::Section, kSelector},
};

constexpr std::array kDependsOn = {
    SchemaField{"name", FieldType::Text},
    SchemaField{"selector", FieldType::Section, kSelector},
    SchemaField{"acceptedStates", FieldType::TextList},
};

constexpr std::array kFleet = {
    SchemaField{"correctDrift", FieldType::Section, kCorrectDrift},
    SchemaField{"createNamespace deleteCRDResources deleteNamespace "
                "keepResources paused",
                FieldType::Flag},
    SchemaField{"defaultNamespace name namespace serviceAccount "
                "targetCustomizationMode",
                FieldType::Text},
    SchemaField{"dependsOn", FieldType::SectionList, kDependsOn},
    SchemaField{"diff", FieldType::Section, kDiff},
    SchemaField{"downstreamResources", FieldType::SectionList, kDownstream},
    SchemaField{"forceSyncGeneration", FieldType::Number},
    SchemaField{"helm", FieldType::Section, kHelm},
    SchemaField{"ignore", FieldType::Section, kIgnore},
    SchemaField{"imageScans", FieldType::SectionList, kImageScan},
    SchemaField{"kustomize", FieldType::Section, kKustomize},
    SchemaField{"labels namespaceAnnotations namespaceLabels", FieldType::TextMap},
    SchemaField{"overrideTargets", FieldType::SectionList, kGitTarget},
    SchemaField{"rolloutStrategy", FieldType::Map},
    SchemaField{"targetCustomizations targets", FieldType::SectionList, kTarget},
    SchemaField{"yaml", FieldType::Section, kYaml},
};

}  // namespace

Schema fleet_schema() {
    return kFleet;
}

}  // namespace renderer

#include "renderer/load/fleet/fleet_schema.h"

#include <array>

namespace renderer {

namespace {

constexpr std::array kRequirement = {
    SchemaField{"key", FieldType::Text},
    SchemaField{"operator", FieldType::Text},
    SchemaField{"values", FieldType::TextList},
};

constexpr std::array kSelector = {
    SchemaField{"matchLabels", FieldType::TextMap},
    SchemaField{"matchExpressions", FieldType::SectionList, kRequirement},
};

constexpr std::array kKeyRef = {
    SchemaField{"name", FieldType::Text},
    SchemaField{"namespace", FieldType::Text},
    SchemaField{"key", FieldType::Text},
};

constexpr std::array kValuesFrom = {
    SchemaField{"configMapKeyRef", FieldType::Section, kKeyRef},
    SchemaField{"secretKeyRef", FieldType::Section, kKeyRef},
};

constexpr std::array kHelm = {
    SchemaField{"atomic", FieldType::Flag},
    SchemaField{"chart", FieldType::Text},
    SchemaField{"disableDNS", FieldType::Flag},
    SchemaField{"disableDependencyUpdate", FieldType::Flag},
    SchemaField{"disablePreProcess", FieldType::Flag},
    SchemaField{"force", FieldType::Flag},
    SchemaField{"maxHistory", FieldType::Number},
    SchemaField{"releaseName", FieldType::Text},
    SchemaField{"repo", FieldType::Text},
    SchemaField{"skipSchemaValidation", FieldType::Flag},
    SchemaField{"takeOwnership", FieldType::Flag},
    SchemaField{"templateValues", FieldType::Map},
    SchemaField{"timeoutSeconds", FieldType::Number},
    SchemaField{"values", FieldType::Map},
    SchemaField{"valuesFiles", FieldType::TextList},
    SchemaField{"valuesFrom", FieldType::SectionList, kValuesFrom},
    SchemaField{"version", FieldType::Text},
    SchemaField{"waitForJobs", FieldType::Flag},
};

constexpr std::array kKustomize = {SchemaField{"dir", FieldType::Text}};
constexpr std::array kYaml = {SchemaField{"overlays", FieldType::TextList}};

constexpr std::array kOperation = {
    SchemaField{"op", FieldType::Text},
    SchemaField{"path", FieldType::Text},
    SchemaField{"value", FieldType::Text},
};

constexpr std::array kComparePatch = {
    SchemaField{"apiVersion", FieldType::Text},
    SchemaField{"kind", FieldType::Text},
    SchemaField{"name", FieldType::Text},
    SchemaField{"namespace", FieldType::Text},
    SchemaField{"jsonPointers", FieldType::TextList},
    SchemaField{"operations", FieldType::SectionList, kOperation},
};

constexpr std::array kDiff = {
    SchemaField{"comparePatches", FieldType::SectionList, kComparePatch},
};

constexpr std::array kCorrectDrift = {
    SchemaField{"enabled", FieldType::Flag},
    SchemaField{"force", FieldType::Flag},
    SchemaField{"keepFailHistory", FieldType::Flag},
};

constexpr std::array kDownstream = {
    SchemaField{"kind", FieldType::Text},
    SchemaField{"name", FieldType::Text},
};

constexpr std::array kSecretRef = {SchemaField{"name", FieldType::Text}};
constexpr std::array kSemver = {SchemaField{"range", FieldType::Text}};
constexpr std::array kAlphabetical = {SchemaField{"order", FieldType::Text}};

constexpr std::array kImagePolicy = {
    SchemaField{"alphabetical", FieldType::Section, kAlphabetical},
    SchemaField{"semver", FieldType::Section, kSemver},
};

constexpr std::array kImageScan = {
    SchemaField{"gitrepoName", FieldType::Text},
    SchemaField{"image", FieldType::Text},
    SchemaField{"interval", FieldType::Text},
    SchemaField{"name", FieldType::Text},
    SchemaField{"policy", FieldType::Section, kImagePolicy},
    SchemaField{"secretRef", FieldType::Section, kSecretRef},
    SchemaField{"suspend", FieldType::Flag},
    SchemaField{"tagName", FieldType::Text},
};

constexpr std::array kIgnore = {SchemaField{"conditions", FieldType::Any}};

constexpr std::array kTarget = {
    SchemaField{"clusterGroup", FieldType::Text},
    SchemaField{"clusterGroupSelector", FieldType::Section, kSelector},
    SchemaField{"clusterName", FieldType::Text},
    SchemaField{"clusterSelector", FieldType::Section, kSelector},
    SchemaField{"correctDrift", FieldType::Section, kCorrectDrift},
    SchemaField{"createNamespace", FieldType::Flag},
    SchemaField{"defaultNamespace", FieldType::Text},
    SchemaField{"deleteCRDResources", FieldType::Flag},
    SchemaField{"deleteNamespace", FieldType::Flag},
    SchemaField{"diff", FieldType::Section, kDiff},
    SchemaField{"doNotDeploy", FieldType::Flag},
    SchemaField{"downstreamResources", FieldType::SectionList, kDownstream},
    SchemaField{"forceSyncGeneration", FieldType::Number},
    SchemaField{"helm", FieldType::Section, kHelm},
    SchemaField{"ignore", FieldType::Section, kIgnore},
    SchemaField{"keepResources", FieldType::Flag},
    SchemaField{"kustomize", FieldType::Section, kKustomize},
    SchemaField{"name", FieldType::Text},
    SchemaField{"namespace", FieldType::Text},
    SchemaField{"namespaceAnnotations", FieldType::TextMap},
    SchemaField{"namespaceLabels", FieldType::TextMap},
    SchemaField{"serviceAccount", FieldType::Text},
    SchemaField{"yaml", FieldType::Section, kYaml},
};

constexpr std::array kGitTarget = {
    SchemaField{"name", FieldType::Text},
    SchemaField{"clusterGroup", FieldType::Text},
    SchemaField{"clusterGroupSelector", FieldType::Section, kSelector},
    SchemaField{"clusterName", FieldType::Text},
    SchemaField{"clusterSelector", FieldType::Section, kSelector},
};

constexpr std::array kDependsOn = {
    SchemaField{"name", FieldType::Text},
    SchemaField{"selector", FieldType::Section, kSelector},
    SchemaField{"acceptedStates", FieldType::TextList},
};

constexpr std::array kFleet = {
    SchemaField{"correctDrift", FieldType::Section, kCorrectDrift},
    SchemaField{"createNamespace", FieldType::Flag},
    SchemaField{"defaultNamespace", FieldType::Text},
    SchemaField{"deleteCRDResources", FieldType::Flag},
    SchemaField{"deleteNamespace", FieldType::Flag},
    SchemaField{"dependsOn", FieldType::SectionList, kDependsOn},
    SchemaField{"diff", FieldType::Section, kDiff},
    SchemaField{"downstreamResources", FieldType::SectionList, kDownstream},
    SchemaField{"forceSyncGeneration", FieldType::Number},
    SchemaField{"helm", FieldType::Section, kHelm},
    SchemaField{"ignore", FieldType::Section, kIgnore},
    SchemaField{"imageScans", FieldType::SectionList, kImageScan},
    SchemaField{"keepResources", FieldType::Flag},
    SchemaField{"kustomize", FieldType::Section, kKustomize},
    SchemaField{"labels", FieldType::TextMap},
    SchemaField{"name", FieldType::Text},
    SchemaField{"namespace", FieldType::Text},
    SchemaField{"namespaceAnnotations", FieldType::TextMap},
    SchemaField{"namespaceLabels", FieldType::TextMap},
    SchemaField{"overrideTargets", FieldType::SectionList, kGitTarget},
    SchemaField{"paused", FieldType::Flag},
    SchemaField{"rolloutStrategy", FieldType::Map},
    SchemaField{"serviceAccount", FieldType::Text},
    SchemaField{"targetCustomizationMode", FieldType::Text},
    SchemaField{"targetCustomizations", FieldType::SectionList, kTarget},
    SchemaField{"targets", FieldType::SectionList, kTarget},
    SchemaField{"yaml", FieldType::Section, kYaml},
};

}  // namespace

Schema fleet_schema() {
    return kFleet;
}

}  // namespace renderer

#include <array>

#include "renderer/engines/fleet/fleet_bundle.h"

namespace renderer::engines {

namespace {

constexpr std::array kRequirement = {
    repo::SchemaField{"key operator", repo::FieldType::Text},
    repo::SchemaField{"values", repo::FieldType::TextList},
};

constexpr std::array kSelector = {
    repo::SchemaField{"matchLabels", repo::FieldType::TextMap},
    repo::SchemaField{"matchExpressions", repo::FieldType::SectionList, kRequirement},
};

constexpr std::array kKeyRef = {
    repo::SchemaField{"name namespace key", repo::FieldType::Text},
};

constexpr std::array kValuesFrom = {
    repo::SchemaField{"configMapKeyRef secretKeyRef", repo::FieldType::Section, kKeyRef},
};

constexpr std::array kHelm = {
    repo::SchemaField{"atomic disableDNS disableDependencyUpdate disablePreProcess "
                      "force skipSchemaValidation takeOwnership waitForJobs",
                      repo::FieldType::Flag},
    repo::SchemaField{"chart releaseName repo version", repo::FieldType::Text},
    repo::SchemaField{"maxHistory timeoutSeconds", repo::FieldType::Number},
    repo::SchemaField{"templateValues values", repo::FieldType::Map},
    repo::SchemaField{"valuesFiles", repo::FieldType::TextList},
    repo::SchemaField{"valuesFrom", repo::FieldType::SectionList, kValuesFrom},
};

constexpr std::array kKustomize = {repo::SchemaField{"dir", repo::FieldType::Text}};

constexpr std::array kYaml = {repo::SchemaField{"overlays", repo::FieldType::TextList}};

constexpr std::array kOperation = {
    repo::SchemaField{"op path value", repo::FieldType::Text},
};

constexpr std::array kComparePatch = {
    repo::SchemaField{"apiVersion kind name namespace", repo::FieldType::Text},
    repo::SchemaField{"jsonPointers", repo::FieldType::TextList},
    repo::SchemaField{"operations", repo::FieldType::SectionList, kOperation},
};

constexpr std::array kDiff = {
    repo::SchemaField{"comparePatches", repo::FieldType::SectionList, kComparePatch},
};

constexpr std::array kCorrectDrift = {
    repo::SchemaField{"enabled force keepFailHistory", repo::FieldType::Flag},
};

constexpr std::array kDownstream = {
    repo::SchemaField{"kind name", repo::FieldType::Text},
};

constexpr std::array kSecretRef = {repo::SchemaField{"name", repo::FieldType::Text}};

constexpr std::array kSemver = {repo::SchemaField{"range", repo::FieldType::Text}};

constexpr std::array kAlphabetical = {repo::SchemaField{"order", repo::FieldType::Text}};

constexpr std::array kImagePolicy = {
    repo::SchemaField{"alphabetical", repo::FieldType::Section, kAlphabetical},
    repo::SchemaField{"semver", repo::FieldType::Section, kSemver},
};

constexpr std::array kImageScan = {
    repo::SchemaField{"gitrepoName image interval name tagName", repo::FieldType::Text},
    repo::SchemaField{"policy", repo::FieldType::Section, kImagePolicy},
    repo::SchemaField{"secretRef", repo::FieldType::Section, kSecretRef},
    repo::SchemaField{"suspend", repo::FieldType::Flag},
};

constexpr std::array kIgnore = {repo::SchemaField{"conditions", repo::FieldType::Any}};

constexpr std::array kTarget = {
    repo::SchemaField{"clusterGroup clusterName defaultNamespace name namespace "
                      "serviceAccount",
                      repo::FieldType::Text},
    repo::SchemaField{"clusterGroupSelector clusterSelector", repo::FieldType::Section, kSelector},
    repo::SchemaField{"correctDrift", repo::FieldType::Section, kCorrectDrift},
    repo::SchemaField{"createNamespace deleteCRDResources deleteNamespace "
                      "doNotDeploy keepResources",
                      repo::FieldType::Flag},
    repo::SchemaField{"diff", repo::FieldType::Section, kDiff},
    repo::SchemaField{"downstreamResources", repo::FieldType::SectionList, kDownstream},
    repo::SchemaField{"forceSyncGeneration", repo::FieldType::Number},
    repo::SchemaField{"helm", repo::FieldType::Section, kHelm},
    repo::SchemaField{"ignore", repo::FieldType::Section, kIgnore},
    repo::SchemaField{"kustomize", repo::FieldType::Section, kKustomize},
    repo::SchemaField{"namespaceAnnotations namespaceLabels", repo::FieldType::TextMap},
    repo::SchemaField{"yaml", repo::FieldType::Section, kYaml},
};

constexpr std::array kGitTarget = {
    repo::SchemaField{"name clusterGroup clusterName", repo::FieldType::Text},
    repo::SchemaField{"clusterGroupSelector clusterSelector", repo::FieldType::Section, kSelector},
};

constexpr std::array kDependsOn = {
    repo::SchemaField{"name", repo::FieldType::Text},
    repo::SchemaField{"selector", repo::FieldType::Section, kSelector},
    repo::SchemaField{"acceptedStates", repo::FieldType::TextList},
};

constexpr std::array kFleet = {
    repo::SchemaField{"correctDrift", repo::FieldType::Section, kCorrectDrift},
    repo::SchemaField{"createNamespace deleteCRDResources deleteNamespace "
                      "keepResources paused",
                      repo::FieldType::Flag},
    repo::SchemaField{"defaultNamespace name namespace serviceAccount "
                      "targetCustomizationMode",
                      repo::FieldType::Text},
    repo::SchemaField{"dependsOn", repo::FieldType::SectionList, kDependsOn},
    repo::SchemaField{"diff", repo::FieldType::Section, kDiff},
    repo::SchemaField{"downstreamResources", repo::FieldType::SectionList, kDownstream},
    repo::SchemaField{"forceSyncGeneration", repo::FieldType::Number},
    repo::SchemaField{"helm", repo::FieldType::Section, kHelm},
    repo::SchemaField{"ignore", repo::FieldType::Section, kIgnore},
    repo::SchemaField{"imageScans", repo::FieldType::SectionList, kImageScan},
    repo::SchemaField{"kustomize", repo::FieldType::Section, kKustomize},
    repo::SchemaField{"labels namespaceAnnotations namespaceLabels", repo::FieldType::TextMap},
    repo::SchemaField{"overrideTargets", repo::FieldType::SectionList, kGitTarget},
    repo::SchemaField{"rolloutStrategy", repo::FieldType::Map},
    repo::SchemaField{"targetCustomizations targets", repo::FieldType::SectionList, kTarget},
    repo::SchemaField{"yaml", repo::FieldType::Section, kYaml},
};

}  // namespace

repo::Schema fleet_schema() {
    return kFleet;
}

}  // namespace renderer::engines

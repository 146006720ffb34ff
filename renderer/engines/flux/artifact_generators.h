// What an ArtifactGenerator of the tree copies into an ExternalArtifact. Supports copies of files
// and whole directories of available sources, if relative paths keep the meaning that they have in
// the tree. Source: fluxcd/source-watcher docs/spec/v1beta1/artifactgenerators.md,
// internal/builder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::engines {

class GitOpsTree;

struct GeneratedSource {
    std::string why = {};                // why the directory is not known; "" = it is
    std::string dir = {};                // the directory of the path in the tree
    std::vector<std::string> tops = {};  // everything that is copied
    std::string source = {};  // the GitRepository of this repository; "" = another source
    std::string file = {};    // that contains the generator
    std::string kept = {};    // why the artifact is not updated; "" = it is
};

// Finds the source of a Kustomization in that namespace by its `spec.path` and `spec.sourceRef`.
// Returns nothing if the source is not an ExternalArtifact, or nothing in the tree generates it.
std::optional<GeneratedSource> generated_source(const GitOpsTree& repository,
                                                const Value& source_ref, std::string_view ns,
                                                std::string_view path);

}  // namespace renderer::engines

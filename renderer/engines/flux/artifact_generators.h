// What an ArtifactGenerator of the tree copies into an ExternalArtifact, as far as it takes whole
// directories of sources that are at hand and files in them cannot mean others than in the tree.
// Source: fluxcd/source-watcher docs/spec/v1beta1/artifactgenerators.md, internal/builder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

class GitOpsTree;

struct GeneratedSource {
    std::string why = {};                // the directory is not known; "" = it is
    std::string dir = {};                // that the path means
    std::vector<std::string> tops = {};  // of all that is copied
    std::string source = {};  // the GitRepository of this repository; "" = another source
    std::string file = {};    // of the generator
    std::string kept = {};    // why the artifact stays as it is; "" = it does not
};

// Of `spec.path` and `spec.sourceRef` of a Kustomization in the namespace. None: the source is no
// ExternalArtifact, or nothing in the tree makes it.
std::optional<GeneratedSource> generated_source(const GitOpsTree& repository,
                                                const Value& source_ref, std::string_view ns,
                                                std::string_view path);

}  // namespace renderer

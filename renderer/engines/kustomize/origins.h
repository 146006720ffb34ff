// Finds the file that each object of a build comes from, by the origin annotations that kustomize
// writes on request. Source: kustomize api/types/buildmetadata.go, api/resource/origin.go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer::engines {

struct DocumentOrigin {
    std::size_t begin = 0;  // of the document in the stream
    std::string file = {};  // that has or generates the object; "" if unknown
};

// True if a kustomization has a field to build. kustomize refuses one that has none, and adding
// `buildMetadata` would hide that.
bool can_ask_origins(const Value& root);

// Returns the text of a kustomization with `buildMetadata` that also requests the annotations.
std::string asking_for_origins(std::string text, const Value& root);

struct BuildWithOrigins {
    std::string stream;
    std::vector<DocumentOrigin> origins;  // one for each document, in order
};

// Removes the annotations from the output of kustomize, unless the kustomization itself requests
// them. Files are relative to the directory that was built.
BuildWithOrigins take_origins(std::string_view annotated, const Value& root);

// Returns the origin of the document that holds the byte at `offset`, nullptr before the first one.
const DocumentOrigin* origin_at(const std::vector<DocumentOrigin>& origins, std::size_t offset);

// Makes messages name the file of each document and the build, which is the path of the source: the
// line numbers of a program's output mean nothing to the user.
void name_documents(const std::vector<DocumentOrigin>& origins, SourceId source,
                    SourceMap& sources);

}  // namespace renderer::engines

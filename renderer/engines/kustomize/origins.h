// Which file each object of a build comes from, as kustomize itself says when it is asked for
// annotations. Source: kustomize api/types/buildmetadata.go, api/resource/origin.go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer {

struct DocumentOrigin {
    std::size_t begin = 0;  // of the document in the stream
    std::string file = {};  // that holds the object or makes it; "" when kustomize does not say
};

// Whether a kustomization says something for which kustomize builds: it refuses an empty one.
bool can_ask_origins(const Value& root);

// The text of a kustomization with `buildMetadata` that asks for them, too.
std::string asking_for_origins(std::string text, const Value& root);

struct BuildWithOrigins {
    std::string stream;
    std::vector<DocumentOrigin> origins;  // one for each document, in order
};

// What kustomize has printed, without the annotations, unless the kustomization itself asks for
// them. Files are relative to the directory that was built.
BuildWithOrigins take_origins(std::string_view annotated, const Value& root);

// The one whose document holds that byte; null before the first.
const DocumentOrigin* origin_at(const std::vector<DocumentOrigin>& origins, std::size_t offset);

// Lines of what a program printed are not those of any file that the user has: messages name the
// file of each document, and the build as `path` of the source does. The file of a part is relative
// to `root`.
void name_documents(const std::vector<DocumentOrigin>& origins, SourceId source,
                    const std::string& root, SourceMap& sources);

}  // namespace renderer

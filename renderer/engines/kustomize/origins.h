// Which file each object of a build comes from, as kustomize itself says when it is asked for
// annotations. Source: kustomize api/types/buildmetadata.go, api/resource/origin.go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"

namespace renderer {

// A kustomization that builds another directory, a path relative to it, and asks for them.
std::string kustomization_with_origins(std::string_view dir);

struct DocumentOrigin {
    std::size_t begin = 0;  // of the document in the stream
    std::string file = {};  // that holds the object or makes it; "" when kustomize does not say
};

// One for each document, in order. `annotated`: the same objects, in any order, with annotations,
// whose files are relative to the kustomization above.
std::vector<DocumentOrigin> origins_of(std::string_view stream, std::string_view annotated);

// The one whose document holds that byte; null before the first.
const DocumentOrigin* origin_at(const std::vector<DocumentOrigin>& origins, std::size_t offset);

// Lines of what a program printed are not those of any file that the user has: messages name the
// file of each document, and the build as `path` of the source does. The file of a part is relative
// to `root`.
void name_documents(const std::vector<DocumentOrigin>& origins, SourceId source,
                    const std::string& root, SourceMap& sources);

}  // namespace renderer

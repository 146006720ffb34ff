// Parses references to container images. Source: github.com/distribution/reference v0.6.0
// (ParseNormalizedNamed), which the operator uses.
#pragma once

#include <string>
#include <string_view>

namespace renderer::inline kube {

struct ImageReference {
    std::string error = {};  // why the text is not a reference; "" if it is one
    std::string path = {};   // "library/nginx": without registry, tag and digest
    std::string tag = {};    // "" if there is none, or a digest, which wins
    bool pinned = false;     // cannot change: a digest, or a full x.y.z tag
};

// True if such an image cannot change. A tag may name several full versions: "v0.2.0-1.104.5".
bool is_pinned(std::string_view tag, std::string_view digest);

ImageReference parse_image_reference(std::string_view text);

}  // namespace renderer::inline kube

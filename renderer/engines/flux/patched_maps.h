// The ConfigMaps whose data kustomizations, and Kustomizations of Flux, may change before they are
// applied. Only a build knows the result, so variables from such a ConfigMap are unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// True for a patch of data, in any of its forms; not of metadata.
bool changes_data(std::string_view patch);

class PatchedMaps {
public:
    // Adds the patches, the replacements and the generators with a `behavior` in the fields of a
    // kustomization, or of the spec of a Kustomization. Files that patches name are relative to
    // `dir`.
    void add(const Value& fields, const repo::SourceTree& tree, const std::string& dir);

    // Returns true if the ConfigMap of this name may be changed.
    [[nodiscard]] bool may_have(std::string_view name) const;

private:
    void add_target(std::string_view kind, std::string_view name);
    void add_patch(const Value& patch, const repo::SourceTree& tree, const std::string& dir);

    std::vector<std::string> names_;
    std::vector<std::string> texts_;  // of patches, which contain the names
    bool has_any_ = false;            // a patch is for objects of any name
};

}  // namespace renderer::engines

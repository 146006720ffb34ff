// Typos in the API group of an input, which the API server refuses with "no matches for kind".
#pragma once

#include <string_view>

namespace renderer::inline kube {

// Returns the apiVersion that an object of this kind was probably meant to have, or "" if it is
// correct or unrelated. A typo is a group at most two edits away from that of an input of this
// kind, a missing group, or one that no custom resource has: without a dot (apiextensions.k8s.io
// requires one), or below `k8s.io` or `kubernetes.io`, which are Kubernetes' own.
std::string_view meant_version(std::string_view api_version, std::string_view kind);

// True if the group is at most two edits away from that of our custom resources, but not equal to
// it.
bool is_near_custom_group(std::string_view group);

// True if an apiVersion, or a key in the text, has such a group.
bool misspells_custom_group(std::string_view text);

}  // namespace renderer::inline kube

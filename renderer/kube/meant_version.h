// Typos in the API group of an input, which the API server answers with "no matches for kind".
#pragma once

#include <string_view>

namespace renderer {

// The apiVersion that an object of this kind was meant to have. Its group is at most two edits from
// that of an input of this kind, is left out, or is one that no custom resource has: without a dot
// (apiextensions.k8s.io wants one), or below `k8s.io` and `kubernetes.io`, which are Kubernetes'
// own. "" where none is meant, or it is right.
std::string_view meant_version(std::string_view api_version, std::string_view kind);

// At most two edits from the group of our custom resources, and not that group.
bool is_near_custom_group(std::string_view group);

// An apiVersion or a key in it has a group that is near to ours.
bool misspells_custom_group(std::string_view text);

}  // namespace renderer

// The kinds of objects that later stages read as a whole.
#pragma once

#include <string_view>

namespace renderer::inline kube {

// True for kinds that make pods, and for the pod.
bool is_workload_kind(std::string_view kind);

// True for kinds that classify always decodes.
bool is_decoded_kind(std::string_view api_version, std::string_view kind);

}  // namespace renderer::inline kube

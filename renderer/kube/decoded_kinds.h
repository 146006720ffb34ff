// Which objects later stages read whole.
#pragma once

#include <string_view>

namespace renderer {

// Kinds that make pods, and the pod.
bool is_workload_kind(std::string_view kind);

// Kinds that classify decodes wherever they stand.
bool is_decoded_kind(std::string_view api_version, std::string_view kind);

}  // namespace renderer

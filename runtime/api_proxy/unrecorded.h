// What runs commands or opens streams in a cluster, and no recorder could be
// told of. Whose grant enforces recordings is refused it, unless a setting
// names it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api_proxy/head.h"

namespace runtime::api_proxy {

// Its name, as "nodes/proxy" or "virtualmachineinstances/console"; empty: it
// may be any. No value: it can be recorded, or is exec, attach or portforward
// of a pod, or none of this.
std::optional<std::string> unrecorded_name(const RequestHead& request);

// What names of a setting look like: RESOURCE/SUBRESOURCE, joined with `,`. No
// value: malformed.
std::optional<std::vector<std::string>> read_unrecorded_names(std::string_view text);

}  // namespace runtime::api_proxy

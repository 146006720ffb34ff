// Requests that run commands or open streams in a cluster, but cannot be reported to a recorder. If
// the caller's grant enforces recording they are refused, unless a setting names them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api_proxy/head.h"

namespace runtime::api_proxy {

// Returns the name of such a request, as "nodes/proxy" or "virtualmachineinstances/console", or ""
// if it may be any. No value for other requests: ordinary ones, those that can be recorded, and
// exec, attach and portforward of a pod.
std::optional<std::string> unrecorded_name(const RequestHead& request);

// Parses the names in a setting: RESOURCE/SUBRESOURCE, joined with `,`. No value if it is
// malformed.
std::optional<std::vector<std::string>> read_unrecorded_names(std::string_view text);

}  // namespace runtime::api_proxy

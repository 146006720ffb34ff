// Names of generated objects, pure functions of what they name (invariant I4).
#pragma once

#include <string>
#include <string_view>

namespace renderer {

// Of a proxy's StatefulSet and everything around it: "ts-<parent>-<5 characters>", at most 52
// bytes. The operator leaves the five to the API server; ours are the SHA-256 of
// "Kind/namespace/name" modulo 27^5, in the API server's alphabet. Source of the length: tailscale
// v1.96.5 cmd/k8s-operator/sts.go, statefulSetNameBase.
std::string proxy_name(std::string_view kind, std::string_view ns, std::string_view name);

// Of the ClusterIP Service that an egress group has for a Service: "ts-<name>-", cut to 58 bytes as
// the API server cuts a prefix, and the five characters of "Service/namespace/name".
std::string group_service_name(std::string_view ns, std::string_view name);

// How many bytes of the parent's name that name keeps.
constexpr std::size_t kKeptParentBytes = 43;

}  // namespace renderer

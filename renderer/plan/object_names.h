// Names of generated objects. They are pure functions of the object that they are for (invariant
// I4).
#pragma once

#include <string>
#include <string_view>

namespace renderer::plan {

// Returns the name of a proxy's StatefulSet and its other objects: "ts-<parent>-<5 characters>", at
// most 52 bytes. The operator lets the API server choose the five characters; ours are the SHA-256
// of "Kind/namespace/name" modulo 27^5, in the API server's alphabet. Source of the length:
// tailscale v1.96.5 cmd/k8s-operator/sts.go, statefulSetNameBase.
std::string proxy_name(std::string_view kind, std::string_view ns, std::string_view name);

// Returns the name of the ClusterIP Service that an egress group has for a Service: "ts-<name>-",
// cut to 58 bytes as the API server cuts a prefix, and the five characters of
// "Service/namespace/name".
std::string group_service_name(std::string_view ns, std::string_view name);

// The number of bytes of the parent's name that are kept in a proxy's name.
constexpr std::size_t kKeptParentBytes = 43;

}  // namespace renderer::plan

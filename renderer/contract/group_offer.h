// One Tailscale Service as a group offers it: "<host>.json" in the ConfigMap of the group. The
// renderer writes it, the controller reads it: testdata/contract/ingress.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::inline contract {

struct GroupOffer {
    std::string name;    // svc:HOST
    std::string parent;  // Kind/namespace/name, or ProxyGroup/name
    std::vector<std::string> ports, tags;
    std::string certificate;  // full name; empty: none

    // True for a group that serves the Kubernetes API: it is the only owner of its service.
    [[nodiscard]] bool is_exclusive() const { return parent.starts_with("ProxyGroup/"); }
    bool operator==(const GroupOffer&) const = default;
};

std::string write_offer(const GroupOffer& offer);
// No value if something is missing that must be there.
std::optional<GroupOffer> read_offer(std::string_view text);

}  // namespace renderer::inline contract

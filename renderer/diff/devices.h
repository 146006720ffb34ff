// The devices that a rendered tree makes, read from its objects by the contracts between renderer
// and controller (testdata/contract/{proxy,ingress,peer-relay}.md). So a tree that was rendered
// long ago is understood like one that was rendered a moment ago.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/diff/manifests.h"

namespace renderer {

// What a device lets the tailnet reach, or anyone (with Funnel, or a load balancer of its own): by
// the serve configuration of an Ingress, the ports of the Service behind an L3 proxy, the routes of
// a Connector, the Service of a peer relay.
struct Reach {
    std::string endpoint;  // "https:443/api", "tcp/80", "route 10.0.0.0/8", "exit node"
    std::string target;    // "shop/web:80"; "" when the endpoint says it all
    bool is_public = false;
    std::string pods;  // what the Service behind it selects, "app=web port 8080"; "" when not known

    friend auto operator<=>(const Reach&, const Reach&) = default;
};

struct Device {
    // Where its identity is kept: the state Secret "tailscale/ts-web-ztn66-0", for a Tailscale
    // Service its group and name.
    std::string key;
    std::string hostname;           // "shop-web", "svc:docs"
    std::string parent;             // "Ingress/shop/web"
    std::string tailnet;            // "" = the controller's own
    std::string server;             // login server, "" = the default one
    std::vector<std::string> tags;  // sorted
    std::vector<Reach> offers;      // sorted
    std::string reaches;            // egress: "tailnet 100.64.1.2"

    [[nodiscard]] bool is_public() const;
    [[nodiscard]] std::string target_text() const;  // for a table
};

// The target of a peer relay's port: traffic of other devices.
inline constexpr std::string_view kRelayed = "peer relay";

// Sorted by key.
std::vector<Device> read_devices(const Manifests& manifests);

}  // namespace renderer

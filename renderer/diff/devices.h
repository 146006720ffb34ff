// Reads the devices of a rendered tree from its objects, by the contracts between renderer and
// controller (testdata/contract/{proxy,ingress,peer-relay}.md). That way trees of older releases
// can be read as well.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/diff/manifests.h"

namespace renderer::diff {

// What a device exposes to the tailnet, or to the internet (by Funnel, or a load balancer of its
// own): the serve config of an Ingress, the ports of the Service behind an L3 proxy, the routes of
// a Connector, the Service of a peer relay.
struct Reach {
    std::string endpoint;  // "https:443/api", "tcp/80", "route 10.0.0.0/8", "exit node"
    std::string target;    // "shop/web:80"; "" if the endpoint is enough
    bool is_public = false;
    std::string pods;  // the selector of the Service, "app=web port 8080"; "" if unknown

    friend auto operator<=>(const Reach&, const Reach&) = default;
};

struct Device {
    // Where its identity is stored: the state Secret "tailscale/ts-web-ztn66-0", or for a Tailscale
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
    [[nodiscard]] std::string target_text() const;  // text for a table
};

// The target of a peer relay's port: it forwards traffic of other devices.
inline constexpr std::string_view kRelayed = "peer relay";

// Returns the devices, sorted by key.
std::vector<Device> read_devices(const Manifests& manifests);

}  // namespace renderer::diff

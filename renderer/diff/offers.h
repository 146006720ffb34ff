// What a device lets the tailnet, or with Funnel anyone, reach. Read from the rendered objects:
// the serve configuration of an Ingress, the ports of the Service behind an L3 proxy, the routes of
// a Connector.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/diff/manifests.h"

namespace renderer {

struct Reach {
    std::string endpoint;  // "https:443/api", "tcp/80", "route 10.0.0.0/8", "exit node"
    std::string target;    // "shop/web:80"; "" when the endpoint says it all
    bool is_public = false;
    std::string pods;  // what the Service behind it selects, "app=web port 8080"; "" when not known

    friend auto operator<=>(const Reach&, const Reach&) = default;
};

// A serve configuration, or the part of it for one Tailscale Service.
void add_served(const Manifests& manifests, const Value& config, std::vector<Reach>& offers);

// Every port of a Service, "shop/web": an L3 proxy passes on whatever arrives. `fallback` is where
// it leads when the Service is not in the tree.
void add_ports(const Manifests& manifests, std::string_view parent, std::string_view fallback,
               std::vector<Reach>& offers);

// tailscaled's configuration.
void add_routes(const Value& config, std::vector<Reach>& offers);

// "http://web.shop.svc.cluster.local:80/" -> "shop/web:80"
std::string short_target(std::string_view url, std::string_view mount);

}  // namespace renderer

// The devices that a rendered tree makes, read from its objects by the contracts between renderer
// and controller (testdata/contract/{proxy,ingress}.md). So a tree that was rendered long ago is
// understood like one that was rendered a moment ago.
#pragma once

#include <string>
#include <vector>

#include "renderer/diff/manifests.h"
#include "renderer/diff/offers.h"

namespace renderer {

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

// Sorted by key.
std::vector<Device> read_devices(const Manifests& manifests);

}  // namespace renderer

// What the policy of a tailnet must say for the devices of a tree: who assigns their tags, who
// approves their routes and Tailscale Services, which of them may use Funnel. Who may reach them is
// the user's choice (examples.h). Sources: tailscale.com/kb/1337/policy-syntax (tagOwners,
// autoApprovers, nodeAttrs), kb/1236/kubernetes-operator (tags of the OAuth client),
// kb/1223/funnel, kb/1552/tailscale-services (autoApprovers.services).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/plan/model.h"

namespace renderer::policy {

enum class NeedKind : std::uint8_t { TagOwner, Route, ExitNode, Service, Funnel };

// The object that needs it.
struct Reason {
    std::string place;   // "shop/web.yaml:3"; "" if it is not from a file
    std::string object;  // "Ingress/shop/web"
    Pos pos = {};        // of the tree's source map
};

struct Need {
    NeedKind kind = NeedKind::TagOwner;
    std::string name;  // the tag, the route or "svc:NAME"; "" for others
    // Of the device, of which one is enough; for a TagOwner the tags of the OAuth client, or none
    // for its own tags.
    std::vector<std::string> tags;
    std::vector<std::string> service_tags = {};  // of the Tailscale Service
    std::vector<Reason> reasons = {};
};

struct Needs {
    std::vector<Need> all;                 // sorted by kind and name
    std::vector<std::string> client_tags;  // of the OAuth client
    std::vector<std::string> device_tags;  // sorted
    std::vector<std::string> app_tags;  // sorted; of app connectors, whose routes Tailscale finds
    std::vector<std::string> other_tailnets;  // sorted names of those that other devices join
};

// Returns the tags of the OAuth client that mints the keys of devices.
std::vector<std::string> client_tags(const plan::Settings& settings);

// Adds what a cluster's devices in a tailnet need; "" is the controller's own.
void add_needs(const plan::Plan& plan, const SourceMap& sources, std::string_view tailnet,
               Needs& needs);

// Says whose devices are left out: "devices of the Tailnet NAME (--tailnet NAME)".
std::vector<std::string> left_out(const Needs& needs);

// Returns "shop/web.yaml:3".
std::string place_text(const SourceMap& sources, Pos pos);

}  // namespace renderer::policy

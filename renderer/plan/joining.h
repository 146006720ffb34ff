// The devices that a plan is going to bring into tailnets, of whatever kind, for checks that
// compare their hostnames.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "renderer/plan/model.h"

namespace renderer {

// A device that is going to join a tailnet, or a Tailscale Service.
struct Joining {
    std::string_view tailnet;  // "" = the controller's own
    std::string_view server_url;
    std::string lower;  // its hostname, as the tailnet compares it
    std::string_view hostname;
    Pos pos;  // what the hostname was made of
    const Origin* origin;
    std::string_view advice;
    bool is_service = false;
    bool waits = false;  // a service whose group does not exist

    [[nodiscard]] auto key() const { return std::tie(tailnet, lower); }
};

// Views into the plan, in its order; replicas that share a hostname count once.
std::vector<Joining> joining_of(const Plan& plan);

// The Tailscale Services. Those of several clusters may share a name: the tailnet then chooses.
std::vector<Joining> offering_of(const Plan& plan);

}  // namespace renderer

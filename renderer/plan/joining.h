// The devices of any kind that a plan will bring into tailnets, for checks that compare their
// hostnames.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "renderer/plan/model.h"

namespace renderer::plan {

// A device that will join a tailnet, or a Tailscale Service.
struct Joining {
    std::string_view tailnet;  // "" = the controller's own
    std::string_view server_url;
    std::string lower;  // its hostname in the form in which the tailnet compares it
    std::string_view hostname;
    Pos pos;  // position of the text that the hostname is derived from
    const Origin* origin;
    std::string_view advice;
    bool is_service = false;
    bool waits = false;  // a Tailscale Service whose group does not exist

    [[nodiscard]] auto key() const { return std::tie(tailnet, lower); }
};

// Returns views into the plan, in its order; replicas that share a hostname count once.
std::vector<Joining> joining_of(const Plan& plan);

// Returns the Tailscale Services. Those of several clusters may share a name: the tailnet then
// chooses one.
std::vector<Joining> offering_of(const Plan& plan);

}  // namespace renderer::plan

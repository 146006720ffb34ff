// Decides whether a selector of a rule includes what is asked for. It may be unknown: the policy
// does not say who is in a group of an identity provider, which user has a role, or what address a
// device gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/access/model.h"

namespace renderer::access {

enum class Match : std::uint8_t { No, Unknown, Part, Yes };

struct Target {
    enum class Kind : std::uint8_t {
        Device,
        Service,       // svc:NAME
        Addresses,     // behind a subnet router, or in the tailnet
        Internet,      // through an exit node
        AppConnector,  // domains, whose addresses are found later
        Others,        // devices of users: the selector that names them
    };
    Kind kind = Kind::Device;
    std::string name = {};
    std::vector<std::string> tags = {};
    AddressSet addresses = {};
    Selector others = {};
};

// Returns whether a destination of a rule means the target.
Match match_destination(const Selector& selector, const Target& target, const Policy& policy);

// Returns whether a source of a rule means all of `who` (Yes), or some of them (Part).
Match match_source(const Selector& selector, const Selector& who, const Policy& policy);

}  // namespace renderer::access

// Decides whether one side of a change already allows what the other side allows to someone, even
// if its rules and names are others.
#pragma once

#include <string>
#include <vector>

#include "renderer/access/evaluate.h"
#include "renderer/access/match.h"
#include "renderer/access/model.h"

namespace renderer::access {

// What a policy allows for one endpoint.
struct Allowed {
    const Policy& policy;
    const std::vector<Access>& access;
};

// Returns the users of a group that the policy defines, else the selector itself: two policies may
// have different members for one name.
std::vector<Selector> atoms_of(const Selector& who, const Policy& policy);

// Returns whether `access`, which another policy gives to `atom`, is allowed: Yes, No, or Unknown
// where it depends on what the policy does not say.
Match covers(const Allowed& allowed, const Selector& atom, const Access& access,
             const Endpoint& endpoint);

// Returns whether a selector of the policy includes everyone that `atom` of another policy selects.
// "*" does not include the internet.
Match means(const Selector& selector, const Selector& atom, const Policy& policy);

// Returns true if everyone who meets one of the conditions `given` also meets one of those
// `needed`, or if none is needed.
bool is_condition_met(const std::vector<std::string>& needed,
                      const std::vector<std::string>& given);

}  // namespace renderer::access

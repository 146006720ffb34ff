// Whether what one side of a change allows to someone was allowed on the other side already, by
// whatever rules and under whatever names.
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

// Returns whether `selector` of the policy means all of `atom` of another policy. The internet is
// not in "*".
Match means(const Selector& selector, const Selector& atom, const Policy& policy);

// Returns true if one of the conditions `given` is enough where `needed` are asked for.
bool is_condition_met(const std::vector<std::string>& needed,
                      const std::vector<std::string>& given);

}  // namespace renderer::access

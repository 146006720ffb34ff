// Finds keys that nobody has: minted by a process that ended before it could write them down, or
// whose answer got lost on the way. They carry the mark of this installation as their description.
#pragma once

#include <set>
#include <string>

#include "runtime/base/jobs.h"
#include "runtime/tailnet/api.h"

namespace runtime {

// The mark, a function of something that lives as long as the installation.
std::string key_mark(std::string_view owner);

// Revokes the keys with this mark whose ids are not in `recorded`. To be called while no key of
// this tailnet is being minted. The API outlives the sweep.
void sweep_keys(TailnetApi& api, const std::string& mark, std::set<std::string> recorded,
                Next done);

}  // namespace runtime

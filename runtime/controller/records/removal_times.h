// The removals of the last day, as the ledger keeps them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/base/loop.h"

namespace runtime::controller {

// The time of each removal, by name.
using Removed = std::map<std::string, Time>;
Removed read_removed(std::string_view text);

}  // namespace runtime::controller

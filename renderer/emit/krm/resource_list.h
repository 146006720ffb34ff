// The writer of a KRM function: the items that came in, byte for byte but for the edits, ours
// behind them, and what there is to say as `results`. Bookkeeping annotations of orchestrators stay
// on items that were given and are never put on new ones, except for a path in a package. Source:
// KRM Functions Specification v1.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/emit/emit.h"
#include "renderer/load/loaded.h"

namespace renderer {

// The `items:` of the result, as YAML. Fails when an object of the output is among the items that
// are only handed on.
Result<std::string> emit_items(const Output& output);

// What came in, for a run that failed.
std::string unchanged_items(const Loaded& loaded);

// The whole ResourceList around them. After an error without the functionConfig: what was wrong
// with it may be a credential.
std::string wrap_items(const Loaded& loaded, std::string_view items,
                       const Diagnostics& diagnostics);

}  // namespace renderer

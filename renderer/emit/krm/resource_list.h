// The writer of a KRM function: the items of the input, byte for byte except for edits, then our
// objects, then diagnostics as `results`. Bookkeeping annotations of orchestrators stay on the
// items of the input and are never added to new ones, except for a path in a package. Source: KRM
// Functions Specification v1.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/emit/emit.h"
#include "renderer/load/loaded.h"

namespace renderer::emit {

// Returns the `items:` of the result as YAML. Fails if an object of the output is also among the
// items that are only passed through.
Result<std::string> emit_items(const Output& output);

// Returns the items of the input, for a failed run.
std::string unchanged_items(const load::Loaded& loaded);

// Returns the whole ResourceList around them. After an error it leaves out the functionConfig: the
// invalid part may be a credential.
std::string wrap_items(const load::Loaded& loaded, std::string_view items,
                       const Diagnostics& diagnostics);

}  // namespace renderer::emit

// `explain`: from an object back to the input lines and the rule that made it, or from a parent to
// everything that it becomes.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "renderer/pipeline.h"

namespace renderer {

// The answer for `object` ("Kind/namespace/name", "Kind/name"), or an error with a suggestion.
Result<std::string> explain(const Run& run, std::string_view object);

}  // namespace renderer

// `explain`: from an object back to the input lines and the rule that made it, or from a parent to
// everything that it becomes.
#pragma once

#include <string>
#include <string_view>

#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"
#include "renderer/pipeline.h"

namespace renderer {

int run_explain(const Options& options, Console& console);

// The answer for `object` ("Kind/namespace/name", "Kind/name"), or an error with a suggestion.
Result<std::string> explain(const Run& run, std::string_view object);

}  // namespace renderer

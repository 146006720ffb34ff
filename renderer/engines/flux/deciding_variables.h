// Finds variables of Flux that decide whether an object is an input: in a class, in the type of a
// Service, or in the key of an annotation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/applied_unit.h"

namespace renderer::engines {

// True if such a variable of the text, a manifest or a patch, has a value that makes an input, or a
// value that is not known. `words`: what makes inputs besides "tailscale", with the operator's
// settings.
bool may_be_input_by_variable(std::string_view text, const UnitVariables& variables,
                              const std::vector<std::string>& words);

// True if the text has a variable that has a value in the cluster which is not known here.
bool has_unknown_variable(std::string_view text, const UnitVariables& variables);

}  // namespace renderer::engines

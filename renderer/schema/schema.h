// Would the API server take the objects? Compares inputs and outputs with the schemas of one
// Kubernetes version and of the operator's CRDs, offline. Kinds of groups that neither defines
// pass, and so do files that SOPS encrypted: what the cluster gets of them is not known here.
#pragma once

#include <span>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/load/load.h"

namespace renderer {

// Adds what is wrong with inputs that an applier sees, except where there is an error about the
// same place already. `foreign`: also those whose kinds no one else reads; without it, one that
// its indentation gives away as no YAML is warned of.
void validate_inputs(const Loaded& loaded, bool foreign, unsigned threads,
                     Diagnostics& diagnostics);

// The same of what was generated. A fault is at the input's place that its value came from,
// else at the object's parent.
void validate_objects(const Loaded& loaded, std::span<const Object> objects, unsigned threads,
                      Diagnostics& diagnostics);

}  // namespace renderer

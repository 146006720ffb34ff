// Ingresses that cannot be rendered because the number of a port is not known: a backend refers to
// the port by name, and its Service is not in the inputs but may be in a chart that is not
// rendered. Objects of an earlier run for them stay (cli/removals.h).
#pragma once

#include <map>
#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/service_index.h"

namespace renderer::plan {

// Removes such Ingresses from the parents, with a warning, or an error in `lint`. Returns the
// missing fact by the name of the object.
std::map<std::string, std::string> set_aside_undecided(const load::Loaded& loaded,
                                                       const ServiceIndex& services,
                                                       Parents& parents, Diagnostics& diagnostics);

}  // namespace renderer::plan

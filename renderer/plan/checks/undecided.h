// Ingresses that would get a proxy but for something that is not known: which number the name of a
// port stands for, of a Service that a chart makes which is not rendered. Only they are not
// rendered; whatever an earlier run gave them stays (cli/removals.h).
#pragma once

#include <map>
#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/service_index.h"

namespace renderer {

// Takes them out of the parents, with a warning, or an error of `lint`. What is not known, by the
// name of the object.
std::map<std::string, std::string> set_aside_undecided(const Loaded& loaded,
                                                       const ServiceIndex& services,
                                                       Parents& parents, Diagnostics& diagnostics);

}  // namespace renderer

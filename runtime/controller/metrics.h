// The controller's state for Prometheus (text exposition format 0.0.4).
#pragma once

#include <string>

#include "runtime/controller/controller.h"

namespace runtime {

std::string metrics(const Controller::Counts& counts, bool leads);

}  // namespace runtime

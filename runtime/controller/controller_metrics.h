// Returns the body of /metrics, in the text format of Prometheus.
#pragma once

#include <string>

#include "runtime/base/metered_transport.h"
#include "runtime/controller/controller.h"

namespace runtime::controller {

std::string metrics(const Controller::Counts& counts, bool leads, const MeteredTransport& traffic);

}  // namespace runtime::controller

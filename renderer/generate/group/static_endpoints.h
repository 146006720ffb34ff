// Adds one NodePort Service for each replica of a ProxyGroup that clients reach on Nodes.
#pragma once

#include "renderer/generate/model.h"

namespace renderer::generate {

void append_node_port_services(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                               Objects& objects);

}  // namespace renderer::generate

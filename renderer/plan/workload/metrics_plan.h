// A Service for the metrics of one StatefulSet's pods, and its selectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/core/value.h"

namespace renderer::plan {

struct MetricsPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string target;  // the StatefulSet's name
    std::string ns;
    // "ingress_service" | "ingress_resource" | "connector" | "proxygroup"
    std::string_view proxy_type;
    std::string parent_name;
    std::string parent_ns;   // "" = the parent has none, or it is not used
    std::string job;         // name of the job in Prometheus
    Value pod_labels;        // selects the pods: a map
    bool monitored = false;  // it also has a ServiceMonitor
    Value monitor_labels;    // the class's, a map or null
};

}  // namespace renderer::plan

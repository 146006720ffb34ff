// A Service that shows the metrics of one StatefulSet's pods, and what finds it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/core/value.h"

namespace renderer {

struct MetricsPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string target;  // the StatefulSet's name
    std::string ns;
    // "ingress_service" | "ingress_resource" | "connector" | "proxygroup"
    std::string_view proxy_type;
    std::string parent_name;
    std::string parent_ns;   // "" = the parent has none, or it does not count
    std::string job;         // what Prometheus calls it
    Value pod_labels;        // which pods: a map
    bool monitored = false;  // a ServiceMonitor, too
    Value monitor_labels;    // the class's, a map or null
};

}  // namespace renderer

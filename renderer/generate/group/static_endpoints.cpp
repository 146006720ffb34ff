#include "renderer/generate/group/static_endpoints.h"

#include <fmt/format.h>

#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

Value node_port_service(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                        std::size_t ordinal) {
    const std::string pod = workload.pod(ordinal);
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", metadata(workload, fmt::format("{}-nodeport", pod))},
         {"spec",
          Value::map(
              {{"ports", Value::list({Value::map({{"name", "static-endpoint-port"},
                                                  {"nodePort", group.endpoints[ordinal].node_port},
                                                  {"port", group.tailscaled_port},
                                                  {"protocol", "UDP"},
                                                  {"targetPort", group.tailscaled_port}})})},
               {"selector", Value::map({{"statefulset.kubernetes.io/pod-name", pod}})},
               {"type", "NodePort"}})}});
}

}  // namespace

void append_node_port_services(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                               Objects& objects) {
    for (std::size_t i = 0; i < group.endpoints.size(); ++i) {
        add_object(workload, node_port_service(workload, group, i), objects);
    }
}

}  // namespace renderer::generate

#include "renderer/generate/group/static_endpoints.h"

#include <fmt/format.h>

#include "renderer/generate/group/proxy_group.h"

namespace renderer {

namespace {

Value node_port_service(const ProxyGroupPlan& group, std::size_t ordinal) {
    const std::string pod = group.pod(ordinal);
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", group_metadata(group, fmt::format("{}-nodeport", pod))},
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

void append_node_port_services(const ProxyGroupPlan& group, Objects& objects) {
    for (std::size_t i = 0; i < group.endpoints.size(); ++i) {
        objects.push_back(group_object(group, node_port_service(group, i)));
    }
}

}  // namespace renderer

#include <array>

#include "renderer/generate/connector.h"
#include "renderer/generate/dns_config.h"
#include "renderer/generate/generate.h"
#include "renderer/generate/group_policy.h"
#include "renderer/generate/install.h"
#include "renderer/generate/l3_egress.h"
#include "renderer/generate/l3_ingress.h"
#include "renderer/generate/l7_ingress.h"
#include "renderer/generate/metrics.h"
#include "renderer/generate/proxy_group.h"
#include "renderer/generate/recorder.h"
#include "renderer/generate/tailnets.h"

namespace renderer {

namespace {

constexpr std::array kGenerators = {
    Generator{"install", generate_install,
              "what a cluster needs besides proxies: namespace, controller, RBAC, IngressClass"},
    Generator{"l3-ingress", generate_l3_ingress, "Services that the tailnet reaches"},
    Generator{"l3-egress", generate_l3_egress, "Services that lead to a place in the tailnet"},
    Generator{"l7-ingress", generate_l7_ingress,
              "Ingresses that the tailnet or the internet reaches"},
    Generator{"connector", generate_connectors, "devices that lead to networks: Connectors"},
    Generator{"metrics", generate_metrics,
              "Services and ServiceMonitors for the metrics of proxies"},
    Generator{"proxy-group", generate_proxy_group,
              "ProxyGroups, and the Services that lead to the tailnet through them"},
    Generator{"dns-config", generate_dns_config, "the nameserver for ts.net names in the cluster"},
    Generator{"group-policy", generate_group_policies,
              "which ProxyGroups the objects of a namespace may use"},
    Generator{"recorder", generate_recorders, "Recorders of SSH and kubectl sessions"},
    Generator{"tailnets", generate_tailnets, "credentials of tailnets beside the controller's own"},
};

}  // namespace

std::span<const Generator> generators() {
    return kGenerators;
}

Objects generate(const Plan& plan) {
    Objects objects;
    for (const Generator& generator : generators()) {
        generator.run(plan, objects);
    }
    return objects;
}

}  // namespace renderer

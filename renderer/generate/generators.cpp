#include <algorithm>
#include <array>
#include <iterator>

#include "renderer/base/parallel.h"
#include "renderer/generate/generate.h"
#include "renderer/generate/group/group_policy.h"
#include "renderer/generate/group/proxy_group.h"
#include "renderer/generate/install/install.h"
#include "renderer/generate/install/tailnets.h"
#include "renderer/generate/substitution.h"
#include "renderer/generate/workload/connector.h"
#include "renderer/generate/workload/dns_config.h"
#include "renderer/generate/workload/l3_egress.h"
#include "renderer/generate/workload/l3_ingress.h"
#include "renderer/generate/workload/l7_ingress.h"
#include "renderer/generate/workload/metrics.h"
#include "renderer/generate/workload/recorder.h"

namespace renderer {

namespace {

constexpr std::array kGenerators = {
    Generator{"install", generate_install,
              "what a cluster needs besides proxies: namespace, controller, RBAC, IngressClass"},
    Generator{"l3-ingress", generate_l3_ingress, "Services that the tailnet reaches"},
    Generator{"l3-egress", generate_l3_egress, "Services that target a device of the tailnet"},
    Generator{"l7-ingress", generate_l7_ingress,
              "Ingresses that the tailnet or the internet reaches"},
    Generator{"connector", generate_connector,
              "Connectors: subnet routers, exit nodes, app connectors"},
    Generator{"metrics", generate_metrics,
              "Services and ServiceMonitors for the metrics of proxies"},
    Generator{"proxy-group", generate_proxy_group,
              "ProxyGroups, and the Services that target the tailnet through them"},
    Generator{"dns-config", generate_dns_config, "the nameserver for ts.net names in the cluster"},
    Generator{"group-policy", generate_group_policies,
              "which ProxyGroups the objects of a namespace may use"},
    Generator{"recorder", generate_recorders, "Recorders of SSH and kubectl sessions"},
    Generator{"tailnets", generate_tailnets,
              "credentials of tailnets besides the controller's own"},
};

constexpr std::size_t kPieceProxies = 32;

// In the order of the proxies.
void run_on_proxies(OfProxy run, std::span<const ProxyPlan> proxies, unsigned threads,
                    Objects& objects) {
    std::vector<Objects> pieces((proxies.size() + kPieceProxies - 1) / kPieceProxies);
    for_each_parallel(pieces.size(), threads, [&](std::size_t i) {
        const auto rest = proxies.subspan(i * kPieceProxies);
        for (const ProxyPlan& proxy : rest.first(std::min(kPieceProxies, rest.size()))) {
            run(proxy, pieces[i]);
        }
    });
    std::size_t count = objects.size();
    for (const Objects& piece : pieces) {
        count += piece.size();
    }
    objects.reserve(count);
    for (Objects& piece : pieces) {
        std::ranges::move(piece, std::back_inserter(objects));
    }
}

}  // namespace

std::span<const Generator> generators() {
    return kGenerators;
}

Objects generate(const Plan& plan, unsigned threads) {
    Objects objects;
    for (const Generator& generator : generators()) {
        if (const auto* run = std::get_if<OfPlan>(&generator.run)) {
            (*run)(plan, objects);
        } else {
            run_on_proxies(std::get<OfProxy>(generator.run), plan.proxies, threads, objects);
        }
    }
    for_each_parallel(objects.size(), threads,
                      [&](std::size_t i) { keep_from_substitution(objects[i].root); });
    return objects;
}

}  // namespace renderer

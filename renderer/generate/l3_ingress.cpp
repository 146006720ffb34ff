#include "renderer/generate/l3_ingress.h"

#include "renderer/generate/proxy_workload.h"

namespace renderer {

void generate_l3_ingress(const Plan& plan, Objects& objects) {
    for (const ProxyPlan& proxy : plan.proxies) {
        if (proxy.target == Target::ClusterIp || proxy.target == Target::DnsName) {
            append_proxy_workload(proxy, "l3-ingress", objects);
        }
    }
}

}  // namespace renderer

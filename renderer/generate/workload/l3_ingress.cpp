#include "renderer/generate/workload/l3_ingress.h"

#include "renderer/generate/workload/proxy_workload.h"

namespace renderer {

void generate_l3_ingress(const ProxyPlan& proxy, Objects& objects) {
    if (proxy.target == Target::ClusterIp || proxy.target == Target::DnsName) {
        append_proxy_workload(proxy, "l3-ingress", objects);
    }
}

}  // namespace renderer

#include "renderer/generate/connector.h"

#include "renderer/generate/proxy_workload.h"

namespace renderer {

void generate_connectors(const Plan& plan, Objects& objects) {
    for (const ProxyPlan& proxy : plan.proxies) {
        if (proxy.target == Target::Routes) {
            append_proxy_workload(proxy, "connector", objects);
        }
    }
}

}  // namespace renderer

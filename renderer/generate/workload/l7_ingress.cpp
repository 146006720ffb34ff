#include "renderer/generate/workload/l7_ingress.h"

#include "renderer/generate/workload/proxy_workload.h"

namespace renderer {

void generate_l7_ingress(const ProxyPlan& proxy, Objects& objects) {
    if (proxy.target == Target::Serve) {
        append_proxy_workload(proxy, "l7-ingress", objects);
    }
}

}  // namespace renderer

#include "renderer/generate/workload/l3_egress.h"

#include "renderer/generate/workload/proxy_workload.h"

namespace renderer {

void generate_l3_egress(const ProxyPlan& proxy, Objects& objects) {
    if (proxy.target == Target::TailnetIp || proxy.target == Target::TailnetName) {
        append_proxy_workload(proxy, "l3-egress", objects);
    }
}

}  // namespace renderer

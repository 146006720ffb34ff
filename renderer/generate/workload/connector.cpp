#include "renderer/generate/workload/connector.h"

#include "renderer/generate/workload/proxy_workload.h"

namespace renderer {

void generate_connector(const ProxyPlan& proxy, Objects& objects) {
    if (proxy.target == Target::Routes) {
        append_proxy_workload(proxy, "connector", objects);
    }
}

}  // namespace renderer

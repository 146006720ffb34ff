#include "renderer/generate/group/api_group.h"

#include <fmt/format.h>

#include "renderer/generate/group/proxy_group.h"
#include "renderer/generate/workload/pod_parts.h"

namespace renderer {

namespace {

constexpr int kApiPort = 443;

}  // namespace

Value api_container(const ProxyGroupPlan& group) {
    Value environment = Value::list(
        {env_from_field("POD_NAME", "metadata.name"), env_from_field("POD_UID", "metadata.uid"),
         env_from_field("POD_IP", "status.podIP"), env_from_field("POD_IPS", "status.podIPs"),
         env("TS_K8S_PROXY_CONFIG", fmt::format("kube:{}/$(POD_NAME)-config", group.ns)),
         env("TS_DEBUG_ACME_FORCE_RENEWAL", "true")});
    if (group.tailscaled_port != 0) {
        environment.append(env("PORT", fmt::format("{}", group.tailscaled_port)));
    }
    return Value::map({{"name", "tailscale"},
                       {"image", group.image},
                       {"env", std::move(environment)},
                       {"ports", Value::list({Value::map({{"containerPort", kApiPort},
                                                          {"name", "k8s-proxy"},
                                                          {"protocol", "TCP"}})})},
                       {"readinessProbe", group_readiness_probe()}});
}

}  // namespace renderer

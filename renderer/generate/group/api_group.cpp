#include "renderer/generate/group/api_group.h"

#include <fmt/format.h>

#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

constexpr int kApiPort = 443;

}  // namespace

Value k8s_proxy_container(const plan::Workload& workload) {
    Value made = container(
        workload, "tailscale",
        Value::list(
            {env_from_field("POD_NAME", "metadata.name"), env_from_field("POD_UID", "metadata.uid"),
             env_from_field("POD_IP", "status.podIP"), env_from_field("POD_IPS", "status.podIPs"),
             env("TS_K8S_PROXY_CONFIG", fmt::format("kube:{}/$(POD_NAME)-config", workload.ns)),
             env(plan::kForceRenewal, "true")}));
    made.add("ports",
             Value::list({Value::map(
                 {{"containerPort", kApiPort}, {"name", "k8s-proxy"}, {"protocol", "TCP"}})}));
    made.add("readinessProbe", health_probe());
    return made;
}

}  // namespace renderer::generate

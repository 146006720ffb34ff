#include "renderer/generate/group/api_group.h"

#include <fmt/format.h>

#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

constexpr int kApiPort = 443;

}  // namespace

Value k8s_proxy_container(const plan::Workload& workload) {
    Value made = container(
        workload, "tailscale",
        Value::list(
            {env_from_field(variable::kPodName, "metadata.name"),
             env_from_field(variable::kPodUid, "metadata.uid"),
             env_from_field(variable::kPodIp, "status.podIP"),
             env_from_field(variable::kPodIps, "status.podIPs"),
             env(variable::kProxyConfig, fmt::format("kube:{}/{}", workload.ns,
                                                     config_secret_name(variable::kPodNameValue))),
             env(variable::kForceRenewal, "true")}));
    made.add("ports",
             Value::list({Value::map(
                 {{"containerPort", kApiPort}, {"name", "k8s-proxy"}, {"protocol", "TCP"}})}));
    made.add("readinessProbe", health_probe());
    return made;
}

}  // namespace renderer::generate

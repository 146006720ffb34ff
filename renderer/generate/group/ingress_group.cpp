#include "renderer/generate/group/ingress_group.h"

#include <fmt/format.h>

#include "renderer/base/base64.h"
#include "renderer/generate/group/proxy_group.h"
#include "renderer/generate/workload/pod_parts.h"
#include "renderer/kube/api.h"

namespace renderer {

std::string ingress_config_name(const ProxyGroupPlan& group) {
    return fmt::format("{}-ingress-config", group.name);
}

Value ingress_config_map(const ProxyGroupPlan& group, const Offered& offered) {
    Value root = Value::map({{"apiVersion", "v1"},
                             {"kind", "ConfigMap"},
                             {"metadata", group_metadata(group, ingress_config_name(group))}});
    const std::string serve = group_serve_config(offered);
    put_if(root, !serve.empty(), "binaryData",
           Value::map({{"serve-config.json", encode_base64(serve)}}));
    return root;
}

Value ingress_config_volume(const ProxyGroupPlan& group) {
    Value rendered = Value::map({{"name", ingress_config_name(group)}});
    Value addresses =
        Value::map({{"name", Value::borrowed(kIngressAddresses)},
                    {"items", Value::list({Value::map({{"key", fmt::format("{}.json", group.name)},
                                                       {"path", "ingress-config.json"}})})},
                    {"optional", true}});
    return Value::map(
        {{"name", ingress_config_name(group)},
         {"projected",
          Value::map(
              {{"sources", Value::list({Value::map({{"configMap", std::move(rendered)}}),
                                        Value::map({{"configMap", std::move(addresses)}})})}})}});
}

void append_ingress_environment(Value& environment) {
    environment.append(env("TS_INTERNAL_APP", "k8s-operator-proxygroup-ingress"));
    environment.append(env("TS_INGRESS_PROXIES_CONFIG_PATH", "/etc/proxies/ingress-config.json"));
    environment.append(env("TS_SERVE_CONFIG", "/etc/proxies/serve-config.json"));
    environment.append(env("TS_EXPERIMENTAL_CERT_SHARE", "true"));
    environment.append(env("TS_ENABLE_HEALTH_CHECK", "true"));
}

}  // namespace renderer

// The settings of the operator that change what is rendered. Source: tailscale v1.98.9
// cmd/k8s-operator/deploy/chart/values.yaml and templates/deployment.yaml; operator.go for the load
// balancer.
#pragma once

#include <array>
#include <string_view>

namespace renderer::load {

struct OperatorSetting {
    std::string_view path;      // in the values of the chart
    std::string_view value;     // the chart's default, as --set takes it
    std::string_view variable;  // of the operator's Deployment; "" if it has none
};

inline constexpr std::array kOperatorSettings = {
    OperatorSetting{"proxyConfig.defaultTags", "tag:k8s", "PROXY_TAGS"},
    OperatorSetting{"proxyConfig.defaultProxyClass", "", "PROXY_DEFAULT_CLASS"},
    OperatorSetting{"proxyConfig.firewallMode", "auto", "PROXY_FIREWALL_MODE"},
    OperatorSetting{"proxyConfig.image.repository", "tailscale/tailscale", "PROXY_IMAGE"},
    OperatorSetting{"proxyConfig.image.tag", "", ""},
    OperatorSetting{"proxyConfig.image.digest", "", ""},
    OperatorSetting{"loginServer", "", "OPERATOR_LOGIN_SERVER"},
    OperatorSetting{"ingressClass.name", "tailscale", "OPERATOR_INGRESS_CLASS_NAME"},
    OperatorSetting{"ingressClass.enabled", "true", ""},
    OperatorSetting{"operatorConfig.extraEnv", "{}", "OPERATOR_DEFAULT_LOAD_BALANCER"},
};

}  // namespace renderer::load

#include "renderer/plan/group/proxy_group_input.h"

#include <array>

namespace renderer::plan {

namespace {

using TypeName = std::pair<std::string_view, GroupType>;
constexpr std::array kTypes = {TypeName{"egress", GroupType::Egress},
                               TypeName{"ingress", GroupType::Ingress},
                               TypeName{"kube-apiserver", GroupType::KubeApiServer}};

using ModeName = std::pair<std::string_view, bool>;
constexpr std::array kApiModes = {ModeName{"auth", true}, ModeName{"noauth", false}};

}  // namespace

ProxyGroupInput::ProxyGroupInput(const classify::CustomResource& resource)
    : classify::ParentInput(resource) {
    const classify::Fields spec = resource.fields();
    type = spec.choice("type", kTypes, GroupType::Unset);
    replicas = spec.number("replicas").value_or(2);
    replicas_pos = spec.pos("replicas");
    tags = spec.texts("tags");
    hostname_prefix = spec.placed("hostnamePrefix").value_or(classify::TextInput());
    proxy_class = spec.placed("proxyClass").value_or(classify::TextInput());
    tailnet = spec.placed("tailnet").value_or(classify::TextInput());
    const classify::Fields api(spec.map("kubeAPIServer"));
    api_auth =
        api.choice("mode", kApiModes, !api.pos("mode").known());  // an unknown mode is refused
    api_hostname = api.placed("hostname").value_or(classify::TextInput());
}

}  // namespace renderer::plan

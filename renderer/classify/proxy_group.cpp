#include "renderer/classify/proxy_group.h"

#include <array>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

namespace {

using TypeName = std::pair<std::string_view, GroupType>;
constexpr std::array kTypes = {TypeName{"egress", GroupType::Egress},
                               TypeName{"ingress", GroupType::Ingress},
                               TypeName{"kube-apiserver", GroupType::KubeApiServer}};

using ModeName = std::pair<std::string_view, bool>;
constexpr std::array kApiModes = {ModeName{"auth", true}, ModeName{"noauth", false}};

}  // namespace

ProxyGroupInput decode_proxy_group(const Document& doc) {
    ProxyGroupInput group;
    decode_metadata(doc, group);
    const Fields spec(doc.root.find("spec"));
    group.type = spec.choice("type", kTypes, GroupType::Unset);
    group.replicas = spec.number("replicas").value_or(2);
    group.replicas_pos = spec.pos("replicas");
    group.tags = spec.texts("tags");
    group.hostname_prefix = spec.placed("hostnamePrefix").value_or(TextInput());
    group.proxy_class = spec.placed("proxyClass").value_or(TextInput());
    group.tailnet = spec.placed("tailnet").value_or(TextInput());
    const Fields api(spec.map("kubeAPIServer"));
    group.api_auth = api.choice("mode", kApiModes, true);
    group.api_hostname = api.placed("hostname").value_or(TextInput());
    return group;
}

}  // namespace renderer

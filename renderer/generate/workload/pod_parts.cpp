#include "renderer/generate/workload/pod_parts.h"

namespace renderer {

namespace {

constexpr std::string_view kEnableForwarding =
    "sysctl -w net.ipv4.ip_forward=1 && if sysctl net.ipv6.conf.all.forwarding; then sysctl -w "
    "net.ipv6.conf.all.forwarding=1; fi";

}  // namespace

Value env(std::string_view name, std::string_view value) {
    return Value::map({{"name", Value::borrowed(name)}, {"value", value}});
}

Value env_from_field(std::string_view name, std::string_view field) {
    return Value::map(
        {{"name", Value::borrowed(name)},
         {"valueFrom",
          Value::map({{"fieldRef", Value::map({{"fieldPath", Value::borrowed(field)}})}})}});
}

Value secret_volume(std::string_view name, std::string_view secret, std::string_view item) {
    Value source = Value::map({{"secretName", secret}});
    put_if(source, !item.empty(), "items",
           Value::list({Value::map({{"key", item}, {"path", item}})}));
    return Value::map({{"name", name}, {"secret", std::move(source)}});
}

Value read_only_mount(std::string_view name, std::string_view path) {
    return Value::map({{"mountPath", path}, {"name", name}, {"readOnly", true}});
}

Value sysctl_container(std::string_view image) {
    return Value::map({{"name", "sysctler"},
                       {"image", image},
                       {"command", Value::list({"/bin/sh", "-c"})},
                       {"args", Value::list({Value::borrowed(kEnableForwarding)})},
                       {"securityContext", Value::map({{"privileged", true}})}});
}

}  // namespace renderer

#include "renderer/generate/group/ingress_group.h"

#include <fmt/format.h>

#include "renderer/base/base64.h"
#include "renderer/contract/group_config.h"
#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

Value ingress_config_map(const plan::Workload& workload, const Offered& offered) {
    Value root = Value::map({{"apiVersion", "v1"},
                             {"kind", "ConfigMap"},
                             {"metadata", metadata(workload, ingress_config_name(workload.name))}});
    const std::string serve = group_serve_config(offered);
    put_if(root, !serve.empty(), "binaryData",
           Value::map({{kGroupServeDatum, encode_base64(serve)}}));
    return root;
}

Value ingress_config_volume(const plan::Workload& workload) {
    Value rendered = Value::map({{"name", ingress_config_name(workload.name)}});
    Value addresses = Value::map(
        {{"name", Value::borrowed(kIngressAddresses)},
         {"items", Value::list({Value::map({{"key", fmt::format("{}.json", workload.name)},
                                            {"path", kIngressDatum}})})},
         {"optional", true}});
    return Value::map(
        {{"name", ingress_config_name(workload.name)},
         {"projected",
          Value::map(
              {{"sources", Value::list({Value::map({{"configMap", std::move(rendered)}}),
                                        Value::map({{"configMap", std::move(addresses)}})})}})}});
}

}  // namespace renderer::generate

#include "renderer/generate/install/tailnets.h"

#include <fmt/format.h>

#include "renderer/kube/api.h"

namespace renderer::generate {

void generate_tailnets(const plan::Plan& plan, Objects& objects) {
    for (const plan::TailnetPlan& tailnet : plan.tailnets) {
        Value root = Value::map(
            {{"apiVersion", "v1"},
             {"kind", "ConfigMap"},
             {"metadata",
              Value::map({{"name", fmt::format("{}{}", kTailnetPrefix, tailnet.name)},
                          {"namespace", tailnet.ns},
                          {"annotations", Value::map({{Value::borrowed(kContractAnnotation),
                                                       Value::borrowed(kContractVersion)}})}})},
             {"data",
              Value::map({{"loginUrl", tailnet.login_url}, {"secretName", tailnet.secret}})}});
        objects.push_back({.root = std::move(root),
                           .origin = tailnet.origin,
                           .bundle = tailnet.bundle,
                           .generator = "tailnets"});
    }
}

}  // namespace renderer::generate

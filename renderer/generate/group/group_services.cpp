#include "renderer/generate/group/group_services.h"

#include <fmt/format.h>

#include "renderer/contract/config_secret.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/group_offer.h"
#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

// Returns the ports in the form of the tailnet's API. The ports of a forwarded Service are not
// validated.
std::vector<std::string> ports(const plan::OfferedService& service) {
    if (service.offer == plan::Offer::Address) {
        return {"do-not-validate"};
    }
    return service.plain_http == plan::PlainHttp::Off
               ? std::vector<std::string>{"tcp:443"}
               : std::vector<std::string>{"tcp:443", "tcp:80"};
}

std::string description(const plan::OfferedService& service) {
    return write_offer({.name = service.name(),
                        .parent = service.origin.parent,
                        .ports = ports(service),
                        .tags = service.tags,
                        .certificate = service.dns_name});
}

}  // namespace

Value group_services_map(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                         const Offered& offered) {
    Value data = Value::map();
    for (const plan::OfferedService* service : offered) {
        data.add(fmt::format("{}.json", service->hostname), description(*service));
    }
    for (std::size_t i = 0; plan::runs_k8s_proxy(workload) && i < workload.hostnames.size(); ++i) {
        data.add(fmt::format("{}{}", workload.pod(i), kHujson),
                 api_config(workload, group, offered, i));
    }
    return contract_map(workload, fmt::format("{}{}", kGroupPrefix, workload.name),
                        std::move(data));
}

}  // namespace renderer::generate

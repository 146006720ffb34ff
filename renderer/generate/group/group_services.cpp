#include "renderer/generate/group/group_services.h"

#include <fmt/format.h>

#include "renderer/core/json.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/kube/api.h"

namespace renderer::generate {

namespace {

// Returns the ports in the form of the tailnet's API. The ports of a forwarded Service are not
// validated.
Value ports(const plan::OfferedService& service) {
    if (service.offer == plan::Offer::Address) {
        return Value::list({"do-not-validate"});
    }
    return service.plain_http == plan::PlainHttp::Off ? Value::list({"tcp:443"})
                                                      : Value::list({"tcp:443", "tcp:80"});
}

std::string description(const plan::OfferedService& service) {
    Value wish = Value::map({{"name", service.name()},
                             {"parent", service.origin.parent},
                             {"ports", ports(service)},
                             {"tags", text_list(service.tags)}});
    put_if(wish, !service.dns_name.empty(), "certificate", service.dns_name);
    return write_json(wish);
}

}  // namespace

Value group_services_map(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                         const Offered& offered) {
    Value data = Value::map();
    for (const plan::OfferedService* service : offered) {
        data.add(fmt::format("{}.json", service->hostname), description(*service));
    }
    for (std::size_t i = 0; plan::runs_k8s_proxy(workload) && i < workload.hostnames.size(); ++i) {
        data.add(fmt::format("{}.hujson", workload.pod(i)),
                 api_config(workload, group, offered, i));
    }
    return contract_map(workload, fmt::format("{}{}", kGroupPrefix, workload.name),
                        std::move(data));
}

}  // namespace renderer::generate

#include "renderer/plan/joining.h"

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/plan/group/api_group.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/workload/l7_ingress.h"

namespace renderer::plan {

namespace {

std::string_view advice_of(const OfferedService& service) {
    switch (service.offer) {
        case Offer::Web:
            return kIngressHostnameAdvice;
        case Offer::KubeApi:
            return kApiHostnameAdvice;
        case Offer::Address:
            break;
    }
    return kHostnameAdvice;
}

}  // namespace

std::vector<Joining> joining_of(const Plan& plan) {
    std::vector<Joining> all;
    const auto add = [&all](const Workload& one) {
        const std::string* last = nullptr;  // replicas may share one; the first to join gets it
        for (const std::string& hostname : one.hostnames) {
            if (!hostname.empty() && (last == nullptr || *last != hostname)) {
                all.push_back({one.tailnet, one.server_url, lower_case(hostname), hostname,
                               one.hostname_pos, &one.origin, one.hostname_advice});
            }
            last = &hostname;
        }
    };
    std::ranges::for_each(plan.workloads, add);
    if (plan.api_proxy_elsewhere) {
        add(*plan.api_proxy_elsewhere);
    }
    return all;
}

std::vector<Joining> offering_of(const Plan& plan) {
    std::vector<Joining> all;
    for (const OfferedService& one : plan.offered) {
        if (!one.hostname.empty()) {
            all.push_back({one.tailnet, "", lower_case(one.hostname), one.hostname,
                           one.hostname_pos, &one.origin, advice_of(one), true, one.group.empty()});
        }
    }
    return all;
}

}  // namespace renderer::plan

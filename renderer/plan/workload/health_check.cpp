#include "renderer/plan/workload/health_check.h"

#include <algorithm>
#include <array>

#include "renderer/contract/environment.h"

namespace renderer::plan {

namespace {

bool has_last_word(const ProxyClassPlan* chosen) {
    constexpr std::array<std::string_view, 3> kPlaces = {
        variable::kHealthCheck, variable::kLocalAddress, variable::kOldHealthAddress};
    return chosen != nullptr &&
           std::ranges::any_of(chosen->container.env, [&](const ClassEnv& variable) {
               return std::ranges::find(kPlaces, variable.name) != kPlaces.end();
           });
}

// True if every port of the pod's own address is forwarded.
bool forwards_its_address(const ProxyPlan& proxy) {
    switch (proxy.target) {
        case Target::TailnetIp:
        case Target::TailnetName:
            return true;
        case Target::Serve:
            return !proxy.userspace;
        case Target::ClusterIp:
        case Target::DnsName:
        case Target::Routes:
            break;
    }
    return false;
}

}  // namespace

void plan_health_checks(std::vector<Workload>& workloads) {
    for_each_of<ProxyPlan>(workloads, [](Workload& workload, ProxyPlan& proxy) {
        const bool answers =
            workload.release.has(Trait::KeptDevices) && !has_last_word(workload.proxy_class);
        if (answers) {
            workload.env.push_back({variable::kHealthCheck, "true"});
        }
        if (workload.dataplane == Dataplane::Native) {
            proxy.probe = HealthProbe::ByProgram;
        } else if (answers) {
            proxy.probe = forwards_its_address(proxy) ? HealthProbe::Inside : HealthProbe::FromNode;
        }
    });
}

}  // namespace renderer::plan

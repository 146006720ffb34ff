#include "renderer/generate/generate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "renderer/base/parallel.h"
#include "renderer/generate/group/egress_group.h"
#include "renderer/generate/group/group_policy.h"
#include "renderer/generate/group/proxy_group.h"
#include "renderer/generate/install/install.h"
#include "renderer/generate/install/tailnets.h"
#include "renderer/generate/substitution.h"
#include "renderer/generate/workload/dns_config.h"
#include "renderer/generate/workload/metrics.h"
#include "renderer/generate/workload/proxy.h"
#include "renderer/generate/workload/recorder.h"

namespace renderer {

namespace {

constexpr std::array kOfPlan = {generate_install, generate_metrics, generate_egress_services,
                                generate_group_policies, generate_tailnets};

class WorkloadGenerator {
public:
    WorkloadGenerator(const Plan& plan, const Workload& workload, Objects& objects)
        : plan_(plan), workload_(workload), objects_(objects) {}

    void operator()(const ProxyPlan& proxy) const { generate_proxy(workload_, proxy, objects_); }
    void operator()(const ProxyGroupPlan& group) const {
        generate_proxy_group(workload_, group, plan_, objects_);
    }
    void operator()(const RecorderPlan& recorder) const {
        generate_recorder(workload_, recorder, objects_);
    }
    void operator()(const NameserverPlan& nameserver) const {
        generate_dns_config(workload_, nameserver, plan_.settings.chart.at({"imagePullSecrets"}),
                            objects_);
    }

private:
    const Plan& plan_;
    const Workload& workload_;
    Objects& objects_;
};

constexpr std::size_t kPieceWorkloads = 32;

// In their order.
void generate_workloads(const Plan& plan, unsigned threads, Objects& objects) {
    const std::span<const Workload> workloads = plan.workloads;
    std::vector<Objects> pieces((workloads.size() + kPieceWorkloads - 1) / kPieceWorkloads);
    for_each_parallel(pieces.size(), threads, [&](std::size_t i) {
        const auto rest = workloads.subspan(i * kPieceWorkloads);
        for (const Workload& one : rest.first(std::min(kPieceWorkloads, rest.size()))) {
            std::visit(WorkloadGenerator(plan, one, pieces[i]), one.feature);
        }
    });
    std::size_t count = objects.size();
    for (const Objects& piece : pieces) {
        count += piece.size();
    }
    objects.reserve(count);
    for (Objects& piece : pieces) {
        std::ranges::move(piece, std::back_inserter(objects));
    }
}

}  // namespace

Objects generate(const Plan& plan, unsigned threads) {
    Objects objects;
    for (const auto run : kOfPlan) {
        run(plan, objects);
    }
    generate_workloads(plan, threads, objects);
    for_each_parallel(objects.size(), threads,
                      [&](std::size_t i) { keep_from_substitution(objects[i].root); });
    return objects;
}

}  // namespace renderer

#include "renderer/generate/generate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "renderer/base/parallel.h"
#include "renderer/generate/group/egress_group.h"
#include "renderer/generate/group/group_policy.h"
#include "renderer/generate/install/install.h"
#include "renderer/generate/install/tailnets.h"
#include "renderer/generate/substitution.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/metrics.h"

namespace renderer {

namespace {

constexpr std::array kOfPlan = {generate_install, generate_metrics, generate_egress_services,
                                generate_group_policies, generate_tailnets};

constexpr std::size_t kPieceWorkloads = 32;

// In their order.
void generate_workloads(const Plan& plan, unsigned threads, Objects& objects) {
    const std::span<const Workload> workloads = plan.workloads;
    std::vector<Objects> pieces((workloads.size() + kPieceWorkloads - 1) / kPieceWorkloads);
    for_each_parallel(pieces.size(), threads, [&](std::size_t i) {
        const auto rest = workloads.subspan(i * kPieceWorkloads);
        for (const Workload& one : rest.first(std::min(kPieceWorkloads, rest.size()))) {
            std::visit(
                [&](const auto& feature) { generate_feature(plan, one, feature, pieces[i]); },
                one.feature);
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

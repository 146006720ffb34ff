#include "renderer/generate/generate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "renderer/base/parallel.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/generate/group/egress_group.h"
#include "renderer/generate/group/group_policy.h"
#include "renderer/generate/install/install.h"
#include "renderer/generate/install/tailnets.h"
#include "renderer/generate/substitution.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/pod_metrics.h"

namespace renderer::generate {

namespace {

constexpr std::array kOfPlan = {generate_install, generate_metrics, generate_egress_services,
                                generate_group_policies, generate_tailnets};

constexpr std::size_t kPieceWorkloads = 32;

// Returns only the identity of an object.
Value identity_of(const Object& object) {
    Value metadata = Value::map({{"name", object.name()}});
    put_if(metadata, !object.ns().empty(), "namespace", object.ns());
    return Value::map({{"apiVersion", object.api_version()},
                       {"kind", object.kind()},
                       {"metadata", std::move(metadata)}});
}

void finish(Object& object, Form form, std::string& buffer) {
    keep_from_substitution(object.root);
    if (form == Form::Text) {
        buffer.clear();
        write_yaml(object.root, buffer);
        object.text = buffer;
        object.root = identity_of(object);
    }
}

void generate_piece(const plan::Plan& plan, std::span<const plan::Workload> workloads, Form form,
                    Objects& objects) {
    std::string buffer;
    for (const plan::Workload& one : workloads) {
        const std::size_t first = objects.size();
        std::visit([&](const auto& feature) { generate_feature(plan, one, feature, objects); },
                   one.feature);
        for (Object& object : std::span(objects).subspan(first)) {
            finish(object, form, buffer);
        }
    }
}

// Generates the workloads' objects, in the order of the workloads.
void generate_workloads(const plan::Plan& plan, Form form, unsigned threads, Objects& objects) {
    const std::span<const plan::Workload> workloads = plan.workloads;
    std::vector<Objects> pieces((workloads.size() + kPieceWorkloads - 1) / kPieceWorkloads);
    for_each_parallel(pieces.size(), threads, [&](std::size_t i) {
        const auto rest = workloads.subspan(i * kPieceWorkloads);
        generate_piece(plan, rest.first(std::min(kPieceWorkloads, rest.size())), form, pieces[i]);
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

Objects generate(const plan::Plan& plan, Form form, unsigned threads) {
    Objects objects;
    for (const auto run : kOfPlan) {
        run(plan, objects);
    }
    std::string buffer;
    for (Object& object : objects) {
        finish(object, form, buffer);
    }
    generate_workloads(plan, form, threads, objects);
    return objects;
}

}  // namespace renderer::generate

// Fields of a ProxyClass that only some pods have a use for. Its other fields have an effect on all
// pods. Among these is acceptRoutes: any device needs the routes to answer clients behind a subnet
// router that keeps their addresses. Source: tailscale v1.96.5 cmd/k8s-operator/sts.go,
// applyProxyClassToStatefulSet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "renderer/plan/checks/cross_checks.h"

namespace renderer::plan {

namespace {

struct PartialField {
    std::string_view path;
    std::optional<Pos> (*place)(const ProxyClassPlan&);  // empty: the class does not set it
    bool (*has_effect)(const Workload&);
    std::string_view users;  // the objects on which it has an effect
};

std::optional<Pos> only_if(bool is_set, Pos pos) {
    return is_set ? std::optional(pos) : std::nullopt;
}

bool has_ports(const Workload& one) {
    return !one.metrics_type.empty();
}

constexpr std::string_view kWithPorts =
    "a proxy other than that of an egress Service, of a PeerRelay, or of an Ingress that forwards "
    "cluster traffic";

constexpr auto kPartialFields = std::to_array<PartialField>({
    {"spec.metrics.enable",
     [](const ProxyClassPlan& one) { return only_if(one.metrics, one.metrics_pos); }, has_ports,
     kWithPorts},
    {"spec.statefulSet.pod.tailscaleContainer.debug.enable",
     [](const ProxyClassPlan& one) {
         return only_if(one.debug && one.debug_pos.known(), one.debug_pos);
     },
     has_ports, kWithPorts},
    // The init container is an error for groups of type kube-apiserver.
    {"spec.statefulSet.pod.tailscaleInitContainer",
     [](const ProxyClassPlan& one) {
         return only_if(one.init_container.exists, one.init_container.pos);
     },
     [](const Workload& one) { return forwards(one) || is_api_group(one); },
     "a proxy that forwards packets: of a Service or a Connector, or a ProxyGroup"},
    {"spec.staticEndpoints",
     [](const ProxyClassPlan& one) {
         return one.static_endpoints ? std::optional(one.static_endpoints->pos) : std::nullopt;
     },
     [](const Workload& one) { return one.as<ProxyGroupPlan>() != nullptr; }, "a ProxyGroup"},
    {"spec.useLetsEncryptStagingEnvironment",
     [](const ProxyClassPlan& one) { return only_if(one.acme_staging, one.acme_staging_pos); },
     [](const Workload& one) { return one.certificates; },
     "an Ingress, or a ProxyGroup of type ingress or kube-apiserver"},
});

using Users = std::vector<const Workload*>;

void warn_unused(const PartialField& field, Pos place, const ProxyClassPlan& chosen,
                 const Users& users, Diagnostics& diagnostics) {
    std::vector<Note> notes;
    notes.reserve(users.size());
    for (const Workload* one : users) {
        notes.push_back(
            {.pos = one->origin.pos, .object = one->origin.parent, .text = "uses the class"});
    }
    about(chosen.origin, diagnostics)
        .warning(kClassFieldRule, place,
                 fmt::format("\"{}\" has no effect on the objects that use this class", field.path))
        .expected(fmt::format("a class of {}", field.users))
        .hint("remove the field, or give these objects another class")
        .notes(std::move(notes));
}

// Calls `take` for each partial field of each class that is used, with whether it has an effect.
template <typename Take>
void for_each_partial_field(const Plan& plan, const Take& take) {
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        Users users;
        for (const Workload& workload : plan.workloads) {
            if (workload.proxy_class == &one) {
                users.push_back(&workload);
            }
        }
        for (const PartialField& field : kPartialFields) {
            const std::optional<Pos> place = field.place(one);
            if (place && !users.empty()) {
                take(field, *place, one, users,
                     std::ranges::any_of(
                         users, [&](const Workload* user) { return field.has_effect(*user); }));
            }
        }
    }
}

}  // namespace

void check_class_effects(const Plan& plan, Diagnostics& diagnostics) {
    for_each_partial_field(plan,
                           [&](const PartialField& field, Pos place, const ProxyClassPlan& chosen,
                               const Users& users, bool has_effect) {
                               if (!has_effect) {
                                   warn_unused(field, place, chosen, users, diagnostics);
                               }
                           });
}

std::vector<Pos> class_fields_with_effect(const Plan& plan) {
    std::vector<Pos> places;
    for_each_partial_field(plan, [&](const PartialField&, Pos place, const ProxyClassPlan&,
                                     const Users&, bool has_effect) {
        if (has_effect) {
            places.push_back(place);
        }
    });
    return places;
}

}  // namespace renderer::plan

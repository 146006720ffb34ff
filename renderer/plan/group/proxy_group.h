// ProxyGroups: what is the same for every type. The name, the replicas and what each is called,
// image, tags, and all that the operator or the API server refuses. What a group targets is planned
// by egress_group and ingress_group. Source: tailscale v1.96.5 cmd/k8s-operator/proxygroup.go, and
// the schema of its CRD.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer {

// Finds groups by name. Documents that an applier sees win over mere facts.
class GroupIndex {
public:
    explicit GroupIndex(const Inventory& inventory);

    // nullptr when it is not among the inputs.
    [[nodiscard]] const ProxyGroupInput* find(std::string_view name) const;
    [[nodiscard]] const std::vector<ProxyGroupInput>& sorted() const { return sorted_; }

private:
    std::vector<ProxyGroupInput> sorted_;
};

// "egress", …; "" when it is unset.
std::string_view type_name(GroupType type);

// The group that the object's annotation names. Reports one that is not among the inputs.
const ProxyGroupInput* find_group(const ParentInput& parent, const GroupIndex& groups,
                                  Diagnostics& diagnostics);

// Reports a member whose group is of another type.
void check_group_type(const ParentInput& member, const ProxyGroupInput& group, GroupType wanted,
                      Diagnostics& diagnostics);

// Warns of what the operator reads of an object with a proxy of its own only.
void check_ignored(const ParentInput& member, Diagnostics& diagnostics);

// All groups that are rendered and not refused, sorted by name.
std::vector<Workload> plan_proxy_groups(const GroupIndex& groups, const ProxyInputs& inputs,
                                        Diagnostics& diagnostics);

}  // namespace renderer

// ProxyGroups: the part that is the same for every type. It plans the name, the replicas and their
// names, image and tags, and refuses what the operator or the API server refuses. egress_group and
// ingress_group plan the targets. Source: tailscale v1.96.5 cmd/k8s-operator/proxygroup.go, and the
// schema of its CRD.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Finds groups by name. Applied documents take precedence over facts.
class GroupIndex {
public:
    explicit GroupIndex(const classify::Inventory& inventory);

    // Returns nullptr if the group is not among the inputs.
    [[nodiscard]] const ProxyGroupInput* find(std::string_view name) const;
    [[nodiscard]] const std::vector<ProxyGroupInput>& sorted() const { return sorted_; }

private:
    std::vector<ProxyGroupInput> sorted_;
};

// Returns "egress", …; "" if the type is unset.
std::string_view type_name(GroupType type);

// Returns the group that the object's annotation names. Reports a group that is not among the
// inputs.
const ProxyGroupInput* find_group(const classify::ParentInput& parent, const GroupIndex& groups,
                                  Diagnostics& diagnostics);

// Reports a member whose group is of another type.
void check_group_type(const classify::ParentInput& member, const ProxyGroupInput& group,
                      GroupType wanted, Diagnostics& diagnostics);

// Warns of annotations that the operator reads only from objects with their own proxy.
void check_ignored(const classify::ParentInput& member, Diagnostics& diagnostics);

// Returns all groups that are rendered and not refused, sorted by name.
std::vector<Workload> plan_proxy_groups(const GroupIndex& groups, const ProxyInputs& inputs,
                                        Diagnostics& diagnostics);

}  // namespace renderer::plan

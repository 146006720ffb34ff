// All replicas of proxies: those that a StatefulSet of our contract asks for, and the remains of
// others.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/decide.h"
#include "runtime/controller/view/cluster_view.h"

namespace runtime::controller {

// For one look: valid until the next change of the view.
class Replicas {
public:
    explicit Replicas(const ClusterView& view) : view_(view) {}

    // No value if it is not wanted and nothing is left of it. Its name points to `pod`.
    std::optional<Replica> find(std::string_view pod);
    // Visits each once, in no order. Its name is valid during the call.
    void each(const std::function<void(const Replica&)>& visit);

private:
    [[nodiscard]] const AuthSecret* auth_of(std::string_view pod, bool is_api_proxy) const;
    // The configuration of an API proxy's pod; "" if its group cannot be read, because then it is
    // unknown what its pods must advertise.
    std::string config_of(const ProxySet& set, std::string_view pod);

    const ClusterView& view_;
    std::map<std::string, std::map<std::string, std::string>> configs_;  // by group and pod
};

// The StatefulSets that are affected by the changes.
std::vector<const ProxySet*> sets_of(const ClusterView& view, const Changes& changes);

// Returns the parent's StatefulSet, of our contract or another one, but not the operator's; nullptr
// if there is none.
const ProxySet* set_of(const ClusterView& view, std::string_view parent);

// Returns the auth Secret, not of `pod`, on which the controller has noted this device of the
// tailnet; "" if there is none.
std::string owner_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                     std::string_view pod);

// Returns that Secret, or one whose pod says that it has the device, or that an earlier one had it.
std::string user_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                    std::string_view pod);

// Returns the operator's own StatefulSet for the same parent, whose device is still in the tailnet,
// and may be the one that our Secrets name; "" if there is none.
std::string operators_set(const ClusterView& view, const Replica& replica);

}  // namespace runtime::controller

// All replicas of proxies: those that a StatefulSet of our contract asks for, and what is left of
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

// For one look: ends with the next change of the view.
class Replicas {
public:
    explicit Replicas(const ClusterView& view) : view_(view) {}

    // No value: no one wants it, and nothing is left of it. Its name points to `pod`.
    std::optional<Replica> find(std::string_view pod);
    // Each once, in no order. Its name ends with the call.
    void each(const std::function<void(const Replica&)>& visit);

private:
    [[nodiscard]] const AuthSecret* auth_of(std::string_view pod, bool is_api_proxy) const;
    // What a pod of an API proxy is configured with; "": its group cannot be read, so what its pods
    // shall advertise, no one knows.
    std::string config_of(const ProxySet& set, std::string_view pod);

    const ClusterView& view_;
    std::map<std::string, std::map<std::string, std::string>> configs_;  // by group and pod
};

// StatefulSets that something has changed for.
std::vector<const ProxySet*> sets_of(const ClusterView& view, const Changes& changes);

// The auth Secret on which the controller has noted this device of the tailnet, but for that of
// `pod`; "": none.
std::string owner_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                     std::string_view pod);

// That, or the Secret that says that its pod has the device, or that an earlier one had it.
std::string user_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                    std::string_view pod);

// The operator's own StatefulSet for the same parent, whose device is still in the tailnet, and may
// be the one that our Secrets name; "": there is none.
std::string operators_set(const ClusterView& view, const Replica& replica);

}  // namespace runtime::controller

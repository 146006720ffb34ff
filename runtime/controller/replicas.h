// All replicas of proxies: those that a StatefulSet of our contract asks for, and what is left of
// others.
#pragma once

#include <map>
#include <string>

#include "runtime/controller/cluster_view.h"
#include "runtime/controller/decide.h"

namespace runtime {

// By name of the pod, to which the replica's own name points. Ends with the next change of the
// view.
std::map<std::string, Replica> replicas_of(const ClusterView& view);

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
bool has_operators_sets(const ClusterView& view);

}  // namespace runtime

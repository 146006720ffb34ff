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

// The Secret that says that its pod has this device of the tailnet, or that an earlier one had it,
// but for those of `pod`; "": none does.
std::string user_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                    std::string_view pod);

// The operator's own StatefulSet for the same parent, whose device is still in the tailnet, and may
// be the one that our Secrets name; "": there is none.
std::string operators_set(const ClusterView& view, const Replica& replica);
bool has_operators_sets(const ClusterView& view);

}  // namespace runtime

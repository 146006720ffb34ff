// Plans an adoption from a snapshot of the cluster: a pure function. The operator (tailscale
// v1.96.5, cmd/k8s-operator) names the children of a parent `ts-<parent>-<5 random characters>` and
// finds them by labels; rendered children have names of their own and the same labels. Where
// it gives the same names (PodTraits::keep_operator_name), rendered objects have replaced the
// operator's, and only the state Secrets are left to take over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace runtime::adopt {

// All objects are in the operator's namespace, except user_services.
struct AdoptSnapshot {
    std::vector<renderer::Value> sets, deployments, services, secrets, slices;
    std::vector<renderer::Value> user_services;  // of all namespaces
};

// A proxy that gets new names.
struct Move {
    std::string parent;                // Kind/namespace/name
    std::string old_name;              // of the StatefulSet and the Service
    std::string old_uid;               // of the StatefulSet; empty: deleted already
    std::string new_name;              // empty: there is no rendered proxy
    std::vector<std::string> secrets;  // the operator's, one for each replica, in order
    // namespace/name of the Services whose externalName targets the old one
    std::vector<std::string> services;
    std::string devices;  // FQDNs or ids, for messages
    std::string problem;  // why it is left alone; empty: it is moved
};

// A proxy of a group: the ClusterIP Service that targets the group's pods.
struct GroupService {
    std::string parent, old_name, new_name;
    std::vector<std::string> services;  // as above
    std::vector<std::string> slices;
    std::string problem;
};

// A state Secret that keeps its name.
struct Takeover {
    std::string secret, set, devices;
    // The Secret in which the operator keeps the key of a Recorder's replica, or the configuration
    // of an API proxy or a relay, which the controller creates again; empty if there is none.
    std::string leftover;
};

// The device of the operator itself, if its API proxy is a pod now. The operator has no
// StatefulSet, and its Secret stays until `tailrender-adopt --finish`: a rollback needs it.
struct OperatorDevice {
    std::string parent;              // of the rendered proxy
    std::string old_name, new_name;  // of the state Secrets; the new one is the pod's
    std::string set;
    std::string devices = {}, problem = {};  // as above
};

struct AdoptPlan {
    std::vector<Move> moves;
    std::vector<GroupService> services;
    std::vector<Takeover> takeovers;
    std::optional<OperatorDevice> own;

    [[nodiscard]] bool empty() const {
        return moves.empty() && services.empty() && takeovers.empty() && !own;
    }
    // Returns the problems of all entries, one line each.
    [[nodiscard]] std::vector<std::string> problems() const;
};

AdoptPlan plan_adoption(const AdoptSnapshot& snapshot);

// Returns a table for people, one line for each entry.
std::string describe(const AdoptPlan& plan);

// Returns namespace/name of the Services whose externalName targets Service `name` of namespace
// `ns`.
std::vector<std::string> services_that_name(const AdoptSnapshot& snapshot, std::string_view name,
                                            std::string_view ns);

}  // namespace runtime::adopt

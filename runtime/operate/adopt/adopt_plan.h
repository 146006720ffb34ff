// What `adopt` has to do, from what the cluster looks like: a pure function. The operator
// (tailscale v1.96.5, cmd/k8s-operator) names the children of a parent `ts-<parent>-<5 random
// characters>` and finds them by labels; rendered ones have names of their own and the same labels.
// Groups and Recorders have the same names on both sides: there the rendered objects have replaced
// the operator's, and only the state Secrets are left to take over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace runtime {

using Labels = std::map<std::string, std::string>;

// All in the operator's namespace, but for the last.
struct AdoptSnapshot {
    std::vector<renderer::Value> sets, deployments, services, secrets, slices;
    std::vector<renderer::Value> user_services;  // of all namespaces
};

// A proxy that gets new names.
struct Move {
    std::string parent;                // Kind/namespace/name
    std::string old_name;              // of StatefulSet and Service
    std::string old_uid;               // of the StatefulSet; empty: deleted already
    std::string new_name;              // empty: there is no rendered one
    std::vector<std::string> secrets;  // the operator's, one for each replica, in order
    // namespace/name of the Services that name the old one by externalName
    std::vector<std::string> services;
    std::string devices;  // for people: FQDNs, or ids
    std::string problem;  // why it is left alone; empty: it is not
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
    // Where the operator keeps the key of a Recorder's replica, or the configuration of an API
    // proxy or a PeerRelay, which the controller makes again; empty: nowhere.
    std::string leftover;
};

// The device of the operator itself, where its API proxy is a pod now. It has no StatefulSet, and
// its Secret stays until `adopt --finish`: the operator needs it to come back.
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
    // Of all entries, one line each.
    [[nodiscard]] std::vector<std::string> problems() const;
};

AdoptPlan plan_adoption(const AdoptSnapshot& snapshot);

// A table for people, one line for each entry.
std::string describe(const AdoptPlan& plan);

// namespace/name of the Services whose externalName targets Service `name` of namespace `ns`.
std::vector<std::string> services_that_name(const AdoptSnapshot& snapshot, std::string_view name,
                                            std::string_view ns);
// Those that say whose child it is; what else the operator puts on some kinds does not count.
Labels parent_labels(const renderer::Value& object);
// "Service/apps/web" of such labels.
std::string parent_of(const Labels& labels);
// The operator made it: a name that the API server completed, or a StatefulSet without contract.
bool has_generated_name(const renderer::Value& object);
bool is_operators_set(const renderer::Value& set);
// The operator's custom resource that an object belongs to, "Kind/name"; empty: none.
std::string custom_owner(const renderer::Value& object);
std::string name_of(const renderer::Value& object);
// Null and a StatefulSet that was scaled to none have none.
bool has_replicas(const renderer::Value& set);

// The entry of a Secret that the operator made for a device, without what belongs to configuration.
bool is_state_key(std::string_view key);
// The data of a Secret, with the state in `from` over it. Null has none.
renderer::Value with_state(const renderer::Value& from, const renderer::Value* data);
// Of tailscaled's profile, or what containerboot has noted; empty: it has never joined.
std::string device_of(const renderer::Value& secret);
std::string datum_of(const renderer::Value& secret, std::string_view key);

}  // namespace runtime

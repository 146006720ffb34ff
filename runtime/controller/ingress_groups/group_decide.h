// Decides what to do for groups that are reached from the tailnet, from the state of the cluster
// and the tailnet: pure functions. The rules are those of testdata/contract/ingress.md:
// - a service is recorded (in the table) before it is registered, so that any later process can
//   remove it;
// - a certificate's Secret exists before its service is registered, and a service is registered
//   once a replica of its group is in the tailnet;
// - a service that is no longer offered is removed after a delay, never many at once, and not
//   before its pods have stopped advertising it, since they request its certificate until then;
// - when a certificate has changed, the pods that read another one are deleted one after the other;
//   the table also records what they were told of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "runtime/controller/ingress_groups/group_objects.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

// A group whose ConfigMap can be read and whose StatefulSet exists. It owns nothing.
struct Group {
    const GroupConfig* config = nullptr;
    const ProxySet* set = nullptr;
    // By ordinal; nullptr if it does not exist.
    std::vector<const Pod*> pods;
    std::vector<const StateSecret*> states;
    std::vector<const AuthSecret*> auths;

    [[nodiscard]] bool has_joined() const;  // a replica is in the tailnet
    // True if a running pod says that it advertises the service.
    [[nodiscard]] bool advertises(std::string_view service) const;
};

struct Offered {
    const Group* group = nullptr;
    const Offer* offer = nullptr;
};
// By key of the record (group_objects.h).
using AllOffered = std::map<std::string, Offered>;
AllOffered all_offered(const std::map<std::string, Group>& groups);

// The parent that had the service before its present parent; "" if none is known.
std::string_view left_parent(const ServiceRecord& record, const Offer& offer);

// The records to keep. Services of groups in `untouched` stay as they are, because it is unknown
// what these groups offer. The record of a service with another certificate keeps the old one while
// that is in `certificates`, and a record with another parent keeps the former one while that is in
// `told`.
struct RecordsInput {
    const ServiceRecords& old;
    const AllOffered& offered;
    const std::set<std::string>& untouched;
    const std::set<std::string>& certificates;
    const std::set<std::string>& told;
};
ServiceRecords desired_records(const RecordsInput& input, Time now);

// Addresses of services that target a Service, in the tailnet and in the cluster, by key of the
// record.
using Addresses = std::map<std::string, std::vector<std::string>>;
struct KnownAddresses {
    Addresses tailnet, cluster;
};
// The whole table. An address that is unknown stays as it is.
struct TableInput {
    const ServiceRecords& records;
    const ToldCertificates& told;
    const std::string& owner;  // ledger.h
    const KnownAddresses& known;
    const std::map<std::string, std::string>& old;
};
std::map<std::string, std::string> desired_table(const TableInput& input);

// The record of what pods were told of certificates. If a group cannot be reconciled, its entry
// stays while its StatefulSet exists; the entry of a certificate that the group no longer offers
// stays while a pod runs that may have read it.
struct ToldInput {
    const ToldCertificates& old;
    const std::map<std::string, Group>& groups;
    const std::map<std::string, std::string>& hashes;  // of filled certificates, by name
    const std::set<std::string>& sets;                 // names of existing StatefulSets
};
ToldCertificates desired_told(const ToldInput& input);

// Configuration reaches a pod within two minutes. After this time the pod's own report is ignored,
// because it could keep its service forever.
inline constexpr Duration kUnadvertisePatience = std::chrono::minutes(3);

namespace group_step {
struct CreateCertificate {};
struct DeleteCertificate {};  // of the name that the service had before
struct Register {};
struct Remove {};
}  // namespace group_step
using GroupStep = std::variant<group_step::CreateCertificate, group_step::DeleteCertificate,
                               group_step::Register, group_step::Remove>;

// Everything about one service. nullptr if it does not exist.
struct ServiceState {
    const ServiceRecord* record = nullptr;
    const Offered* offered = nullptr;
    const Certificate* certificate = nullptr;
    const Certificate* old_certificate = nullptr;  // that is no longer needed
    bool is_registered = false;                    // the tailnet has it as it is offered
    bool is_advertised = false;                    // by a running pod, as it reports
};
std::optional<GroupStep> decide_service(const ServiceState& service, Time now,
                                        Duration cleanup_delay);

// The pod to delete, of those with a UID in `roll`; nullptr if no pod has one, or not now.
const Pod* decide_roll(const std::set<std::string>& roll, const std::vector<const Pod*>& pods);

// The configuration of each pod of an API proxy, without its key. `filled` are certificates.
std::map<std::string, std::string> desired_configs(const GroupConfig& group,
                                                   const std::set<std::string>& filled);

std::string describe(const GroupStep& step);

}  // namespace runtime::controller

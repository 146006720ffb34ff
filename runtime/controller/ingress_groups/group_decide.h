// What is to be done for groups that the tailnet reaches, given what the cluster and the tailnet
// look like: pure functions. The rules are those of testdata/contract/ingress.md:
// - what is registered is written down first (the table), so that it can be taken away by whoever
//   comes after us;
// - a certificate's Secret exists before its service is registered, and a service is registered
//   once a replica of its group is in the tailnet;
// - what is offered no more is removed after a delay, never many at once, and not before its pods
//   have stopped to advertise it, since they go on asking for its certificate until then;
// - when a certificate has changed, the pods that read another one are deleted one after the other;
//   what they were told of is in the table, too.
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

// A group that can be worked for: its ConfigMap is understood and its StatefulSet is there. Not
// owning.
struct Group {
    const GroupConfig* config = nullptr;
    const ProxySet* set = nullptr;
    // By ordinal; nullptr: is not there.
    std::vector<const Pod*> pods;
    std::vector<const StateSecret*> states;
    std::vector<const AuthSecret*> auths;

    [[nodiscard]] bool has_joined() const;  // a replica is in the tailnet
    // A pod that runs says that it advertises the service.
    [[nodiscard]] bool advertises(std::string_view service) const;
};

struct Offered {
    const Group* group = nullptr;
    const Offer* offer = nullptr;
};
// By key of the record (group_objects.h).
using AllOffered = std::map<std::string, Offered>;
AllOffered all_offered(const std::map<std::string, Group>& groups);

// The parent that had a service before the one for which it is offered now; "": none that is known.
std::string_view left_parent(const ServiceRecord& record, const Offer& offer);

// What is to be remembered. Services of groups in `untouched` stay as they are: no one knows what
// these groups want. One that has got another certificate is remembered with the old one while
// that is in `certificates`, and one that has got another parent with the one before while that is
// in `told`.
struct RecordsInput {
    const ServiceRecords& old;
    const AllOffered& offered;
    const std::set<std::string>& untouched;
    const std::set<std::string>& certificates;
    const std::set<std::string>& told;
};
ServiceRecords desired_records(const RecordsInput& input, Time now);

// What the tailnet and the cluster say of services that target a Service, by key of the record.
using Addresses = std::map<std::string, std::vector<std::string>>;
struct KnownAddresses {
    Addresses tailnet, cluster;
};
// The whole table. An address that is not known stays as it is.
struct TableInput {
    const ServiceRecords& records;
    const ToldCertificates& told;
    const std::string& owner;  // ledger.h
    const KnownAddresses& known;
    const std::map<std::string, std::string>& old;
};
std::map<std::string, std::string> desired_table(const TableInput& input);

// What pods are told of certificates, as it is to be remembered. Of a group that cannot be worked
// for it stays while its StatefulSet is there; of a certificate that the group offers no more while
// a pod runs that may have read it.
struct ToldInput {
    const ToldCertificates& old;
    const std::map<std::string, Group>& groups;
    const std::map<std::string, std::string>& hashes;  // of certificates that are filled, by name
    const std::set<std::string>& sets;                 // names of StatefulSets that are there
};
ToldCertificates desired_told(const ToldInput& input);

// Configuration reaches a pod within two minutes. What the pod says of it only counts so long: it
// could keep its service for ever.
inline constexpr Duration kUnadvertisePatience = std::chrono::minutes(3);

namespace group_step {
struct CreateCertificate {};
struct DeleteCertificate {};  // of a name that the service had before
struct Register {};
struct Remove {};
}  // namespace group_step
using GroupStep = std::variant<group_step::CreateCertificate, group_step::DeleteCertificate,
                               group_step::Register, group_step::Remove>;

// All that there is of one service. nullptr: does not exist.
struct ServiceState {
    const ServiceRecord* record = nullptr;
    const Offered* offered = nullptr;
    const Certificate* certificate = nullptr;
    const Certificate* old_certificate = nullptr;  // that no one needs any more
    bool is_registered = false;                    // the tailnet has it as it is offered
    bool is_advertised = false;                    // by a pod that runs, as far as it says
};
std::optional<GroupStep> decide_service(const ServiceState& service, Time now,
                                        Duration cleanup_delay);

// The pod to delete, of those whose UIDs are in `roll`. nullptr: none, or not now.
const Pod* decide_roll(const std::set<std::string>& roll, const std::vector<const Pod*>& pods);

// What the pod of an API proxy is configured with, but for its key. `filled`: certificates.
std::map<std::string, std::string> desired_configs(const GroupConfig& group,
                                                   const std::set<std::string>& filled);

std::string describe(const GroupStep& step);

}  // namespace runtime::controller

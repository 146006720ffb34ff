// Groups that are reached from the tailnet: registers their Tailscale Services, creates the Secrets
// for their certificates, tells their pods which addresses they serve, rolls them when a
// certificate was renewed, and removes what is no longer offered. group_decide.h decides the steps;
// the contract is testdata/contract/ingress.md.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "runtime/base/worker.h"
#include "runtime/controller/feature.h"
#include "runtime/controller/ingress_groups/group_apply.h"
#include "runtime/controller/ingress_groups/group_decide.h"
#include "runtime/controller/object_status/group_status.h"

namespace runtime::controller {

class Groups : public Feature {
public:
    explicit Groups(const FeatureContext& context);
    void reconcile(const Changes& changes) override;

private:
    // What is remembered of the object of a step: a service by key of its record, a group, the
    // table.
    struct Slot {
        std::string problem;  // the last one
        Offer offer;          // the offer that the last step was for
    };
    // The tailnet's answer about a service, and when to ask again.
    struct Registered {
        Offer offer;
        Duration ask_at = {};  // uptime
        Registration said;
    };
    // The Event for a step that fails again and again.
    struct Told {
        kube::ObjectRef about;  // without a name: there is no Event
        std::string_view reason;
    };
    // The present state, read for each call.
    struct Seen {
        std::map<std::string, Group> groups;  // by name
        std::set<std::string> untouched;      // names of groups that cannot be reconciled
        AllOffered offered;
        std::set<std::string> certificates;  // names of certificates that are offered
        AddressTable table;
        ServiceRecords records;
        ToldCertificates told;
    };

    // No value if the state is incomplete, and nothing can be decided.
    std::optional<Seen> look();
    [[nodiscard]] Group group_of(const GroupConfig& config, const ProxySet& set) const;
    [[nodiscard]] KnownAddresses known_addresses(const ServiceRecords& records) const;
    void ask_guard(const ServiceRecords& records);
    bool may_remove(const Seen& seen, const std::string& key);
    [[nodiscard]] const Certificate* find_certificate(const std::string& name) const;
    // Parents that had a service and that now neither a group nor a proxy of their own serves, with
    // their desired status. By name.
    struct Bereft {
        const Parent* parent;
        StatusChange status;
    };
    using Unserved = std::map<std::string, Bereft>;
    [[nodiscard]] Unserved unserved(const Seen& seen) const;
    void keep_accounts(const Seen& seen);
    void keep_table(const Seen& seen, const Unserved& unserved);
    [[nodiscard]] ToldCertificates told_now(const Seen& seen) const;
    void consider(const Seen& seen, const std::string& key);
    void run(const std::string& key, const ServiceState& service, const GroupStep& step);
    void roll(const Group& group, const ToldCertificates& told);
    void write_status(const Seen& seen);
    void tell_services(const Seen& seen);
    [[nodiscard]] OfferedState state_of(const std::string& key, const Offered& offered) const;
    // True if the status of the parent is written for its own proxy.
    [[nodiscard]] bool has_own_proxy(const Parent& parent) const;

    // Resets the slot if the offer has changed, so that earlier failures do not delay it.
    void renew_slot(const std::string& key, const Offer& offer);
    Next begin(const std::string& slot, const Told& told = {});
    [[nodiscard]] Duration next_look(const Registration& said) const;
    void tell(const std::string& slot, const Told& told, const std::string& problem);
    void report(const std::string& slot, const std::string& problem);
    void report_config(const GroupConfig& config);

    FeatureContext context_;
    GroupApply apply_;
    const Mirror<AddressTable>& tables_;
    const Mirror<ClusterAddresses>& services_;
    Worker<std::string> steps_;  // by key of the slot
    std::map<std::string, Slot> slots_;
    std::map<std::string, Registered> registered_;
    std::map<std::string, Duration> leaving_;     // by key of the record: uptime since when
    std::optional<Duration> accounts_seen_;       // when the Secret of ACME accounts was last seen
    std::set<std::string> removed_;               // whose records may be deleted
    std::map<std::string, std::string> rolling_;  // by group: UID of the pod that was deleted
};

}  // namespace runtime::controller

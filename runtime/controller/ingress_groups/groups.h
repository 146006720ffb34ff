// Groups that the tailnet reaches: registers their Tailscale Services, makes the Secrets that their
// certificates go to, tells their pods which addresses they serve, rolls them when a certificate
// was renewed, and takes away what is offered no more. What is to be done is decided in
// group_decide.h; the contract is testdata/contract/ingress.md.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "runtime/base/attempts.h"
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
    // What is remembered of a step's object: a service by key of its record, a group, the table.
    struct Slot {
        Attempts attempts;
        std::string problem;  // the last one
        Offer offer;          // that it was about
    };
    // What the tailnet said of a service, and when to ask again.
    struct Registered {
        Offer offer;
        Duration ask_at = {};  // uptime
        Registration said;
    };
    // The Event when a step fails again and again.
    struct Told {
        kube::ObjectRef about;  // without a name: there is none
        std::string_view reason;
    };
    // What there is, read again each time.
    struct Seen {
        std::map<std::string, Group> groups;  // by name
        std::set<std::string> untouched;      // names of those that cannot be worked for
        AllOffered offered;
        std::set<std::string> certificates;  // names of those that are offered
        AddressTable table;
        ServiceRecords records;
        ToldCertificates told;
    };

    // No value: nothing may be decided by it.
    std::optional<Seen> look();
    [[nodiscard]] Group group_of(const GroupConfig& config, const ProxySet& set) const;
    [[nodiscard]] KnownAddresses known_addresses(const ServiceRecords& records) const;
    void ask_guard(const ServiceRecords& records);
    bool may_remove(const Seen& seen, const std::string& key);
    [[nodiscard]] const Certificate* find_certificate(const std::string& name) const;
    // Parents that have had a service and that neither a group nor a proxy of their own serves now,
    // with what their status should be. By name.
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
    // The status of this one's parent is its own proxy's to write.
    [[nodiscard]] bool has_own_proxy(const Parent& parent) const;

    // One that has changed is not held up by what went wrong before.
    void renew_slot(const std::string& key, const Offer& offer);
    [[nodiscard]] bool may_run(const std::string& slot) const;
    Next begin(const std::string& slot, const Told& told = {});
    [[nodiscard]] Duration next_look(const Registration& said) const;
    void tell(const std::string& slot, const Told& told, const std::string& problem);
    void report(const std::string& slot, const std::string& problem);
    void report_config(const GroupConfig& config);

    FeatureContext context_;
    GroupApply apply_;
    const Mirror<AddressTable>& tables_;
    const Mirror<ClusterAddresses>& services_;
    std::map<std::string, Slot> slots_;
    std::map<std::string, Registered> registered_;
    std::map<std::string, Duration> leaving_;     // by key of the record: uptime since when
    std::optional<Duration> accounts_seen_;       // when the Secret of ACME accounts was there
    std::set<std::string> removed_;               // whose records may go
    std::map<std::string, std::string> rolling_;  // by group: UID of the pod that we have deleted
};

}  // namespace runtime::controller

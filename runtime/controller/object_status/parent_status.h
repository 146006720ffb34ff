// The status of the parents of proxies.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/feature.h"
#include "runtime/controller/object_status/egress_status.h"
#include "runtime/controller/object_status/proxy_status.h"
#include "runtime/controller/view/replicas.h"
#include "runtime/controller/view/static_endpoints.h"

namespace runtime::controller {

// The address of the nameserver's Service.
struct NameServer {
    std::string address;

    bool operator==(const NameServer&) const = default;
};

class ParentStatus : public Feature {
public:
    explicit ParentStatus(FeatureContext context);
    void reconcile(const Changes& changes) override;

private:
    // The data of one look.
    struct Look {
        Replicas replicas;
        std::map<std::string, Proxies> proxies = {};  // by name of the StatefulSet
    };

    const Proxies& proxies_of(Look& look, const ProxySet& set);
    Device described(const Replica& replica);
    // Returns false if nothing has changed for parents that are no longer served.
    bool note_leaving(Look& look, const Changes& changes);
    [[nodiscard]] std::vector<const Parent*> parents_of(const Changes& changes,
                                                        std::string_view kind) const;
    void write_served(Look& look, const ProxySet& set);
    void write_egress(Look& look, const Changes& changes, const std::vector<const ProxySet*>& sets);
    void write_egress(Look& look, const Parent& service);
    void write_unserved(const Changes& changes);
    void write_name_server();
    void write_classes();

    FeatureContext context_;
    // By pod: where replicas that are no longer wanted were reached.
    std::map<std::string, std::set<std::string>, std::less<>> leaving_;
    const Mirror<NameServer>& name_servers_;
    const Mirror<EgressReplica>& egress_replicas_;
    const Mirror<StaticEndpoints>& static_endpoints_;
};

}  // namespace runtime::controller

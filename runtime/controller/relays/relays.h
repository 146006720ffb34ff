// Relays: writes the addresses of their load balancers into Secrets for their pods, which exist
// before the pods can start, and writes their status. A Secret is deleted when nothing is left of
// its replica. The contract is testdata/contract/peer-relay.md.
#pragma once

#include <map>
#include <set>
#include <string>

#include "runtime/base/worker.h"
#include "runtime/controller/feature.h"
#include "runtime/controller/object_status/relay_status.h"
#include "runtime/controller/relays/endpoints.h"
#include "runtime/controller/relays/hostnames.h"
#include "runtime/controller/relays/relay_objects.h"

namespace runtime::controller {

class Relays : public Feature {
public:
    explicit Relays(const FeatureContext& context);
    void reconcile(const Changes& changes) override;

private:
    void report(const RelayConfig& relay);
    void tell_hostnames(const RelayConfig& relay, const std::string& pod);
    [[nodiscard]] kube::ObjectRef parent_of(const std::string& relay) const;
    [[nodiscard]] bool may_write(const RelayConfig& relay) const;
    [[nodiscard]] const LoadBalancer* balancer_of(std::string_view pod) const;
    [[nodiscard]] const RelaySecret* secret_of(std::string_view pod) const;
    void keep_secret(const RelayConfig& relay, const std::string& pod, const KnownHosts& hosts);
    void refuse(const std::string& relay, const std::string& secret);
    [[nodiscard]] bool is_left_over(const RelaySecret& secret) const;
    void remove(const RelaySecret& secret);
    void write_status(const Parent& relay);
    [[nodiscard]] RelayState state_of(const ProxySet& set) const;
    [[nodiscard]] std::string tailnet_problem(std::string_view tailnet) const;

    FeatureContext context_;
    Hostnames hostnames_;
    const Mirror<RelayConfig>& relays_;
    const Mirror<RelaySecret>& secrets_;
    const Mirror<LoadBalancer>& balancers_;    // by name of the Service, which is the pod's
    Worker<std::string> removals_;             // by name of the Secret
    std::map<std::string, Duration> refused_;  // until when; by name of the Secret
};

}  // namespace runtime::controller

// Names of proxies inside the cluster, as the nameserver takes them:
// testdata/contract/nameserver.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/controller/decide.h"
#include "runtime/controller/feature.h"

namespace runtime::controller {

// What the renderer makes of a user's Service that an egress group connects with the tailnet.
struct DnsService {
    std::string group = {};
    std::string parent = {};  // "namespace-name" of the user's
    std::vector<std::string> addresses = {};

    bool operator==(const DnsService&) const = default;
};

// What an egress group's Services target, as its pods are told: by "namespace-name" of the
// user's. Of those that target a name.
struct EgressNames {
    std::map<std::string, std::string> names = {};

    bool operator==(const EgressNames&) const = default;
};

// Of one EndpointSlice: those that take traffic.
struct DnsEndpoints {
    std::string service = {};
    std::vector<std::string> addresses = {};

    bool operator==(const DnsEndpoints&) const = default;
};

// The nameserver's Service.
struct NameserverService {
    std::string uid = {}, contract = {};

    bool operator==(const NameserverService&) const = default;
};

// What is in the ConfigMap.
struct WrittenRecords {
    std::string version = {}, text = {};

    bool operator==(const WrittenRecords&) const = default;
};

std::optional<DnsService> decode_dns_service(const renderer::Value& object);
std::optional<EgressNames> decode_egress_names(const renderer::Value& object);
std::optional<DnsEndpoints> decode_dns_endpoints(const renderer::Value& object);
std::optional<NameserverService> decode_nameserver(const renderer::Value& object);
std::optional<WrittenRecords> decode_written_records(const renderer::Value& object);

// records.json, from what is rendered and what the proxies of Ingresses say: a user's own Service
// says nothing, since a name is the whole cluster's. What is in `ns`, the controller's namespace,
// counts; all are by "namespace/name".
std::string dns_records(const std::map<std::string, Replica>& replicas,
                        const Mirror<DnsService>::Objects& services,
                        const Mirror<EgressNames>::Objects& groups,
                        const Mirror<DnsEndpoints>::Objects& endpoints, std::string_view ns);

// Writes the ConfigMap once there is a nameserver, and again when something has changed.
class DnsRecords : public Feature {
public:
    explicit DnsRecords(const FeatureContext& context);
    void reconcile(const Changes& changes) override;

private:
    [[nodiscard]] bool concerns(const std::string& pod) const;
    void write(const std::string& text, const WrittenRecords* written);

    FeatureContext context_;
    const Mirror<DnsService>& services_;
    const Mirror<EgressNames>& groups_;
    const Mirror<DnsEndpoints>& endpoints_;
    const Mirror<NameserverService>& nameservers_;
    const Mirror<WrittenRecords>& written_;
    bool is_writing_ = false;
    bool is_due_ = true;
    std::uint64_t revision_ = 0;  // of the copies above, as of the last look
};

}  // namespace runtime::controller

// Names of proxies inside the cluster, for the nameserver: testdata/contract/nameserver.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/controller/decide.h"
#include "runtime/controller/feature.h"

namespace runtime::controller {

// The rendered Service for a user's Service that an egress group connects with the tailnet.
struct DnsService {
    std::string group = {};
    std::string parent = {};  // "namespace-name" of the user's Service
    std::vector<std::string> addresses = {};

    bool operator==(const DnsService&) const = default;
};

// The names that an egress group's Services target, as its pods are configured, by "namespace-name"
// of the user's Service. Services that target an address are left out.
struct EgressNames {
    std::map<std::string, std::string> names = {};

    bool operator==(const EgressNames&) const = default;
};

// The endpoints of one EndpointSlice that take traffic.
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

// The content of the ConfigMap.
struct WrittenRecords {
    std::string version = {}, text = {};

    bool operator==(const WrittenRecords&) const = default;
};

std::optional<DnsService> decode_dns_service(const renderer::Value& object);
std::optional<EgressNames> decode_egress_names(const renderer::Value& object);
std::optional<DnsEndpoints> decode_dns_endpoints(const renderer::Value& object);
std::optional<NameserverService> decode_nameserver(const renderer::Value& object);
std::optional<WrittenRecords> decode_written_records(const renderer::Value& object);

// Returns records.json, from the rendered objects and the reports of the proxies of Ingresses. A
// user's own Service is not read, because a name is valid in the whole cluster. Only objects in
// `ns`, the controller's namespace, count; all are by "namespace/name".
std::string dns_records(const std::map<std::string, Replica>& replicas,
                        const Mirror<DnsService>::Objects& services,
                        const Mirror<EgressNames>::Objects& groups,
                        const Mirror<DnsEndpoints>::Objects& endpoints, std::string_view ns);

// Writes the ConfigMap once there is a nameserver, and again after each change.
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
    std::uint64_t revision_ = 0;  // of the copies above, at the last look
};

}  // namespace runtime::controller

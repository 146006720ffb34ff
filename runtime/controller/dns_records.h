// Names of proxies inside the cluster, as the nameserver takes them:
// testdata/contract/nameserver.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/controller/decide.h"
#include "runtime/controller/feature.h"

namespace runtime {

// A Service that records are made of: a user's that leads to a name in the tailnet, or what the
// renderer makes of it in a group.
struct DnsService {
    std::string fqdn = {};                    // of a user's: the name
    std::string parent = {};                  // of a rendered one: "namespace/name" of the user's
    std::vector<std::string> addresses = {};  // of a rendered one

    bool operator==(const DnsService&) const = default;
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

// What stands in the ConfigMap.
struct WrittenRecords {
    std::string version = {}, text = {};

    bool operator==(const WrittenRecords&) const = default;
};

std::optional<DnsService> decode_dns_service(const renderer::Value& object);
std::optional<DnsEndpoints> decode_dns_endpoints(const renderer::Value& object);
std::optional<NameserverService> decode_nameserver(const renderer::Value& object);
std::optional<WrittenRecords> decode_written_records(const renderer::Value& object);

// records.json. `services` by "namespace/name"; the Services of groups are those in `ns`.
std::string dns_records(const std::map<std::string, Replica>& replicas,
                        const Mirror<DnsService>::Objects& services,
                        const Mirror<DnsEndpoints>::Objects& endpoints, std::string_view ns);

// Writes the ConfigMap once there is a nameserver, and again when something has changed.
class DnsRecords : public Feature {
public:
    explicit DnsRecords(const FeatureContext& context);
    void reconcile(const Changes& changes) override;

private:
    void write(const std::string& text, const WrittenRecords* written);

    FeatureContext context_;
    const Mirror<DnsService>& services_;
    const Mirror<DnsEndpoints>& endpoints_;
    const Mirror<NameserverService>& nameservers_;
    const Mirror<WrittenRecords>& written_;
    bool is_writing_ = false;
};

}  // namespace runtime

// The tailnet as a proxy sees it: its own node, and the nodes that it forwards to. Its memory grows
// with the number of wanted names, not with the tailnet.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/localapi/bus_reader.h"

namespace runtime::localapi {

// Returns the name in lower case, with a dot at the end.
std::string full_name(std::string_view name);

// Returns the address of a 4via6 name: "10-1-0-5-via-7.tail1234.ts.net" is 10.1.0.5 at site 7,
// fd7a:115c:a1e0:b1a:0:7:a01:5. No value if it is not such a name.
// Source: tailscale v1.104.5 k8s-operator/utils.go.
std::optional<IpAddress> address_of_via_name(std::string_view name);

class TailnetView : public BusSink {
public:
    // Sets the names that `resolve` will be called with. Returns true if there is a new one: its
    // nodes were not kept so far, so another snapshot is needed.
    bool want(const std::vector<std::string>& names);

    // Null until a message has included it.
    [[nodiscard]] const TailnetNode* self() const { return has_self_ ? &self_ : nullptr; }
    [[nodiscard]] const std::vector<std::string>& cert_domains() const { return cert_domains_; }

    // Returns the addresses of a wanted name: of the node with this name, otherwise of the
    // Tailscale Service that some node serves, otherwise of a 4via6 name that some node routes.
    [[nodiscard]] renderer::Result<std::vector<IpAddress>> resolve(std::string_view name) const;

    // Removes the names of the last snapshot, so that current ones can be added: bus messages of
    // 1.104 do not report changed names.
    void clear_names();

    void begin_snapshot() override;
    void put_self(TailnetNode node) override;
    void put_peer(TailnetNode node) override;
    void remove_peer(std::uint64_t id) override;
    void add_cert_domain(std::string_view domain) override;
    void add_record(std::string_view name, std::string_view address) override;
    void end_message(const BusMessage&) override {}

private:
    [[nodiscard]] bool keep(TailnetNode& node) const;
    [[nodiscard]] std::vector<IpAddress> service_addresses(const std::string& name) const;
    [[nodiscard]] bool is_routed(const IpPrefix& exactly) const;

    std::set<std::string> wanted_;
    std::vector<IpAddress> wanted_via_;
    bool has_self_ = false;
    TailnetNode self_;
    std::map<std::uint64_t, TailnetNode> peers_;
    std::map<std::string, TailnetNode> nameless_;  // nodes without an id, by name
    std::vector<std::string> cert_domains_;
    std::multimap<std::string, IpAddress> records_;
};

}  // namespace runtime::localapi

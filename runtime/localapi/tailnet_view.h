// The tailnet as a proxy sees it: its own node, and of all others those that it forwards to. What
// is kept grows with the names that are wanted, not with the tailnet.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/localapi/bus_reader.h"

namespace runtime {

// Lower case, with a dot at the end.
std::string full_name(std::string_view name);

// The address that a 4via6 name stands for: "10-1-0-5-via-7.tail1234.ts.net" is 10.1.0.5 behind
// site 7, fd7a:115c:a1e0:b1a:0:7:a01:5. No value: it is not such a name.
// Source: tailscale v1.104.5 k8s-operator/utils.go.
std::optional<IpAddress> address_of_via_name(std::string_view name);

class TailnetView : public BusSink {
public:
    // Names that `resolve` will be asked for. Returns true when one is new: what was said before of
    // the nodes behind it was not kept, so that it takes another snapshot.
    bool want(const std::vector<std::string>& names);

    // Null until the first message that has it.
    [[nodiscard]] const TailnetNode* self() const { return has_self_ ? &self_ : nullptr; }
    [[nodiscard]] const std::vector<std::string>& cert_domains() const { return cert_domains_; }

    // Of a wanted name: the addresses of the node of that name, else those of the Tailscale Service
    // that some node serves, else that of a 4via6 name that some node routes.
    [[nodiscard]] renderer::Result<std::vector<IpAddress>> resolve(std::string_view name) const;

    // Instead of those of the last snapshot: bus messages of 1.104 do not say when they change.
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
    std::map<std::string, TailnetNode> nameless_;  // nodes without an id, by their name
    std::vector<std::string> cert_domains_;
    std::multimap<std::string, IpAddress> records_;
};

}  // namespace runtime

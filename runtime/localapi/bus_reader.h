// Parses the messages of tailscaled's IPN bus, one JSON object per line, as far as a proxy needs
// them. Nodes are passed on one by one as they arrive, so that a netmap of 10,000 peers is never in
// memory. Both formats are supported: a whole NetMap in each message (1.96), and InitialStatus
// followed by SelfChange, PeersChanged and PeersRemoved (1.104, which no longer sends a NetMap).
// Source: tailscale v1.96.5 and v1.104.5 ipn/backend.go, ipn/ipnstate/ipnstate.go,
// tailcfg/tailcfg.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ip_prefix.h"
#include "runtime/base/json_stream.h"

namespace runtime::localapi {

enum class BackendState {
    NoState,
    InUseOtherUser,
    NeedsLogin,
    NeedsMachineAuth,
    Stopped,
    Starting,
    Running,
};
std::string_view name_of(BackendState state);

struct TailnetNode {
    std::uint64_t id = 0;  // 0: unknown
    std::string stable_id = {};
    std::string name = {};  // "host.tail1234.ts.net."
    std::vector<IpPrefix> addresses = {};
    std::vector<IpPrefix> routes = {};  // AllowedIPs

    friend bool operator==(const TailnetNode&, const TailnetNode&) = default;
};

// The content of one message, without nodes and names.
struct BusMessage {
    std::string version = {};  // of tailscaled, in the first message
    std::optional<BackendState> state = {};
    std::string error = {};
    bool login_failed = false;  // health warning "login-state"
    bool is_snapshot = false;   // its nodes and names are complete
    bool has_self = false;
    bool has_peers = false;  // peers were added, changed or removed
};

class BusSink {
public:
    BusSink() = default;
    BusSink(const BusSink&) = delete;
    BusSink& operator=(const BusSink&) = delete;
    virtual ~BusSink() = default;

    virtual void begin_snapshot() = 0;
    virtual void put_self(TailnetNode node) = 0;
    virtual void put_peer(TailnetNode node) = 0;
    virtual void remove_peer(std::uint64_t id) = 0;
    virtual void add_cert_domain(std::string_view domain) = 0;
    virtual void add_record(std::string_view name, std::string_view address) = 0;
    virtual void end_message(const BusMessage& message) = 0;
};

class BusReader : private JsonListener {
public:
    explicit BusReader(BusSink& sink) : sink_(sink), stream_(*this) {}

    // Returns false if the input is not JSON. Further input is ignored then.
    bool take(std::string_view bytes) { return stream_.take(bytes); }

    // The part of a message that is being read. It is public for the table of steps.
    enum class Place : std::uint8_t {
        Other,
        Message,
        NetMap,
        Names,
        Status,
        Self,
        Peers,
        Peer,
        Removed,
        CertDomains,
        Records,
        Record,
        Addresses,
        Routes,
        Health,
        Warnings,
    };

private:
    void on_key(std::string_view key) override { key_ = key; }
    void on_text(std::string_view text) override;
    void on_scalar(std::string_view spelling) override;
    void on_begin(bool is_object) override;
    void on_end() override;
    void on_document() override;

    void take_message(std::string_view text);
    void take_node(std::string_view text);
    [[nodiscard]] Place place() const { return places_.empty() ? Place::Other : places_.back(); }

    BusSink& sink_;
    JsonStream stream_;
    std::vector<Place> places_;
    std::string key_;
    BusMessage message_;
    TailnetNode node_;
    std::string record_name_, record_type_, record_value_;
};

}  // namespace runtime::localapi

// Follows the IPN bus and updates the view of the tailnet. It reconnects when the stream ends, and
// also from time to time, since tailscaled drops messages for slow readers. It gives up if the bus
// could not be opened for a minute: tailscaled does not run, or hangs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/backoff.h"
#include "runtime/localapi/client.h"
#include "runtime/localapi/tailnet_view.h"

namespace runtime::localapi {

class BusWatch : private BusSink {
public:
    struct Listener {
        std::function<void(const BusMessage&)> on_message;
        std::function<void(const std::string&)> on_trouble;  // it reconnects
        std::function<void(const std::string&)> on_failure;  // it has given up
    };

    // All references must outlive the watch.
    BusWatch(Loop& loop, LocalApi& api, RandomSource& random, TailnetView& view, Listener listener);
    ~BusWatch() override;

    // Closes the current stream, and opens one that begins with a snapshot. `peers` means that
    // other nodes are wanted as well.
    void open(bool peers);
    void close();

private:
    void connect();
    void take(std::string_view bytes);
    void end(const LocalReply& reply);
    void retry();

    void begin_snapshot() override { view_.begin_snapshot(); }
    void put_self(TailnetNode node) override { view_.put_self(std::move(node)); }
    void put_peer(TailnetNode node) override { view_.put_peer(std::move(node)); }
    void remove_peer(std::uint64_t id) override { view_.remove_peer(id); }
    void add_cert_domain(std::string_view domain) override { view_.add_cert_domain(domain); }
    void add_record(std::string_view name, std::string_view address) override {
        view_.add_record(name, address);
    }
    void end_message(const BusMessage& message) override;

    Loop& loop_;
    LocalApi& api_;
    TailnetView& view_;
    Listener listener_;
    Backoff backoff_;

    std::shared_ptr<BusReader> reader_;
    RequestId request_ = 0;
    TimerId timer_ = 0;  // until the next attempt
    TimerId resync_ = 0;
    unsigned mask_ = 0;
    bool is_old_ = false;                         // tailscaled sends only whole netmaps
    bool is_first_ = true;                        // the next message is the first of the stream
    bool has_heard_ = false;                      // the stream has sent something
    std::optional<Duration> failing_since_ = {};  // uptime
    std::uint64_t connection_ = 0;
};

}  // namespace runtime::localapi

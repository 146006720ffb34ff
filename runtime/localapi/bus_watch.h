// Follows the IPN bus: reads it into the view of the tailnet, reconnects when the stream ends, and
// opens it anew from time to time, since messages may have been dropped for a reader that was slow.
// Gives up when it could not be opened for a minute: tailscaled is gone, or hangs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/backoff.h"
#include "runtime/localapi/client.h"
#include "runtime/localapi/tailnet_view.h"

namespace runtime {

class BusWatch : private BusSink {
public:
    struct Listener {
        std::function<void(const BusMessage&)> on_message;
        std::function<void(const std::string&)> on_trouble;  // it goes on
        std::function<void(const std::string&)> on_failure;  // it does not
    };

    // All references outlive the watch.
    BusWatch(Loop& loop, LocalApi& api, RandomSource& random, TailnetView& view, Listener listener);
    ~BusWatch() override;

    // Ends what there is, and begins with a snapshot. `peers`: names of other nodes are wanted.
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
    TimerId timer_ = 0;  // of the next attempt
    TimerId resync_ = 0;
    unsigned mask_ = 0;
    bool is_old_ = false;                         // tailscaled knows whole netmaps only
    bool is_first_ = true;                        // message of this connection
    bool has_heard_ = false;                      // on this connection
    std::optional<Duration> failing_since_ = {};  // uptime
    std::uint64_t connection_ = 0;
};

}  // namespace runtime

// A session's connection to the API server: connects to its addresses in turn, with TLS. It reads
// only while the session wants bytes, and lets other connections have their turn in between.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/api_proxy/buffered_stream.h"
#include "runtime/api_proxy/upstream.h"
#include "runtime/base/weakly.h"

namespace runtime::api_proxy {

class UpstreamLink {
public:
    // Each may close the link, or connect it again.
    struct Events {
        std::function<void()> opened;  // TLS is established
        // The connection is not closed yet, and tries no other address.
        std::function<void(std::string_view why)> unreachable;
        std::function<bool()> wants_bytes;
        std::function<void(std::string_view bytes)> received;
        // The API server sends no more, or the connection broke. It is not closed yet.
        std::function<void(bool is_clean)> ended;
        std::function<void()> sent;     // no bytes are pending any more
        std::function<void()> settled;  // the last of the events that something has caused
    };

    // The references must outlive this. `piece` is a buffer for what is read.
    UpstreamLink(Loop& loop, Upstream& upstream, std::span<char> piece, Events events);

    // Closes the previous connection.
    void connect(std::vector<AddressPort> addresses);
    void close();
    // Says that another request uses this connection, which may be closing.
    void reuse() { is_reused_ = true; }
    [[nodiscard]] bool is_reused() const { return is_reused_; }
    [[nodiscard]] bool is_open() const { return state_ == State::Open; }

    // Does nothing unless it is open. If a reused connection cannot be written to, it has ended. A
    // response that was sent before a new one broke is still read.
    void send(std::string_view bytes);
    [[nodiscard]] bool has_pending() const { return stream_.has_pending(); }
    void end_sending() { stream_.stream().end_sending(); }
    // TLS may hold bytes that the socket does not report: to be called when bytes are wanted again.
    void read();
    void read_later();
    // Updates what is watched.
    void settle();

private:
    enum class State : std::uint8_t { Closed, Connecting, Handshake, Open };

    void connect_next();
    void on_ready(Interest ready);
    void on_connecting();
    void on_handshake();
    void on_unwritable();

    Loop& loop_;
    Upstream& upstream_;
    std::span<char> piece_;
    Events events_;
    BufferedStream stream_;
    State state_ = State::Closed;
    std::vector<AddressPort> addresses_;  // not tried yet
    bool is_reused_ = false;
    bool needs_write_ = false;  // for TLS, even to read
    bool reads_later_ = false;
    Lifetime lifetime_;
};

}  // namespace runtime::api_proxy

// A session's connection to its client: what the client has sent and is not processed yet, and what
// it has not accepted.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/api_proxy/buffered_stream.h"

namespace runtime::api_proxy {

class ClientLink {
public:
    // Each may close the link.
    struct Events {
        std::function<bool()> wants_bytes;
        std::function<void()> received;  // there is more in `unread`
        std::function<void()> ended;     // the client sends no more
        std::function<void()> broken;
        std::function<void()> sent;     // some bytes that were pending
        std::function<void()> settled;  // the last of the events that something has caused
    };

    // The loop must outlive this. `piece` is a buffer for what is read.
    ClientLink(Loop& loop, Stream stream, std::span<char> piece, Events events);

    [[nodiscard]] std::string_view unread() const { return in_; }
    // Removes the first bytes of `unread`. A connection without unread bytes uses no memory for
    // them.
    std::string take(std::size_t count);
    void drop(std::size_t count);
    [[nodiscard]] bool has_ended() const { return has_ended_; }

    // Returns false if the connection broke.
    [[nodiscard]] bool send(std::string_view bytes) { return stream_.send(bytes); }
    [[nodiscard]] bool has_pending() const { return stream_.has_pending(); }
    void end_sending() { stream_.stream().end_sending(); }
    void close() { stream_.close(); }
    // Updates what is watched.
    void settle();

private:
    void on_ready(Interest ready);
    void read();

    std::span<char> piece_;
    Events events_;
    BufferedStream stream_;
    std::string in_;
    bool has_ended_ = false;
};

}  // namespace runtime::api_proxy

// A connection to an address of the tailnet, which tailscaled dials: a request on its socket that
// becomes the connection. What is to be sent is kept until the other end takes it; whoever sends
// looks at how much that is.
// Source: tailscale v1.96.5 ipn/localapi (dial).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/api_proxy/stream.h"
#include "runtime/base/loop.h"

namespace runtime::api_proxy {

class TailnetStream {
public:
    struct Events {
        std::function<void()> opened;
        std::function<void(std::string_view bytes)> received;
        std::function<void()> moved;  // some of what was to be sent is gone
        // Once, and nothing afterwards; also when the other end closes.
        std::function<void(const std::string& problem)> failed;
    };

    explicit TailnetStream(Loop& loop) : loop_(loop) {}  // which outlives this
    ~TailnetStream() { close(); }
    TailnetStream(const TailnetStream&) = delete;
    TailnetStream& operator=(const TailnetStream&) = delete;

    // Ends what was before. Whoever is told of an event may dial again, close or destroy this.
    // False: tailscaled is not there.
    bool dial(const std::string& socket, const AddressPort& to, Events events);
    void send(std::string_view bytes);
    [[nodiscard]] std::size_t waiting() const { return out_.size(); }
    void close();
    [[nodiscard]] bool is_open() const { return stream_.is_open(); }

private:
    void on_ready(Interest ready);
    void read();
    void open();
    void flush();
    void fail(const std::string& problem);
    void settle();

    Loop& loop_;
    Events events_;
    Stream stream_;
    Interest interest_;
    bool is_dialled_ = false;
    std::string in_;  // of tailscaled's answer
    std::string out_;
    std::shared_ptr<int> here_;  // of this connection
};

}  // namespace runtime::api_proxy

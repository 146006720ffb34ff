// A connection to an address of the tailnet. tailscaled dials it: a request on its socket becomes
// the connection. Data that the other end has not accepted is buffered without a limit, so the
// sender has to check `waiting`.
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
        std::function<void()> moved;  // some bytes were sent
        // Called once, also when the other end closes. No other event follows.
        std::function<void(const std::string& problem)> failed;
    };

    explicit TailnetStream(Loop& loop) : loop_(loop) {}  // the loop must outlive this
    ~TailnetStream() { close(); }
    TailnetStream(const TailnetStream&) = delete;
    TailnetStream& operator=(const TailnetStream&) = delete;

    // Closes the previous connection. The event handlers may dial again, close or destroy this.
    // Returns false if tailscaled does not accept the connection.
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
    std::shared_ptr<int> here_;  // identifies this connection
};

}  // namespace runtime::api_proxy

// Uploads a recording to a recorder of the tailnet, line by line. Recorders are tried one after
// another until one accepts it. Recorders that answer HEAD /v2/record over HTTP/2 get POST
// /v2/record, and acknowledge the received bytes at least every 30 seconds. Others get POST /record
// over HTTP/1.1, and confirm the whole recording at the end.
// Source: tailscale v1.96.5 sessionrecording/connect.go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api_proxy/http2.h"
#include "runtime/api_proxy/recorder_turns.h"
#include "runtime/api_proxy/tailnet_stream.h"
#include "runtime/base/loop.h"
#include "runtime/recording/acks.h"

namespace runtime::api_proxy {

class Recorder : public std::enable_shared_from_this<Recorder> {
public:
    struct Events {
        // Called once: with an empty problem when a recorder is ready for lines, otherwise with why
        // none is.
        std::function<void(const std::string& problem)> started;
        // Called at most once, and only after `started`: the recording is incomplete from here on.
        std::function<void(const std::string& problem)> broken;
        std::function<void()> moved;  // fewer bytes are waiting
    };

    // `socket` is tailscaled's. The loop must outlive this. No event is reported inside this call.
    static std::shared_ptr<Recorder> start(Loop& loop, std::string socket,
                                           std::vector<std::string> addresses, Events events);
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder() = default;

    void write(std::string_view lines);
    // Bytes that the recorder has not accepted yet.
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] const std::string& address() const { return turns_.address(); }
    [[nodiscard]] std::uint64_t written() const { return written_; }
    // How many of these bytes the recorder has acknowledged.
    [[nodiscard]] std::uint64_t acknowledged() const {
        return is_whole_ && !is_http2_ ? written_ : acks_.acknowledged();
    }
    // Stops reporting events. Sends what is waiting, then calls `done`: with an empty problem if
    // the recorder has all of it.
    void finish(std::function<void(const std::string& problem)> done);
    // Stops reporting events, and closes the connection.
    void abandon();

private:
    enum class State : std::uint8_t { Dial, Probe, Ask, Open, Ending, Closed };

    Recorder(Loop& loop, std::string socket, std::vector<std::string> addresses, Events events);
    void next();
    void dial(bool is_http2);
    void tick();
    void ask();
    void on_received(std::string_view bytes);
    void take_http2(std::string_view bytes);
    void take_acks();
    void take_head(std::string_view head);
    void on_moved();
    void on_failed(const std::string& problem);
    void begin();
    void settle();
    void end_whole();
    void fail(const std::string& problem);
    void close();

    Loop& loop_;
    std::string socket_;
    RecorderTurns turns_;
    Events events_;
    std::function<void(const std::string&)> done_;
    State state_ = State::Closed;
    TailnetStream stream_;
    std::optional<AddressPort> to_;
    bool is_http2_ = false;
    std::unique_ptr<Http2Client> http2_;
    recording::AckReader acks_;
    std::string in_;  // head of an HTTP/1.1 response
    std::uint64_t written_ = 0;
    bool is_whole_ = false;
    Duration asked_ = {}, moved_ = {}, heard_ = {};  // uptimes
};

}  // namespace runtime::api_proxy

// A recording on its way to a recorder of the tailnet: the lines of a cast as they come. Recorders
// are tried one after another; the first that takes it has it. Those that answer HEAD /v2/record
// over HTTP/2 have POST /v2/record, and say at least each 30 seconds how many bytes have come;
// others POST /record over HTTP/1.1, and say at the end that they have it all.
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
        // Once: empty when a recorder waits for lines, else why none does.
        std::function<void(const std::string& problem)> started;
        // At most once, and never before: the recording is broken from here on.
        std::function<void(const std::string& problem)> broken;
        std::function<void()> moved;  // less is waiting
    };

    // `socket`: tailscaled's. The loop outlives this. Nothing is said within.
    static std::shared_ptr<Recorder> start(Loop& loop, std::string socket,
                                           std::vector<std::string> addresses, Events events);
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder() = default;

    void write(std::string_view lines);
    // Bytes that the recorder has not taken yet.
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] const std::string& address() const { return turns_.address(); }
    [[nodiscard]] std::uint64_t written() const { return written_; }
    // Of these, what the recorder has said to have.
    [[nodiscard]] std::uint64_t acknowledged() const {
        return is_whole_ && !is_http2_ ? written_ : acks_.acknowledged();
    }
    // Says no event any more. What is waiting is still sent, and `done` told how that ended: empty
    // when the recorder has it all.
    void finish(std::function<void(const std::string& problem)> done);
    // Says no event any more, and breaks off.
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
    std::string in_;  // of a head of HTTP/1.1
    std::uint64_t written_ = 0;
    bool is_whole_ = false;
    Duration asked_ = {}, moved_ = {}, heard_ = {};  // uptimes
};

}  // namespace runtime::api_proxy

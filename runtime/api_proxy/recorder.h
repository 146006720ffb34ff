// A recording on its way to a recorder of the tailnet: POST /record over HTTP/1.1, whose body are
// the lines of a cast as they come. tailscaled dials it. Recorders are tried one after another; the
// first that says "100 Continue" has the recording.
// Sources: tailscale v1.96.5 sessionrecording/connect.go (connectV1), ipn/localapi (dial).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api_proxy/stream.h"
#include "runtime/base/loop.h"

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
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void write(std::string_view lines);
    // Bytes that the recorder has not taken yet.
    [[nodiscard]] std::size_t waiting() const { return out_.size(); }
    [[nodiscard]] const std::string& address() const { return address_; }
    // Says no event any more. What is waiting is still sent, and `done` told how that ended: empty
    // when the recorder has it all.
    void finish(std::function<void(const std::string& problem)> done);
    // Says no event any more, and breaks off.
    void abandon();

private:
    enum class State : std::uint8_t { Dial, Ask, Open, Ending, Closed };

    Recorder(Loop& loop, std::string socket, std::vector<std::string> addresses, Events events);
    void next();
    void tick();
    void on_ready(Interest ready);
    void read();
    void take_head(std::string_view head);
    void flush();
    void settle();
    void fail(std::string problem);
    void close();

    Loop& loop_;
    std::string socket_;
    std::vector<std::string> addresses_;
    Events events_;
    std::function<void(const std::string&)> done_;
    State state_ = State::Closed;
    Stream stream_;
    Interest interest_;
    std::string address_, in_, out_, problems_;
    Duration give_up_ = {}, moved_ = {};  // uptimes
};

}  // namespace runtime::api_proxy

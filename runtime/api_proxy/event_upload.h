// One request on its way to a recorder of the tailnet: POST /v2/event over HTTP/1.1. Recorders are
// tried one after another; the first that says 200 has it.
// Source: tailscale v1.96.5 sessionrecording/connect.go (SendEvent), which asks by HEAD first; a
// recorder that does not know the path says 404 to either.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/api_proxy/recorder_turns.h"
#include "runtime/api_proxy/tailnet_stream.h"
#include "runtime/base/loop.h"

namespace runtime::api_proxy {

class EventUpload : public std::enable_shared_from_this<EventUpload> {
public:
    // Why no recorder has it; empty: the one at `address` has.
    using Done = std::function<void(const std::string& problem, const std::string& address)>;

    // `socket`: tailscaled's. The loop outlives this, which is let go of to break off. `done` is
    // called once, not within.
    static std::shared_ptr<EventUpload> start(Loop& loop, std::string socket,
                                              std::vector<std::string> addresses, std::string json,
                                              Done done);
    EventUpload(const EventUpload&) = delete;
    EventUpload& operator=(const EventUpload&) = delete;
    ~EventUpload() = default;

private:
    EventUpload(Loop& loop, std::string socket, std::vector<std::string> addresses,
                std::string json, Done done);
    void next();
    void tick();
    void take(std::string_view bytes);
    void fail(const std::string& problem);
    void end(const std::string& problem);

    Loop& loop_;
    std::string socket_;
    RecorderTurns turns_;
    std::string json_;
    Done done_;
    TailnetStream stream_;
    std::string in_;
    Duration asked_ = {};  // uptime
};

}  // namespace runtime::api_proxy

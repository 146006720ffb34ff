// Sends one request event to a recorder of the tailnet: POST /v2/event over HTTP/1.1. Recorders are
// tried one after another, until one answers 200.
// Source: tailscale v1.96.5 sessionrecording/connect.go (SendEvent), which sends HEAD first. A
// recorder that does not have the path answers 404 to either.
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
    // `problem` says why no recorder accepted the event. It is empty if the recorder at `address`
    // did.
    using Done = std::function<void(const std::string& problem, const std::string& address)>;

    // `socket` is tailscaled's. The loop must outlive the upload. Releasing the result cancels the
    // upload. `done` is called once, and never inside this call.
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

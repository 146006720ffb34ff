#include "runtime/api_proxy/event_upload.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/api_proxy/head.h"
#include "runtime/base/weakly.h"

namespace runtime::api_proxy {

namespace {

constexpr Duration kTick = std::chrono::seconds(1);
constexpr Duration kEach = std::chrono::seconds(10);  // per recorder

}  // namespace

EventUpload::EventUpload(Loop& loop, std::string socket, std::vector<std::string> addresses,
                         std::string json, Done done)
    : loop_(loop),
      socket_(std::move(socket)),
      turns_(std::move(addresses), loop.uptime()),
      json_(std::move(json)),
      done_(std::move(done)),
      stream_(loop) {}

std::shared_ptr<EventUpload> EventUpload::start(Loop& loop, std::string socket,
                                                std::vector<std::string> addresses,
                                                std::string json, Done done) {
    std::shared_ptr<EventUpload> out(new EventUpload(loop, std::move(socket), std::move(addresses),
                                                     std::move(json), std::move(done)));
    loop.after({}, weakly(std::weak_ptr(out), [](EventUpload& self) {
                   self.next();
                   self.tick();
               }));
    return out;
}

void EventUpload::next() {
    const auto to = turns_.next(loop_.uptime());
    if (!to) {
        return end(turns_.problems());
    }
    asked_ = loop_.uptime();
    in_.clear();
    const bool is_there = stream_.dial(
        socket_, *to,
        {.opened =
             [this] {
                 stream_.send(
                     fmt::format("POST /v2/event HTTP/1.1\r\nHost: {}\r\nUser-Agent: tailrender\r\n"
                                 "Content-Type: application/json\r\nContent-Length: {}\r\n"
                                 "Connection: close\r\n\r\n",
                                 turns_.address(), json_.size()));
                 stream_.send(json_);
             },
         .received = [this](std::string_view bytes) { take(bytes); },
         .moved = [] {},
         .failed = [this](const std::string& problem) { fail(problem); }});
    if (!is_there) {
        fail("tailscaled is not there");
    }
}

void EventUpload::tick() {
    if (done_ == nullptr) {
        return;
    }
    if (stream_.is_open() && loop_.uptime() - asked_ >= kEach) {
        fail("it does not answer");
    }
    loop_.after(kTick, weakly(weak_from_this(), &EventUpload::tick));
}

void EventUpload::take(std::string_view bytes) {
    in_.append(bytes);
    const HeadEnd found = find_head_end(in_);
    if (found.fault) {
        return fail("its response is malformed");
    }
    if (found.size == 0) {
        return;
    }
    const std::string status(status_line(in_));
    if (status.starts_with("HTTP/1.1 1")) {
        in_.erase(0, found.size);
        return take({});
    }
    status.starts_with("HTTP/1.1 200") ? end("") : fail(fmt::format("it says \"{}\"", status));
}

void EventUpload::fail(const std::string& problem) {
    stream_.close();
    turns_.give_up(problem);
    loop_.after({}, weakly(weak_from_this(), &EventUpload::next));
}

void EventUpload::end(const std::string& problem) {
    const auto self = shared_from_this();  // `done` may release the last reference
    stream_.close();
    if (const auto done = std::exchange(done_, nullptr)) {
        done(problem, turns_.address());
    }
}

}  // namespace runtime::api_proxy

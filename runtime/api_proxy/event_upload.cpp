#include "runtime/api_proxy/event_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/api_proxy/head.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::api_proxy {

namespace {

constexpr Duration kTick = std::chrono::seconds(1);
constexpr Duration kEach = std::chrono::seconds(10);  // of the recorders
constexpr Duration kAll = std::chrono::seconds(30);

}  // namespace

EventUpload::EventUpload(Loop& loop, std::string socket, std::vector<std::string> addresses,
                         std::string json, Done done)
    : loop_(loop),
      socket_(std::move(socket)),
      addresses_(std::move(addresses)),
      json_(std::move(json)),
      done_(std::move(done)),
      stream_(loop),
      give_up_(loop.uptime() + kAll) {}

std::shared_ptr<EventUpload> EventUpload::start(Loop& loop, std::string socket,
                                                std::vector<std::string> addresses,
                                                std::string json, Done done) {
    std::shared_ptr<EventUpload> out(new EventUpload(loop, std::move(socket), std::move(addresses),
                                                     std::move(json), std::move(done)));
    loop.after({}, [weak = std::weak_ptr(out)] {
        if (const auto self = weak.lock()) {
            self->next();
            self->tick();
        }
    });
    return out;
}

void EventUpload::next() {
    const auto to = addresses_.empty() ? std::nullopt : AddressPort::parse(addresses_.front());
    if (!to || loop_.uptime() >= give_up_) {
        return end(problems_.empty() ? "there is no recorder" : problems_);
    }
    address_ = addresses_.front();
    addresses_.erase(addresses_.begin());
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
                                 address_, json_.size()));
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
    loop_.after(kTick, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->tick();
        }
    });
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
    const std::string head = in_.substr(0, found.size);
    const std::string status = head.substr(0, std::min<std::size_t>(head.find('\r'), 50));
    if (status.starts_with("HTTP/1.1 1")) {
        in_.erase(0, found.size);
        return take({});
    }
    status.starts_with("HTTP/1.1 200") ? end("") : fail(fmt::format("it says \"{}\"", status));
}

void EventUpload::fail(const std::string& problem) {
    stream_.close();
    problems_ += fmt::format("{}recorder {}: {}", problems_.empty() ? "" : "; ", address_, problem);
    loop_.after({}, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->next();
        }
    });
}

void EventUpload::end(const std::string& problem) {
    const auto self = shared_from_this();  // whoever is told may let go of it
    stream_.close();
    if (const auto done = std::exchange(done_, nullptr)) {
        done(problem, address_);
    }
}

}  // namespace runtime::api_proxy

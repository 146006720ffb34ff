// Reports a request to recorders before it is sent to the API server.
#include <fmt/format.h>

#include <utility>

#include "runtime/api_proxy/session.h"
#include "runtime/recording/request_event.h"

namespace runtime::api_proxy {

namespace {

constexpr std::size_t kLargestBody = std::size_t{4} * 1024 * 1024;  // with its framing
constexpr Duration kRoomWithin = std::chrono::minutes(2);           // for room in memory
constexpr Duration kBodyWithin = std::chrono::seconds(30);          // after that

}  // namespace

void Session::start_event() {
    ++shared_.counters.events;
    const auto info = recording::read_request_info(request_.method, request_.target);
    if (!info) {
        return on_event("its path cannot be read", "");
    }
    if (request_.body.kind == Body::Kind::None || recording::has_sensitive_body(*info)) {
        return send_event();
    }
    if (request_.body.length > kLargestBody) {
        return on_event("its body is larger than 4 MiB", "");
    }
    state_ = State::Collect;
    set_deadline(kRoomWithin);
    const bool has_length = request_.body.kind == Body::Kind::Length;
    room_ = shared_.bodies.ask(
        caller_->user, has_length ? request_.body.length : kLargestBody, lifetime_.guarded([this] {
            set_deadline(kBodyWithin);
            collected_.begin(request_.body, ChunkReader::Trailers::Refused);
            looked_at_ = 0;
            if (request_.has_expectation && in_.empty()) {
                request_.has_expectation = false;  // do not forward the API server's own
                send_client("HTTP/1.1 100 Continue\r\n\r\n");
            }
            if (!is_ended()) {
                collect_body();
            }
            settle();
        }));
}

// The bytes also stay in in_, for the API server.
void Session::collect_body() {
    if (!room_->has_room()) {
        return;
    }
    const auto taken = collected_.take(std::string_view(in_).substr(looked_at_), &body_copy_);
    if (taken.fault) {
        return refuse_fault(*taken.fault);
    }
    looked_at_ += taken.size;
    if (looked_at_ > kLargestBody) {
        return on_event("its body is larger than 4 MiB", "");
    }
    if (collected_.is_done) {
        send_event();
    }
}

void Session::send_event() {
    state_ = State::Event;
    deadline_.reset();
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(shared_.loop.now().time_since_epoch());
    recording::RequestEvent event{.timestamp = now.count(),
                                  .method = request_.method,
                                  .target = request_.target,
                                  .body = body_copy_,
                                  .node = caller_->node,
                                  .node_id = caller_->node_id,
                                  .tags = caller_->tags,
                                  .user = caller_->user,
                                  .user_id = caller_->user_id};
    for (const HeadField& field : request_.fields) {
        if (event.user_agent.empty() && equals_ignoring_case(field.name, "user-agent")) {
            event.user_agent = field.value;
        }
    }
    const auto info = recording::read_request_info(request_.method, request_.target);
    std::string json = recording::event_json(event, *info);
    std::string().swap(body_copy_);
    event_ = EventUpload::start(
        shared_.loop, shared_.socket, caller_->grants.recorders, std::move(json),
        lifetime_.guarded([this](const std::string& problem, const std::string& address) {
            on_event(problem, address);
            settle();
        }));
}

void Session::on_event(const std::string& problem, const std::string& address) {
    event_ = nullptr;
    deadline_.reset();
    forget_body();
    if (problem.empty()) {
        told_ = address;
        return go_on();
    }
    ++shared_.counters.events_failed;
    shared_.log.warning("a request cannot be recorded: " + problem);
    if (caller_->grants.enforces_recorder) {
        ++shared_.counters.denied;
        const bool is_theirs = address.empty();  // not the problem of a recorder
        return refuse(
            {403, fmt::format("your grant of \"{}\" requires this to be recorded "
                              "(enforceRecorder): {}",
                              kCapability, is_theirs ? problem : "no recorder accepts it")});
    }
    go_on();
}

void Session::forget_body() {
    room_ = nullptr;
    looked_at_ = 0;
    std::string().swap(body_copy_);
}

}  // namespace runtime::api_proxy

#include "runtime/api_proxy/event_report.h"

#include <utility>

#include "runtime/recording/request_event.h"

namespace runtime::api_proxy {

namespace {

constexpr std::size_t kLargestBody = std::size_t{4} * 1024 * 1024;  // with its framing

}  // namespace

EventReport::Plan EventReport::plan(const RequestHead& request) {
    const auto info = recording::read_request_info(request.method, request.target);
    if (!info) {
        return {.problem = "its path cannot be read"};
    }
    if (request.body.kind == Body::Kind::None || recording::has_sensitive_body(*info)) {
        return {};
    }
    if (request.body.length > kLargestBody) {
        return {.problem = std::string(kBodyTooLarge)};
    }
    return {.has_body = true};
}

void EventReport::wait_for_room(const std::string& user, const Body& body,
                                std::function<void()> granted) {
    const bool has_length = body.kind == Body::Kind::Length;
    room_ = bodies_.ask(user, has_length ? body.length : kLargestBody,
                        lifetime_.guarded([this, body, granted = std::move(granted)] {
                            body_.begin(body, ChunkReader::Trailers::Refused);
                            looked_at_ = 0;
                            granted();
                        }));
}

EventReport::Collected EventReport::collect(std::string_view bytes) {
    if (!has_room()) {
        return {};
    }
    const auto taken = body_.take(bytes.substr(looked_at_), &copy_);
    if (taken.fault) {
        return {.fault = taken.fault};
    }
    looked_at_ += taken.size;
    return {.is_too_large = looked_at_ > kLargestBody, .is_whole = body_.is_done};
}

void EventReport::send(const RequestHead& request, const Caller& caller, EventUpload::Done done) {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(loop_.now().time_since_epoch());
    recording::RequestEvent event{.timestamp = now.count(),
                                  .method = request.method,
                                  .target = request.target,
                                  .body = copy_,
                                  .node = caller.node,
                                  .node_id = caller.node_id,
                                  .tags = caller.tags,
                                  .user = caller.user,
                                  .user_id = caller.user_id};
    for (const HeadField& field : request.fields) {
        if (event.user_agent.empty() && equals_ignoring_case(field.name, "user-agent")) {
            event.user_agent = field.value;
        }
    }
    const auto info = recording::read_request_info(request.method, request.target);
    std::string json = recording::event_json(event, *info);
    std::string().swap(copy_);
    upload_ = EventUpload::start(
        loop_, socket_, caller.grants.recorders, std::move(json),
        lifetime_.guarded(
            [this, done = std::move(done)](const std::string& problem, const std::string& address) {
                if (problem.empty()) {
                    told_ = address;
                }
                done(problem, address);
            }));
}

void EventReport::end() {
    upload_ = nullptr;
    room_ = nullptr;
    looked_at_ = 0;
    std::string().swap(copy_);
}

}  // namespace runtime::api_proxy

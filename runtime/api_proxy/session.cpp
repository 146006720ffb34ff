#include "runtime/api_proxy/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/base/audit.h"

namespace runtime::api_proxy {

using std::chrono::seconds;

namespace {

constexpr Duration kHeaderWithin = seconds(10);  // the PROXY header
constexpr Duration kHeadWithin = seconds(30);    // from its first byte
constexpr Duration kRefusedWithin = seconds(2);  // the same, for a caller beyond the limit
constexpr Duration kLingers = seconds(3);

int code_of(Fault fault) {
    return fault == Fault::HeadTooLarge || fault == Fault::TooManyFields ? 431
           : fault == Fault::Version                                     ? 505
           : fault == Fault::Expectation                                 ? 417
                                                                         : 400;
}

}  // namespace

Session::Session(Shared& shared, Stream client, bool is_over_limit, std::function<void()> ended)
    : shared_(shared),
      ended_(std::move(ended)),
      client_(shared.loop, std::move(client), shared.piece,
              {.wants_bytes = [this] { return wants_client_bytes(); },
               .received = [this] { process_input(); },
               .ended = [this] { on_client_end(); },
               .broken = [this] { end("the client has disconnected"); },
               .sent = [this] { on_client_sent(); },
               .settled = [this] { settle(); }}),
      check_(shared, is_over_limit, [this] { link_.close(); }),
      report_(shared.loop, shared.bodies, shared.socket),
      recording_(shared, {.started =
                              [this](bool is_accepted) {
                                  on_recorder(is_accepted);
                                  settle();
                              },
                          .stopped = [this] { on_recording_stopped(); },
                          .moved =
                              [this] {
                                  link_.read();
                                  settle();
                              }}),
      link_(shared.loop, shared.upstream, shared.piece,
            {.opened = [this] { begin_exchange(); },
             .unreachable = [this](std::string_view why) { unreachable(why); },
             .wants_bytes = [this] { return wants_upstream_bytes(); },
             .received = [this](std::string_view bytes) { process_upstream(bytes); },
             .ended = [this](bool is_clean) { on_upstream_end(is_clean); },
             .sent = [this] { on_upstream_sent(); },
             .settled = [this] { settle(); }}) {}

Session::~Session() {
    ended_ = nullptr;
    end("");
}

void Session::start() {
    heard_ = shared_.loop.uptime();
    set_deadline(kHeaderWithin);
    settle();
}

void Session::end(std::string_view why) {
    if (is_ended()) {
        return;
    }
    if (state_ == State::Exchange || state_ == State::Tunnel) {
        audit(why, request_.status);
    }
    state_ = State::Ended;
    report_.end();
    recording_.finish();
    link_.close();
    client_.close();
    check_.leave();
    if (ended_ != nullptr) {
        ended_();
    }
}

std::optional<Duration> Session::silent_since() const {
    const bool has_no_request = state_ == State::ProxyHeader || state_ == State::Head;
    return has_no_request ? std::optional(heard_) : std::nullopt;
}

void Session::drain() {
    is_draining_ = true;
    if (state_ == State::ProxyHeader || (state_ == State::Head && client_.unread().empty())) {
        end("");
    }
}

void Session::tick() {
    if (deadline_ && shared_.loop.uptime() >= *deadline_) {
        on_deadline();
    } else if (state_ == State::Exchange || state_ == State::Collect ||
               (state_ == State::Tunnel && record({}, true))) {
        confirm();
    }
    settle();
}

void Session::on_deadline() {
    deadline_.reset();
    if (state_ == State::Connect) {
        return unreachable("it does not answer");
    }
    if (state_ == State::Collect && !report_.has_room()) {
        ++shared_.counters.crowded;
        return refuse({429, "too many requests wait to be recorded; try again later"});
    }
    if (state_ == State::Collect && !caller().grants.enforces_recorder) {
        return on_event("its body did not arrive within 30 seconds", "");
    }
    if (state_ == State::Collect) {
        return refuse({408, "the body of the request takes too long"});
    }
    end("timed out");
}

void Session::settle() {
    if (is_ended()) {
        return;
    }
    client_.settle();
    link_.settle();
}

void Session::send_client(std::string_view bytes) {
    request_.received += bytes.size();
    if (!is_ended() && !client_.send(bytes)) {
        end("the client has disconnected");
    }
}

bool Session::wants_client_bytes() const {
    if (client_.has_ended()) {
        return false;
    }
    switch (state_) {
        case State::Tunnel:
            return !link_.has_pending() && !recording_.is_behind();
        case State::Exchange:
            return request_.body.is_done ? client_.unread().size() < kLargestHead
                                         : !link_.has_pending();
        case State::Identify:
        case State::Event:
        case State::Record:
        case State::Connect:
            return client_.unread().size() < kLargestHead;
        case State::Collect:
            return report_.has_room() || client_.unread().size() < kLargestHead;
        case State::ProxyHeader:
        case State::Head:
        case State::Linger:
            return true;
        case State::Ended:
            break;
    }
    return false;
}

void Session::on_client_sent() {
    if (state_ == State::Linger) {
        linger();
    } else if (!client_.has_pending()) {
        link_.read();  // TLS may hold bytes that the socket does not report
    }
    if (!is_ended() && !client_.has_pending() && upstream_ended_ && state_ == State::Tunnel) {
        client_.end_sending();
    }
}

void Session::on_client_end() {
    const bool may_go_on =
        state_ == State::Tunnel || (state_ == State::Exchange && request_.body.is_done &&
                                    request_.head.upgrade == Protocol::None);
    if (!may_go_on || upstream_ended_) {
        return end("the client has disconnected");
    }
    set_deadline(kHalfClosed);
    if (!link_.has_pending()) {
        link_.end_sending();
    }
}

void Session::process_input() {
    heard_ = shared_.loop.uptime();
    switch (state_) {
        case State::ProxyHeader:
            return take_proxy_header();
        case State::Head:
            return take_head();
        case State::Exchange:
            return forward_body();
        case State::Tunnel:
            return send_tunnel();
        case State::Collect:
            return collect_body();
        case State::Linger:
            return client_.drop(client_.unread().size());
        case State::Identify:
        case State::Event:
        case State::Record:
        case State::Connect:
        case State::Ended:
            return;
    }
}

void Session::take_proxy_header() {
    const ProxyHeader header = parse_proxy_header(client_.unread());
    if (header.fault) {
        ++shared_.counters.faults.at(static_cast<std::size_t>(*header.fault));
        shared_.log.warning("refused a connection without a PROXY header");
        return end("");
    }
    if (header.size == 0) {
        return;
    }
    client_.drop(header.size);
    check_.begin(*header.source);
    state_ = State::Head;
    expect_head();
    ask_for_owner();
    take_head();
}

void Session::expect_head() {
    set_deadline(check_.is_over_limit() ? kRefusedWithin : kHeadWithin);
}

void Session::take_head() {
    const std::string_view unread = client_.unread();
    if (unread.empty()) {
        return;
    }
    const HeadEnd found = find_head_end(unread, seen_);
    if (found.fault) {
        return refuse_fault(*found.fault);
    }
    if (found.size == 0) {
        if (seen_ == 0) {
            expect_head();
        }
        seen_ = unread.size();
        return;
    }
    seen_ = 0;
    request_.text = client_.take(found.size);
    take_request();
}

void Session::take_request() {
    request_.begun = shared_.loop.uptime();
    request_.sent = request_.received = 0;
    report_.begin();
    auto parsed = parse_request(request_.text);
    if (const Fault* fault = std::get_if<Fault>(&parsed)) {
        return refuse_fault(*fault);
    }
    request_.head = std::move(std::get<RequestHead>(parsed));
    state_ = State::Identify;
    deadline_.reset();
    identify();
}

void Session::forward_body() {
    if (request_.body.is_done || client_.unread().empty()) {
        return;
    }
    const ChunkReader::Taken taken = request_.body.take(client_.unread());
    if (taken.fault) {
        return refuse_fault(*taken.fault);
    }
    send_upstream(client_.take(taken.size));
}

void Session::refuse_fault(Fault fault) {
    ++shared_.counters.faults.at(static_cast<std::size_t>(fault));
    if (response_.has_body()) {
        return end(name_of(fault));
    }
    refuse({code_of(fault), fmt::format("the request was rejected: {}", name_of(fault))});
}

void Session::refuse(const Refusal& refusal) {
    const bool has_body = !request_.text.starts_with("HEAD ");
    report_.end();
    recording_.finish();
    audit(refusal.message, refusal.code);
    link_.close();
    response_.end();
    state_ = State::Linger;
    send_client(refusal_response(refusal, has_body));
    linger();
}

// Lets the client read the response before the connection is closed. If bytes from the client were
// unread, closing would discard it.
void Session::linger() {
    if (is_ended()) {
        return;
    }
    state_ = State::Linger;
    client_.drop(client_.unread().size());
    set_deadline(client_.has_pending() ? kHalfClosed : kLingers);
    if (client_.has_pending()) {
        return;
    }
    if (client_.has_ended()) {
        return end("");
    }
    client_.end_sending();
}

void Session::audit(std::string_view what, int status) {
    const std::string_view path = request_.head.target.substr(0, request_.head.target.find('?'));
    // A request to the API server's own proxy may do anything.
    const bool only_reads = request_.head.upgrade == Protocol::None &&
                            (request_.head.method == "GET" || request_.head.method == "HEAD") &&
                            path.find("/proxy") == std::string_view::npos;
    const Caller nobody;
    const Caller& who = check_.caller() == nullptr ? nobody : *check_.caller();
    if (only_reads && status < 400 && what.empty() && !who.grants.records_events) {
        return;  // the metrics count it
    }
    write_audit(
        shared_.loop.now(), request_.head.upgrade == Protocol::None ? "request" : "session",
        {{"user", who.user},
         {"groups", fmt::format("{}", fmt::join(who.groups, ","))},
         {"node", who.node},
         {"source", check_.source()},
         {"method", std::string(request_.head.method)},
         {"path", std::string(path)},
         {"status", fmt::format("{}", status)},
         {"sent", fmt::format("{}", request_.sent)},
         {"received", fmt::format("{}", request_.received)},
         {"milliseconds", fmt::format("{}", (shared_.loop.uptime() - request_.begun).count())},
         {"end", redact(what)},  // the only text that is not a name
         {"event", report_.told()},
         {"recorded", recording_.recorded()}});
}

}  // namespace runtime::api_proxy

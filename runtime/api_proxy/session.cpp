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
      client_(shared.loop, [this](Interest ready) { on_client(ready); }),
      check_(shared, is_over_limit, [this] { link_.close(); }),
      link_(shared.loop, shared.upstream, shared.piece,
            {.opened = [this] { begin_exchange(); },
             .unreachable = [this](std::string_view why) { unreachable(why); },
             .wants_bytes = [this] { return wants_upstream_bytes(); },
             .received = [this](std::string_view bytes) { process_upstream(bytes); },
             .ended = [this](bool is_clean) { on_upstream_end(is_clean); },
             .sent = [this] { on_upstream_sent(); },
             .settled = [this] { settle(); }}),
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
                              }}) {
    client_.open(std::move(client));
}

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
        audit(why, status_);
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
    if (state_ == State::ProxyHeader || (state_ == State::Head && in_.empty())) {
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
    client_.watch({.read = wants_client_bytes(), .write = client_.has_pending()});
    link_.settle();
}

void Session::send_client(std::string_view bytes) {
    bytes_down_ += bytes.size();
    if (!is_ended() && !client_.send(bytes)) {
        end("the client has disconnected");
    }
}

bool Session::wants_client_bytes() const {
    if (client_ended_) {
        return false;
    }
    switch (state_) {
        case State::Tunnel:
            return !link_.has_pending() && !recording_.is_behind();
        case State::Exchange:
            return request_body_.is_done ? in_.size() < kLargestHead : !link_.has_pending();
        case State::Identify:
        case State::Event:
        case State::Record:
        case State::Connect:
            return in_.size() < kLargestHead;
        case State::Collect:
            return report_.has_room() || in_.size() < kLargestHead;
        case State::ProxyHeader:
        case State::Head:
        case State::Linger:
            return true;
        case State::Ended:
            break;
    }
    return false;
}

void Session::on_client(Interest ready) {
    if (ready.write && client_.has_pending()) {
        if (!client_.flush()) {
            return end("the client has disconnected");
        }
        if (state_ == State::Linger) {
            linger();
        } else if (!client_.has_pending() && link_.is_open()) {
            link_.read();  // TLS may hold bytes that the socket does not report
        }
        if (!is_ended() && !client_.has_pending() && upstream_ended_ && state_ == State::Tunnel) {
            client_.stream().end_sending();
        }
    }
    if (ready.read && !is_ended()) {
        read_client();
    }
    settle();
}

void Session::read_client() {
    for (int turn = 0; turn < kTurns && wants_client_bytes(); ++turn) {
        const Io io = client_.stream().read(shared_.piece);
        if (io.state == Io::State::Again) {
            return;
        }
        if (io.state == Io::State::Failed) {
            return end("the client has disconnected");
        }
        if (io.state == Io::State::End) {
            client_ended_ = true;
            return on_client_end();
        }
        heard_ = shared_.loop.uptime();
        in_.append(shared_.piece.data(), io.count);
        process_input();
        if (io.count < shared_.piece.size()) {
            return;
        }
    }
}

void Session::on_client_end() {
    const bool may_go_on =
        state_ == State::Tunnel ||
        (state_ == State::Exchange && request_body_.is_done && request_.upgrade == Protocol::None);
    if (!may_go_on || upstream_ended_) {
        return end("the client has disconnected");
    }
    set_deadline(kHalfClosed);
    if (!link_.has_pending()) {
        link_.end_sending();
    }
}

void Session::process_input() {
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
            in_.clear();
            return;
        case State::Identify:
        case State::Event:
        case State::Record:
        case State::Connect:
        case State::Ended:
            return;
    }
}

void Session::take_proxy_header() {
    const ProxyHeader header = parse_proxy_header(in_);
    if (header.fault) {
        ++shared_.counters.faults.at(static_cast<std::size_t>(*header.fault));
        shared_.log.warning("refused a connection without a PROXY header");
        return end("");
    }
    if (header.size == 0) {
        return;
    }
    in_.erase(0, header.size);
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
    if (in_.empty()) {
        std::string().swap(in_);  // an idle connection uses no memory
        return;
    }
    const HeadEnd found = find_head_end(in_, seen_);
    if (found.fault) {
        return refuse_fault(*found.fault);
    }
    if (found.size == 0) {
        if (seen_ == 0) {
            expect_head();
        }
        seen_ = in_.size();
        return;
    }
    seen_ = 0;
    head_ = in_.substr(0, found.size);
    in_.erase(0, found.size);
    take_request();
}

void Session::take_request() {
    begun_ = shared_.loop.uptime();
    bytes_up_ = bytes_down_ = 0;
    report_.begin();
    auto parsed = parse_request(head_);
    if (const Fault* fault = std::get_if<Fault>(&parsed)) {
        return refuse_fault(*fault);
    }
    request_ = std::move(std::get<RequestHead>(parsed));
    state_ = State::Identify;
    deadline_.reset();
    identify();
}

void Session::forward_body() {
    if (request_body_.is_done || in_.empty()) {
        return;
    }
    const ChunkReader::Taken taken = request_body_.take(in_);
    if (taken.fault) {
        return refuse_fault(*taken.fault);
    }
    const std::string bytes = in_.substr(0, taken.size);
    in_.erase(0, taken.size);
    if (in_.empty()) {
        std::string().swap(in_);  // it may have held a body for recorders
    }
    send_upstream(bytes);
}

void Session::refuse_fault(Fault fault) {
    ++shared_.counters.faults.at(static_cast<std::size_t>(fault));
    if (response_.has_body()) {
        return end(name_of(fault));
    }
    refuse({code_of(fault), fmt::format("the request was rejected: {}", name_of(fault))});
}

void Session::refuse(const Refusal& refusal) {
    const bool has_body = !head_.starts_with("HEAD ");
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
    in_.clear();
    set_deadline(!client_.has_pending() ? kLingers : kHalfClosed);
    if (client_.has_pending()) {
        return;
    }
    if (client_ended_) {
        return end("");
    }
    client_.stream().end_sending();
}

void Session::audit(std::string_view what, int status) {
    const std::string_view path = request_.target.substr(0, request_.target.find('?'));
    // A request to the API server's own proxy may do anything.
    const bool only_reads = request_.upgrade == Protocol::None &&
                            (request_.method == "GET" || request_.method == "HEAD") &&
                            path.find("/proxy") == std::string_view::npos;
    const Caller nobody;
    const Caller& who = check_.caller() == nullptr ? nobody : *check_.caller();
    if (only_reads && status < 400 && what.empty() && !who.grants.records_events) {
        return;  // the metrics count it
    }
    write_audit(shared_.loop.now(), request_.upgrade == Protocol::None ? "request" : "session",
                {{"user", who.user},
                 {"groups", fmt::format("{}", fmt::join(who.groups, ","))},
                 {"node", who.node},
                 {"source", check_.source()},
                 {"method", std::string(request_.method)},
                 {"path", std::string(path)},
                 {"status", fmt::format("{}", status)},
                 {"sent", fmt::format("{}", bytes_up_)},
                 {"received", fmt::format("{}", bytes_down_)},
                 {"milliseconds", fmt::format("{}", (shared_.loop.uptime() - begun_).count())},
                 {"end", redact(what)},  // the only text that is not a name
                 {"event", report_.told()},
                 {"recorded", recording_.recorded()}});
}

}  // namespace runtime::api_proxy

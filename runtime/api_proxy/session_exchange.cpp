// One request and its response, or the session that it starts: between the client and the API
// server.
#include <fmt/format.h>

#include <utility>

#include "runtime/api_proxy/session.h"

namespace runtime::api_proxy {

using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr Duration kConnectWithin = seconds(15);
constexpr Duration kIdle = minutes(3);  // between requests

}  // namespace

void Session::go_upstream() {
    // A request that starts a session is never sent twice, so it must not use a connection that may
    // be closing.
    if (link_.is_open() && request_.head.upgrade == Protocol::None) {
        link_.reuse();
        return begin_exchange();
    }
    set_deadline(kConnectWithin);
    shared_.upstream.find_addresses(lifetime_.guarded([this](std::vector<AddressPort> addresses) {
        if (state_ == State::Connect) {
            link_.connect(std::move(addresses));
            settle();
        }
    }));
}

// The client does not get the reason, which may name internals of the cluster. It is in the log.
void Session::unreachable(std::string_view why) {
    ++shared_.counters.unreached;
    shared_.log.warning(fmt::format("a request to the API server failed: {}", why));
    refuse({502, "the API server cannot be reached from the proxy"});
}

void Session::on_recorder(bool is_accepted) {
    if (!is_accepted && caller().grants.enforces_recorder) {
        return refuse_unrecorded();
    }
    state_ = State::Connect;
    go_upstream();
}

void Session::refuse_unrecorded() {
    ++shared_.counters.denied;
    refuse({403, fmt::format("your grant of \"{}\" requires this to be recorded "
                             "(enforceRecorder), and no recorder accepts it",
                             kCapability)});
}

// Returns true if the client has sent something after a request that must be recorded.
bool Session::speaks_too_early() const {
    return recording_.has_recorder() && caller().grants.enforces_recorder &&
           !client_.unread().empty();
}

// Records the bytes before they are forwarded. Returns false if the session has ended, because they
// cannot be recorded.
bool Session::record(std::string_view bytes, bool is_client) {
    if (!recording_.record(bytes, is_client)) {
        on_recording_stopped();
    }
    return !is_ended();
}

void Session::on_recording_stopped() {
    if (check_.caller() != nullptr && caller().grants.enforces_recorder) {
        return state_ == State::Connect ? refuse_unrecorded() : end("the recording broke");
    }
    // Reads what was left while the recorder was behind. Later, since this may be inside a read.
    link_.read_later();
}

void Session::begin_exchange() {
    if (speaks_too_early()) {
        return refuse({400, "nothing may follow a request for a session before its answer"});
    }
    if (recording_.has_recorder()) {
        recording_.begin();
    }
    ++shared_.counters.requests;
    state_ = State::Exchange;
    deadline_.reset();
    response_.expect();
    closes_ = false;
    request_.body.begin(request_.head.body, ChunkReader::Trailers::Refused);
    send_upstream(request_.for_upstream);
    if (state_ == State::Exchange) {
        forward_body();
    }
}

void Session::send_upstream(std::string_view bytes) {
    request_.sent += bytes.size();
    link_.send(bytes);
}

void Session::on_upstream_sent() {
    client_.has_ended() ? link_.end_sending() : forward_body();
}

bool Session::wants_upstream_bytes() const {
    return !client_.has_pending() && !upstream_ended_ && !recording_.is_behind();
}

void Session::on_upstream_end(bool is_clean) {
    if (state_ == State::Tunnel && is_clean && !client_.has_ended()) {
        upstream_ended_ = true;
        set_deadline(kHalfClosed);
        if (!client_.has_pending()) {
            client_.end_sending();
        }
        return;
    }
    if (state_ == State::Tunnel) {
        return end(is_clean ? "both ends are closed" : "the API server has disconnected");
    }
    link_.close();
    if (state_ != State::Exchange) {
        return;  // between requests
    }
    // The API server may have closed an idle connection while the request was sent.
    const bool may_repeat = request_.head.body.kind == Body::Kind::None &&
                            (request_.head.method == "GET" || request_.head.method == "HEAD");
    if (!response_.has_begun() && link_.is_reused() && may_repeat) {
        state_ = State::Connect;
        return go_upstream();
    }
    if (response_.expects_head()) {
        return unreachable("it closed the connection without an answer");
    }
    if (is_clean && response_.ends_with_connection()) {
        return finish_exchange();
    }
    end("the API server has disconnected");
}

void Session::process_upstream(std::string_view bytes) {
    if (state_ == State::Tunnel && deadline_) {
        set_deadline(kHalfClosed);
    }
    while (!bytes.empty() && link_.is_open()) {
        if (state_ == State::Tunnel) {
            return record(bytes, false) ? send_client(bytes) : void();
        }
        if (!response_.is_expected()) {
            return link_.close();
        }
        if (response_.expects_head()) {
            bytes.remove_prefix(take_response_head(bytes));
            continue;
        }
        const ChunkReader::Taken taken = response_.take_body(bytes);
        if (taken.fault) {
            return end("the API server's response is malformed");
        }
        const std::string_view piece = bytes.substr(0, taken.size);
        if (response_.holds_head()) {
            send_client(response_.take_held().append(piece));  // one packet, if they fit
        } else {
            send_client(piece);
        }
        bytes.remove_prefix(taken.size);
        if (response_.is_whole()) {
            if (!bytes.empty()) {
                link_.close();  // the rest is no response
            }
            return finish_exchange();
        }
    }
    if (response_.holds_head()) {
        send_client(response_.take_held());
    }
}

// Returns how many of the bytes belong to the head.
std::size_t Session::take_response_head(std::string_view bytes) {
    const Response::Taken taken = response_.take_head(bytes, request_.head.method);
    if (taken.fault) {
        unreachable(fmt::format("its response is malformed: {}", name_of(*taken.fault)));
    } else if (taken.is_whole) {
        take_response();
        response_.forget_texts();  // only the numbers are needed from here on
    }
    return taken.size;
}

void Session::take_response() {
    const ResponseHead& head = response_.head();
    if (head.status == 101) {
        if (head.upgrade != request_.head.upgrade) {
            return unreachable("it switched to a protocol that was not requested");
        }
        return begin_tunnel();
    }
    if (head.status < 200) {
        if (head.status == 100 && request_.head.has_expectation) {
            send_client(client_head(head, false));
        }
        return;
    }
    recording_.abandon();
    request_.status = head.status;
    closes_ = !request_.head.keeps_alive || is_draining_ || !request_.body.is_done ||
              head.body.kind == Body::Kind::UntilClose;
    response_.begin_body(client_head(head, closes_));
    if (response_.is_whole()) {
        send_client(response_.take_held());
        finish_exchange();
    }
}

void Session::begin_tunnel() {
    ++shared_.counters.upgrades;
    request_.status = 101;
    state_ = State::Tunnel;
    if (speaks_too_early()) {
        return end("the client did not wait for the answer");
    }
    if (!recording_.go_on(response_.head())) {
        on_recording_stopped();
    }
    if (!is_ended()) {
        send_client(client_head(response_.head(), false));
    }
    if (is_ended()) {
        return;
    }
    audit("begins", request_.status);
    if (!client_.unread().empty()) {
        send_tunnel();
    }
}

void Session::send_tunnel() {
    const std::string bytes = client_.take(client_.unread().size());
    if (record(bytes, true)) {
        send_upstream(bytes);
    }
}

void Session::finish_exchange() {
    if (is_ended()) {
        return;
    }
    const bool may_reuse =
        response_.head().keeps_alive && request_.body.is_done && !client_.has_ended();
    audit("", request_.status);
    response_.end();
    request_.forget();
    check_.forget();
    if (!may_reuse) {
        link_.close();
    }
    if (closes_ || is_draining_ || client_.has_ended()) {
        return linger();
    }
    state_ = State::Head;
    heard_ = shared_.loop.uptime();
    set_deadline(kIdle);
    take_head();
}

}  // namespace runtime::api_proxy

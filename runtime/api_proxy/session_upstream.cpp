// A session's connection to the API server.
#include <fmt/format.h>

#include <algorithm>
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
    if (link_ == Link::Open && request_.upgrade == Protocol::None) {
        return begin_exchange(true);
    }
    set_deadline(kConnectWithin);
    shared_.upstream.find_addresses(lifetime_.guarded([this](std::vector<AddressPort> addresses) {
        if (state_ == State::Connect) {
            addresses_ = std::move(addresses);
            connect_next();
            settle();
        }
    }));
}

void Session::connect_next() {
    drop_upstream();
    while (!addresses_.empty()) {
        const AddressPort to = addresses_.front();
        addresses_.erase(addresses_.begin());
        upstream_.open(Stream::connect(to));
        if (upstream_.stream().is_open()) {
            link_ = Link::Connecting;
            return;
        }
    }
    unreachable("none of its addresses accepts connections");
}

void Session::on_connecting() {
    if (upstream_.stream().finish_connect().state != Io::State::Done) {
        return connect_next();
    }
    auto tls = shared_.upstream.tls();
    if (!tls) {
        return unreachable(tls.error().diagnostic.message);
    }
    if (!upstream_.stream().start_tls(**tls)) {
        return unreachable("TLS cannot be set up");
    }
    link_ = Link::Handshake;
    on_handshake();
}

void Session::on_handshake() {
    const Io io = upstream_.stream().shake_hands();
    needs_write_ = io.needs_write;
    if (io.state == Io::State::Again) {
        return;
    }
    if (io.state != Io::State::Done) {
        return unreachable(upstream_.stream().problem());
    }
    link_ = Link::Open;
    begin_exchange(false);
    if (link_ == Link::Open && upstream_.stream().holds_more()) {
        read_upstream();  // bytes that came with the end of the handshake
    }
}

// The client does not get the reason, which may name internals of the cluster. It is in the log.
void Session::unreachable(std::string_view why) {
    ++shared_.counters.unreached;
    shared_.log.warning(fmt::format("a request to the API server failed: {}", why));
    refuse({502, "the API server cannot be reached from the proxy"});
}

void Session::begin_exchange(bool is_reused) {
    if (speaks_too_early()) {
        return refuse({400, "nothing may follow a request for a session before its answer"});
    }
    if (recorder_ != nullptr) {
        begin_tape();
    }
    ++shared_.counters.requests;
    state_ = State::Exchange;
    deadline_.reset();
    phase_ = Phase::Head;
    is_reused_ = is_reused;
    closes_ = false;
    from_upstream_.clear();
    request_body_.begin(request_.body, ChunkReader::Trailers::Refused);
    send_upstream(out_head_);
    if (state_ == State::Exchange) {
        forward_body();
    }
}

void Session::send_upstream(std::string_view bytes) {
    bytes_up_ += bytes.size();
    if (link_ == Link::Open && !upstream_.send(bytes)) {
        on_unwritable();
    }
}

// A response that was sent before a new connection broke is still read.
void Session::on_unwritable() {
    upstream_.drop_pending();
    if (is_reused_) {
        on_upstream_end(false);
    }
}

void Session::on_upstream(Interest ready) {
    if (link_ == Link::Connecting) {
        on_connecting();
        return settle();
    }
    if (link_ == Link::Handshake) {
        on_handshake();
        return settle();
    }
    needs_write_ = false;
    if (ready.write && upstream_.has_pending()) {
        if (!upstream_.flush()) {
            on_unwritable();
        } else if (!upstream_.has_pending() && client_ended_) {
            upstream_.stream().end_sending();
        } else if (!upstream_.has_pending()) {
            forward_body();
        }
    }
    if (!is_ended() && link_ == Link::Open) {
        read_upstream();
    }
    settle();
}

bool Session::wants_upstream_bytes() const {
    return !client_.has_pending() && !upstream_ended_ && !is_recorder_behind();
}

// TLS may hold bytes that the socket does not report. Other sessions come first.
void Session::read_upstream_later() {
    if (!std::exchange(reads_later_, true)) {
        shared_.loop.after({}, lifetime_.guarded([this] {
            reads_later_ = false;
            read_upstream();
            settle();
        }));
    }
}

void Session::read_upstream() {
    for (int turn = 0; link_ == Link::Open && wants_upstream_bytes(); ++turn) {
        if (turn == kTurns) {
            return read_upstream_later();
        }
        const Io io = upstream_.stream().read(shared_.piece);
        if (io.state == Io::State::Again) {
            needs_write_ = io.needs_write;
            return;
        }
        if (io.state != Io::State::Done) {
            return on_upstream_end(io.state == Io::State::End);
        }
        if (state_ == State::Tunnel && deadline_) {
            set_deadline(kHalfClosed);
        }
        process_upstream({shared_.piece.data(), io.count});
        if (link_ == Link::Open && !upstream_.stream().holds_more()) {
            return;  // the socket reports the rest
        }
    }
}

void Session::on_upstream_end(bool is_clean) {
    if (state_ == State::Tunnel && is_clean && !client_ended_) {
        upstream_ended_ = true;
        set_deadline(kHalfClosed);
        if (!client_.has_pending()) {
            client_.stream().end_sending();
        }
        return;
    }
    if (state_ == State::Tunnel) {
        return end(is_clean ? "both ends are closed" : "the API server has disconnected");
    }
    const bool says_nothing = phase_ == Phase::Head && from_upstream_.empty();
    drop_upstream();
    if (state_ != State::Exchange) {
        return;  // between requests
    }
    // The API server may have closed an idle connection while the request was sent.
    const bool may_repeat = request_.body.kind == Body::Kind::None &&
                            (request_.method == "GET" || request_.method == "HEAD");
    if (says_nothing && is_reused_ && may_repeat) {
        state_ = State::Connect;
        return go_upstream();
    }
    if (phase_ == Phase::Head) {
        return unreachable("it closed the connection without an answer");
    }
    if (is_clean && response_body_.body.kind == Body::Kind::UntilClose) {
        return finish_exchange();
    }
    end("the API server has disconnected");
}

void Session::process_upstream(std::string_view bytes) {
    while (!bytes.empty() && link_ == Link::Open) {
        if (state_ == State::Tunnel) {
            return record(bytes, false) ? send_client(bytes) : void();
        }
        if (phase_ == Phase::Idle) {
            return drop_upstream();  // an unrequested response
        }
        if (phase_ == Phase::Head) {
            bytes.remove_prefix(take_response_head(bytes));
            continue;
        }
        const ChunkReader::Taken taken = response_body_.take(bytes);
        if (taken.fault) {
            return end("the API server's response is malformed");
        }
        const std::string_view piece = bytes.substr(0, taken.size);
        if (response_head_.empty()) {
            send_client(piece);
        } else {
            send_client(
                std::exchange(response_head_, {}).append(piece));  // one packet, if they fit
        }
        bytes.remove_prefix(taken.size);
        if (response_body_.is_done) {
            if (!bytes.empty()) {
                drop_upstream();  // the rest is no response
            }
            return finish_exchange();
        }
    }
    if (!response_head_.empty()) {
        send_client(std::exchange(response_head_, {}));
    }
}

// Returns how many of the bytes belong to the head.
std::size_t Session::take_response_head(std::string_view bytes) {
    const std::size_t before = from_upstream_.size();
    if (before > 0) {
        from_upstream_.append(bytes);
    }
    const std::string_view all = before > 0 ? from_upstream_ : bytes;
    const HeadEnd found = find_head_end(all, before);
    if (found.fault) {
        unreachable(fmt::format("its response is malformed: {}", name_of(*found.fault)));
        return bytes.size();
    }
    if (found.size == 0) {
        if (before == 0) {
            from_upstream_.assign(bytes);
        }
        return bytes.size();
    }
    auto parsed = parse_response(all.substr(0, found.size), request_.method);
    if (const Fault* fault = std::get_if<Fault>(&parsed)) {
        unreachable(fmt::format("its response is malformed: {}", name_of(*fault)));
        return bytes.size();
    }
    response_ = std::move(std::get<ResponseHead>(parsed));
    const std::size_t size = found.size - before;
    response_.keeps_alive =
        response_.keeps_alive &&
        (response_.body.kind != Body::Kind::None || size == bytes.size() || response_.status < 200);
    take_response();
    // The texts point into these bytes. Only the numbers are needed from here on.
    response_.reason = {};
    response_.fields = {};
    response_.nominated = {};
    std::string().swap(from_upstream_);
    return size;
}

void Session::take_response() {
    if (response_.status == 101) {
        if (response_.upgrade != request_.upgrade) {
            return unreachable("it switched to a protocol that was not requested");
        }
        return begin_tunnel();
    }
    if (response_.status < 200) {
        if (response_.status == 100 && request_.has_expectation) {
            send_client(client_head(response_, false));
        }
        return;
    }
    abandon_recording();
    status_ = response_.status;
    closes_ = !request_.keeps_alive || is_draining_ || !request_body_.is_done ||
              response_.body.kind == Body::Kind::UntilClose;
    phase_ = Phase::Body;
    response_body_.begin(response_.body, ChunkReader::Trailers::Allowed);
    response_head_ = client_head(response_, closes_);
    if (response_body_.is_done) {
        send_client(std::exchange(response_head_, {}));
        finish_exchange();
    }
}

void Session::begin_tunnel() {
    ++shared_.counters.upgrades;
    status_ = 101;
    state_ = State::Tunnel;
    if (speaks_too_early()) {
        return end("the client did not wait for the answer");
    }
    go_on_with_tape();
    if (!is_ended()) {
        send_client(client_head(response_, false));
    }
    if (is_ended()) {
        return;
    }
    audit("begins", status_);
    if (!in_.empty()) {
        send_tunnel();
    }
}

void Session::send_tunnel() {
    const std::string bytes = std::exchange(in_, {});
    if (record(bytes, true)) {
        send_upstream(bytes);
    }
}

void Session::finish_exchange() {
    if (is_ended()) {
        return;
    }
    const bool may_reuse = response_.keeps_alive && request_body_.is_done && !client_ended_;
    audit("", status_);
    phase_ = Phase::Idle;
    // Nothing of this request may be used for the next one.
    request_ = {};
    head_ = {};
    out_head_ = {};
    caller_ = nullptr;
    status_ = 0;
    if (!may_reuse) {
        drop_upstream();
    }
    if (closes_ || is_draining_ || client_ended_) {
        return linger();
    }
    state_ = State::Head;
    heard_ = shared_.loop.uptime();
    set_deadline(kIdle);
    take_head();
}

void Session::drop_upstream() {
    upstream_.close();
    link_ = Link::None;
    needs_write_ = false;
}

}  // namespace runtime::api_proxy

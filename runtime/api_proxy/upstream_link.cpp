#include "runtime/api_proxy/upstream_link.h"

#include <utility>

namespace runtime::api_proxy {

UpstreamLink::UpstreamLink(Loop& loop, Upstream& upstream, std::span<char> piece, Events events)
    : loop_(loop),
      upstream_(upstream),
      piece_(piece),
      events_(std::move(events)),
      stream_(loop, [this](Interest ready) {
          on_ready(ready);
          events_.settled();
      }) {}

void UpstreamLink::connect(std::vector<AddressPort> addresses) {
    addresses_ = std::move(addresses);
    connect_next();
}

void UpstreamLink::connect_next() {
    close();
    while (!addresses_.empty()) {
        const AddressPort to = addresses_.front();
        addresses_.erase(addresses_.begin());
        stream_.open(Stream::connect(to));
        if (stream_.stream().is_open()) {
            state_ = State::Connecting;
            return;
        }
    }
    events_.unreachable("none of its addresses accepts connections");
}

void UpstreamLink::close() {
    stream_.close();
    state_ = State::Closed;
    needs_write_ = false;
}

void UpstreamLink::settle() {
    if (state_ == State::Connecting) {
        stream_.watch({.write = true});
    } else if (state_ != State::Closed) {
        stream_.watch({.read = events_.wants_bytes(),
                       .write = needs_write_ || (is_open() && stream_.has_pending())});
    }
}

void UpstreamLink::on_ready(Interest ready) {
    if (state_ == State::Connecting) {
        return on_connecting();
    }
    if (state_ == State::Handshake) {
        return on_handshake();
    }
    needs_write_ = false;
    if (ready.write && stream_.has_pending()) {
        if (!stream_.flush()) {
            on_unwritable();
        } else if (!stream_.has_pending()) {
            events_.sent();
        }
    }
    read();
}

void UpstreamLink::on_connecting() {
    if (stream_.stream().finish_connect().state != Io::State::Done) {
        return connect_next();
    }
    auto tls = upstream_.tls();
    if (!tls) {
        return events_.unreachable(tls.error().diagnostic.message);
    }
    if (!stream_.stream().start_tls(**tls)) {
        return events_.unreachable("TLS cannot be set up");
    }
    state_ = State::Handshake;
    on_handshake();
}

void UpstreamLink::on_handshake() {
    const Io io = stream_.stream().shake_hands();
    needs_write_ = io.needs_write;
    if (io.state == Io::State::Again) {
        return;
    }
    if (io.state != Io::State::Done) {
        return events_.unreachable(stream_.stream().problem());
    }
    state_ = State::Open;
    is_reused_ = false;
    events_.opened();
    if (is_open() && stream_.stream().holds_more()) {
        read();  // bytes that came with the end of the handshake
    }
}

void UpstreamLink::send(std::string_view bytes) {
    if (is_open() && !stream_.send(bytes)) {
        on_unwritable();
    }
}

void UpstreamLink::on_unwritable() {
    stream_.drop_pending();
    if (is_reused_) {
        events_.ended(false);
    }
}

// Other sessions come first.
void UpstreamLink::read_later() {
    if (!std::exchange(reads_later_, true)) {
        loop_.after({}, lifetime_.guarded([this] {
            reads_later_ = false;
            read();
            events_.settled();
        }));
    }
}

void UpstreamLink::read() {
    for (int turn = 0; is_open() && events_.wants_bytes(); ++turn) {
        if (turn == kTurns) {
            return read_later();
        }
        const Io io = stream_.stream().read(piece_);
        if (io.state == Io::State::Again) {
            needs_write_ = io.needs_write;
            return;
        }
        if (io.state != Io::State::Done) {
            return events_.ended(io.state == Io::State::End);
        }
        events_.received({piece_.data(), io.count});
        if (is_open() && !stream_.stream().holds_more()) {
            return;  // the socket reports the rest
        }
    }
}

}  // namespace runtime::api_proxy

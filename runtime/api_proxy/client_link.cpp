#include "runtime/api_proxy/client_link.h"

#include <utility>

namespace runtime::api_proxy {

ClientLink::ClientLink(Loop& loop, Stream stream, std::span<char> piece, Events events)
    : piece_(piece), events_(std::move(events)), stream_(loop, [this](Interest ready) {
          on_ready(ready);
          events_.settled();
      }) {
    stream_.open(std::move(stream));
}

std::string ClientLink::take(std::size_t count) {
    if (count == in_.size()) {
        return std::exchange(in_, {});
    }
    std::string out = in_.substr(0, count);
    in_.erase(0, count);
    return out;
}

void ClientLink::drop(std::size_t count) {
    in_.erase(0, count);
    if (in_.empty()) {
        std::string().swap(in_);
    }
}

void ClientLink::settle() {
    stream_.watch({.read = events_.wants_bytes(), .write = stream_.has_pending()});
}

void ClientLink::on_ready(Interest ready) {
    if (ready.write && stream_.has_pending()) {
        if (!stream_.flush()) {
            return events_.broken();
        }
        events_.sent();
    }
    if (ready.read && stream_.stream().is_open()) {
        read();
    }
}

void ClientLink::read() {
    for (int turn = 0; turn < kTurns && events_.wants_bytes(); ++turn) {
        const Io io = stream_.stream().read(piece_);
        if (io.state == Io::State::Again) {
            return;
        }
        if (io.state == Io::State::Failed) {
            return events_.broken();
        }
        if (io.state == Io::State::End) {
            has_ended_ = true;
            return events_.ended();
        }
        in_.append(piece_.data(), io.count);
        events_.received();
        if (io.count < piece_.size()) {
            return;
        }
    }
}

}  // namespace runtime::api_proxy

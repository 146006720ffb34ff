#include "runtime/api_proxy/tailnet_stream.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "runtime/api_proxy/head.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::api_proxy {

namespace {

constexpr std::size_t kLargestBacklog = std::size_t{1024} * 1024;

}  // namespace

bool TailnetStream::dial(const std::string& socket, const AddressPort& to, Events events) {
    close();
    stream_ = Stream::connect_local(socket);
    if (!stream_.is_open()) {
        return false;
    }
    events_ = std::move(events);
    here_ = std::make_shared<int>(0);
    send(
        fmt::format("POST /localapi/v0/dial HTTP/1.1\r\nHost: local-tailscaled.sock\r\n"
                    "Connection: upgrade\r\nUpgrade: ts-dial\r\nDial-Host: {}\r\nDial-Port: {}\r\n"
                    "Dial-Network: tcp\r\nContent-Length: 0\r\n\r\n",
                    to.address.text(), to.port));
    return true;
}

void TailnetStream::close() {
    if (stream_.is_open()) {
        loop_.watch(stream_.descriptor(), {}, nullptr);
    }
    stream_.close();
    events_ = {};
    interest_ = {};
    is_dialled_ = false;
    in_.clear();
    out_.clear();
    here_ = nullptr;
}

void TailnetStream::send(std::string_view bytes) {
    if (is_open()) {
        out_.append(bytes);
        settle();
    }
}

void TailnetStream::settle() {
    // Stops reading while the other end does not read what it is sent.
    const Interest wanted{.read = out_.size() < kLargestBacklog, .write = !out_.empty()};
    if (wanted.read != interest_.read || wanted.write != interest_.write) {
        interest_ = wanted;
        loop_.watch(stream_.descriptor(), wanted, [this](Interest ready) { on_ready(ready); });
    }
}

void TailnetStream::on_ready(Interest ready) {
    const std::weak_ptr<int> here = here_;
    if (ready.write) {
        flush();
    }
    if (ready.read && !here.expired()) {
        read();
    }
    if (!here.expired()) {
        settle();
    }
}

void TailnetStream::flush() {
    std::size_t sent = 0;
    while (sent < out_.size()) {
        const Io io = stream_.write(std::string_view(out_).substr(sent));
        if (io.state == Io::State::Again) {
            break;
        }
        if (io.state != Io::State::Done) {
            return fail("the connection broke");
        }
        sent += io.count;
    }
    out_.erase(0, sent);
    if (const auto moved = events_.moved; sent > 0 && is_dialled_ && moved != nullptr) {
        moved();
    }
}

void TailnetStream::read() {
    std::array<char, 4096> piece;
    const Io io = stream_.read(piece);
    if (io.state == Io::State::Again) {
        return;
    }
    if (io.state != Io::State::Done) {
        return fail("the connection ended");
    }
    if (is_dialled_) {
        const auto received = events_.received;
        return received({piece.data(), io.count});
    }
    in_.append(piece.data(), io.count);
    open();
}

void TailnetStream::open() {
    const HeadEnd found = find_head_end(in_);
    if (found.fault) {
        return fail("tailscaled's response is malformed");
    }
    if (found.size == 0) {
        return;
    }
    const std::string_view status = status_line(in_);
    if (!status.starts_with("HTTP/1.1 101")) {
        return fail(fmt::format("tailscaled says \"{}\"", status));
    }
    is_dialled_ = true;
    const std::string rest = std::exchange(in_, {}).substr(found.size);
    const std::weak_ptr<int> here = here_;
    const Events events = events_;
    events.opened();
    if (!rest.empty() && !here.expired()) {
        events.received(rest);
    }
}

void TailnetStream::fail(const std::string& problem) {
    const auto failed = std::exchange(events_, {}).failed;
    close();
    failed(problem);
}

}  // namespace runtime::api_proxy

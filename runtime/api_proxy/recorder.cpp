#include "runtime/api_proxy/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/api_proxy/head.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::api_proxy {

namespace {

constexpr Duration kTick = std::chrono::seconds(1);
constexpr Duration kEach = std::chrono::seconds(10);  // of the recorders
constexpr Duration kAll = std::chrono::seconds(30);
constexpr Duration kStalled = std::chrono::seconds(30);

}  // namespace

Recorder::Recorder(Loop& loop, std::string socket, std::vector<std::string> addresses,
                   Events events)
    : loop_(loop),
      socket_(std::move(socket)),
      addresses_(std::move(addresses)),
      events_(std::move(events)),
      give_up_(loop.uptime() + kAll) {}

std::shared_ptr<Recorder> Recorder::start(Loop& loop, std::string socket,
                                          std::vector<std::string> addresses, Events events) {
    std::shared_ptr<Recorder> out(
        new Recorder(loop, std::move(socket), std::move(addresses), std::move(events)));
    loop.after({}, [weak = std::weak_ptr(out)] {
        if (const auto self = weak.lock()) {
            self->next();
            self->tick();
        }
    });
    return out;
}

Recorder::~Recorder() {
    close();
}

void Recorder::close() {
    if (stream_.is_open()) {
        loop_.watch(stream_.descriptor(), {}, nullptr);
    }
    interest_ = {};
    stream_.close();
    state_ = State::Closed;
}

void Recorder::next() {
    close();
    in_.clear();
    out_.clear();
    const auto to = addresses_.empty() ? std::nullopt : AddressPort::parse(addresses_.front());
    if (!to || loop_.uptime() >= give_up_) {
        const auto started = std::exchange(events_.started, nullptr);
        events_ = {};
        if (started != nullptr) {
            started(problems_.empty() ? "there is no recorder" : problems_);
        }
        return;
    }
    address_ = addresses_.front();
    addresses_.erase(addresses_.begin());
    moved_ = loop_.uptime();
    stream_ = Stream::connect_local(socket_);
    if (!stream_.is_open()) {
        return fail("tailscaled is not there");
    }
    state_ = State::Dial;
    out_ = fmt::format(
        "POST /localapi/v0/dial HTTP/1.1\r\nHost: local-tailscaled.sock\r\n"
        "Connection: upgrade\r\nUpgrade: ts-dial\r\nDial-Host: {}\r\nDial-Port: {}\r\n"
        "Dial-Network: tcp\r\nContent-Length: 0\r\n\r\n",
        to->address.text(), to->port);
    settle();
}

// Before the begin the next recorder is asked; later there is no other.
void Recorder::fail(std::string problem) {
    problem = fmt::format("recorder {}: {}", address_, problem);
    const bool is_beginning = events_.started != nullptr && done_ == nullptr;
    close();
    if (is_beginning) {
        problems_.append(problems_.empty() ? "" : "; ").append(problem);
        loop_.after({}, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->next();
            }
        });
        return;
    }
    const auto broken = std::exchange(events_.broken, nullptr);
    const auto done = std::exchange(done_, nullptr);
    events_ = {};
    if (broken != nullptr) {
        broken(problem);
    }
    if (done != nullptr) {
        done(problem);
    }
}

void Recorder::tick() {
    if (state_ != State::Closed) {
        const Duration since = loop_.uptime() - moved_;
        const bool is_beginning = state_ == State::Dial || state_ == State::Ask;
        if (is_beginning ? since >= kEach
                         : since >= kStalled && (state_ == State::Ending || !out_.empty())) {
            fail("it does not answer");
        }
    }
    if (state_ == State::Closed && events_.started == nullptr) {
        return;
    }
    loop_.after(kTick, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->tick();
        }
    });
}

void Recorder::settle() {
    if (state_ == State::Closed) {
        return;
    }
    const Interest wanted{.read = true, .write = !out_.empty()};
    if (wanted.read != interest_.read || wanted.write != interest_.write) {
        interest_ = wanted;
        loop_.watch(stream_.descriptor(), wanted, [this](Interest ready) { on_ready(ready); });
    }
}

void Recorder::on_ready(Interest ready) {
    const auto self = shared_from_this();  // whoever is told may let go of it
    if (ready.write && state_ != State::Closed) {
        flush();
    }
    if (ready.read && state_ != State::Closed) {
        read();
    }
    settle();
}

void Recorder::flush() {
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
    if (sent > 0) {
        moved_ = loop_.uptime();
        const auto moved = events_.moved;  // who is told may want to hear no more
        if (moved != nullptr) {
            moved();
        }
    }
}

void Recorder::read() {
    std::array<char, 4096> piece;
    const Io io = stream_.read(piece);
    if (io.state == Io::State::Again) {
        return;
    }
    if (io.state != Io::State::Done) {
        return fail("the connection ended");
    }
    in_.append(piece.data(), io.count);
    while (state_ != State::Closed) {
        const HeadEnd found = find_head_end(in_);
        if (found.fault) {
            return fail("its response is malformed");
        }
        if (found.size == 0) {
            return;
        }
        const std::string head = in_.substr(0, found.size);
        in_.erase(0, found.size);
        take_head(head);
    }
}

void Recorder::take_head(std::string_view head) {
    const std::string_view status = head.substr(0, std::min<std::size_t>(head.find('\r'), 50));
    const auto is = [&](std::string_view code) {
        return status.starts_with("HTTP/1.1 ") && status.substr(9).starts_with(code);
    };
    if (state_ == State::Dial && is("101")) {
        state_ = State::Ask;
        out_ = fmt::format(
            "POST /record HTTP/1.1\r\nHost: {}\r\nUser-Agent: tailrender\r\n"
            "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
            address_);
        return settle();
    }
    if (state_ == State::Ask && is("100")) {
        state_ = State::Open;
        const auto started = std::exchange(events_.started, nullptr);
        return started == nullptr ? void() : started("");
    }
    if (state_ == State::Ending && is("200")) {
        close();
        const auto done = std::exchange(done_, nullptr);
        return done == nullptr ? void() : done("");
    }
    fail(fmt::format("it says \"{}\"", status));
}

void Recorder::write(std::string_view lines) {
    if (state_ != State::Open || lines.empty()) {
        return;
    }
    if (out_.empty()) {
        moved_ = loop_.uptime();  // it cannot have taken what was not there
    }
    out_ += fmt::format("{:x}\r\n{}\r\n", lines.size(), lines);
    settle();
}

void Recorder::finish(std::function<void(const std::string&)> done) {
    events_ = {};
    if (state_ != State::Open) {
        close();
        return done("the recording had not begun");
    }
    done_ = std::move(done);
    state_ = State::Ending;
    moved_ = loop_.uptime();
    out_ += "0\r\n\r\n";
    settle();
}

void Recorder::abandon() {
    events_ = {};
    done_ = nullptr;
    close();
}

}  // namespace runtime::api_proxy

#include "runtime/api_proxy/recorder.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/api_proxy/head.h"
#include "runtime/base/weakly.h"

namespace runtime::api_proxy {

namespace {

constexpr Duration kRecorderTick = std::chrono::seconds(1);
constexpr Duration kDial = std::chrono::seconds(8);  // a lost handshake is repeated after 5
constexpr Duration kProbe = std::chrono::seconds(5);
constexpr Duration kAsk = std::chrono::seconds(10);
constexpr Duration kStalled = std::chrono::seconds(30);
constexpr Duration kSilent = std::chrono::seconds(30);  // without an acknowledgement
constexpr std::string_view kPath = "/v2/record";

}  // namespace

Recorder::Recorder(Loop& loop, std::string socket, std::vector<std::string> addresses,
                   Events events)
    : loop_(loop),
      socket_(std::move(socket)),
      turns_(std::move(addresses), loop.uptime()),
      events_(std::move(events)),
      stream_(loop) {}

std::shared_ptr<Recorder> Recorder::start(Loop& loop, std::string socket,
                                          std::vector<std::string> addresses, Events events) {
    std::shared_ptr<Recorder> out(
        new Recorder(loop, std::move(socket), std::move(addresses), std::move(events)));
    loop.after({}, weakly(std::weak_ptr(out), [](Recorder& self) {
                   self.next();
                   self.tick();
               }));
    return out;
}

void Recorder::close() {
    stream_.close();
    http2_ = nullptr;
    state_ = State::Closed;
}

std::size_t Recorder::waiting() const {
    return stream_.waiting() + (http2_ == nullptr ? 0 : http2_->waiting());
}

void Recorder::next() {
    to_ = turns_.next(loop_.uptime());
    if (!to_) {
        close();
        const auto started = std::exchange(events_.started, nullptr);
        events_ = {};
        if (started != nullptr) {
            started(turns_.problems());
        }
        return;
    }
    dial(true);
}

// Uses a new connection for each version: a server without HTTP/2 may have misread the first bytes.
void Recorder::dial(bool is_http2) {
    close();
    is_http2_ = is_http2;
    in_.clear();
    asked_ = loop_.uptime();
    const auto heard = [this](auto call) { return weakly(weak_from_this(), call); };
    state_ = State::Dial;
    if (!stream_.dial(socket_, *to_,
                      {.opened = heard(&Recorder::ask),
                       .received = heard(&Recorder::on_received),
                       .moved = heard(&Recorder::on_moved),
                       .failed = heard(&Recorder::on_failed)})) {
        fail("tailscaled is not there");
    }
}

void Recorder::ask() {
    asked_ = loop_.uptime();
    if (is_http2_) {
        state_ = State::Probe;
        http2_ = std::make_unique<Http2Client>(address());
        http2_->request("HEAD", kPath, false);
        return settle();
    }
    state_ = State::Ask;
    stream_.send(
        fmt::format("POST /record HTTP/1.1\r\nHost: {}\r\nUser-Agent: tailrender\r\n"
                    "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
                    address()));
}

// Before the recording has begun, the next recorder is tried. Later there is no other.
void Recorder::fail(const std::string& problem) {
    const bool is_beginning = events_.started != nullptr && done_ == nullptr;
    close();
    if (is_beginning) {
        turns_.give_up(problem);
        loop_.after({}, weakly(weak_from_this(), &Recorder::next));
        return;
    }
    const std::string told = turns_.told_of(problem);
    const auto broken = std::exchange(events_.broken, nullptr);
    const auto done = std::exchange(done_, nullptr);
    events_ = {};
    if (broken != nullptr) {
        broken(told);
    }
    if (done != nullptr) {
        done(told);
    }
}

void Recorder::on_failed(const std::string& problem) {
    state_ == State::Probe ? dial(false) : fail(problem);
}

void Recorder::tick() {
    const Duration now = loop_.uptime();
    const bool is_open = state_ == State::Open || state_ == State::Ending;
    const bool has_to_move = waiting() > 0 || (state_ == State::Ending && !is_http2_);
    const Duration limit = state_ == State::Dial ? kDial : kAsk;
    if (state_ == State::Probe && now - asked_ >= kProbe) {
        dial(false);
    } else if (is_open && is_http2_ && now - heard_ >= kSilent) {
        fail("it acknowledges nothing");
    } else if (is_open
                   ? has_to_move && now - moved_ >= kStalled
                   : state_ != State::Closed && (now - asked_ >= limit || turns_.is_over(now))) {
        fail("it does not answer");
    }
    if (state_ == State::Closed && events_.started == nullptr) {
        return;
    }
    loop_.after(kRecorderTick, weakly(weak_from_this(), &Recorder::tick));
}

void Recorder::settle() {
    if (http2_ != nullptr) {
        stream_.send(http2_->take());
    }
}

void Recorder::on_moved() {
    settle();
    moved_ = loop_.uptime();
    const auto moved = events_.moved;  // a copy: the handler may clear it
    if (moved != nullptr) {
        moved();
    }
}

void Recorder::on_received(std::string_view bytes) {
    if (http2_ != nullptr) {
        take_http2(bytes);
        return settle();
    }
    in_.append(bytes);
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

void Recorder::take_http2(std::string_view bytes) {
    const bool is_understood = http2_->receive(bytes);
    const Http2Client::Response& response = http2_->response();
    const bool is_refused =
        !is_understood || response.is_broken || (response.status != 0 && response.status != 200);
    if (state_ == State::Probe) {
        if (is_refused) {
            return dial(false);
        }
        if (response.status == 200) {
            state_ = State::Ask;
            asked_ = loop_.uptime();
            http2_->request("POST", kPath, true);
        }
        return;
    }
    if (response.status == 200) {
        if (state_ == State::Ask) {
            begin();
        }
        take_acks();
    }
    if (is_refused && state_ != State::Closed) {
        fail(!is_understood       ? "its response is malformed"
             : response.is_broken ? "it broke off"
                                  : fmt::format("it says \"{}\"", response.status));
    }
}

// Acknowledgements that came before the stream broke count too.
void Recorder::take_acks() {
    if (http2_ == nullptr) {
        return;
    }
    Http2Client::Response& response = http2_->response();
    const std::uint64_t frames = acks_.frames(), had = acks_.acknowledged();
    const bool has_all = state_ == State::Open && had == http2_->sent();
    const auto problem = acks_.take(std::exchange(response.bytes, {}), http2_->sent());
    if (acks_.acknowledged() > had || (has_all && acks_.frames() != frames)) {
        heard_ = loop_.uptime();
    }
    if (problem) {
        return fail(*problem);
    }
    if (response.is_whole) {
        return state_ == State::Ending && waiting() == 0 && acks_.is_between()
                   ? end_whole()
                   : fail("it has ended the recording");
    }
}

void Recorder::take_head(std::string_view head) {
    const std::string_view status = status_line(head);
    const auto is = [&](std::string_view code) {
        return status.starts_with("HTTP/1.1 ") && status.substr(9).starts_with(code);
    };
    if (state_ == State::Ask && is("100")) {
        return begin();
    }
    if (state_ == State::Ending && waiting() == 0 && is("200")) {
        return end_whole();
    }
    fail(fmt::format("it says \"{}\"", status));
}

void Recorder::begin() {
    state_ = State::Open;
    moved_ = heard_ = loop_.uptime();
    const auto started = std::exchange(events_.started, nullptr);
    if (started != nullptr) {
        started("");
    }
}

void Recorder::end_whole() {
    is_whole_ = true;
    close();
    const auto done = std::exchange(done_, nullptr);
    if (done != nullptr) {
        done("");
    }
}

void Recorder::write(std::string_view lines) {
    if (state_ != State::Open || lines.empty()) {
        return;
    }
    if (waiting() == 0) {
        moved_ = loop_.uptime();  // it had nothing to take before
    }
    written_ += lines.size();
    if (http2_ == nullptr) {
        return stream_.send(fmt::format("{:x}\r\n{}\r\n", lines.size(), lines));
    }
    http2_->write(lines);
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
    moved_ = heard_ = loop_.uptime();
    if (http2_ == nullptr) {
        return stream_.send("0\r\n\r\n");
    }
    http2_->end();
    settle();
}

void Recorder::abandon() {
    events_ = {};
    done_ = nullptr;
    close();
}

}  // namespace runtime::api_proxy

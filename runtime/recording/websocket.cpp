#include <algorithm>
#include <array>

#include "runtime/recording/streams.h"

namespace runtime::recording {

namespace {

constexpr std::uint8_t kContinuation = 0, kBinary = 2, kClose = 8, kPingFrame = 9, kPong = 10;
constexpr std::uint64_t kLargestControlFrame = 125;
// The channel of v5 that closes a stream is ignored.
constexpr std::uint8_t kStdout = 1, kStderr = 2, kResize = 4;

// The frames of one direction. A message may have several frames, with pings between them.
class Direction {
public:
    explicit Direction(bool is_client) : is_client_(is_client) {}

    Problem take(std::string_view bytes, std::vector<StreamEvent>& events) {
        while (!bytes.empty()) {
            if (!in_payload_) {
                head_.push_back(bytes.front());
                bytes.remove_prefix(1);
                if (auto problem = read_head()) {
                    return problem;
                }
                if (in_payload_ && left_ == 0) {
                    if (auto problem = end_frame(events)) {
                        return problem;
                    }
                }
                continue;
            }
            const std::size_t count = std::min<std::uint64_t>(left_, bytes.size());
            if (auto problem = take_payload(bytes.substr(0, count), events)) {
                return problem;
            }
            bytes.remove_prefix(count);
            left_ -= count;
            if (left_ == 0) {
                if (auto problem = end_frame(events)) {
                    return problem;
                }
            }
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] std::uint8_t byte(std::size_t at) const {
        return static_cast<std::uint8_t>(head_[at]);
    }
    [[nodiscard]] bool is_control() const { return opcode_ >= kClose; }

    // Parses the head once it is complete.
    Problem read_head() {
        if (head_.size() < 2) {
            return std::nullopt;
        }
        const bool is_masked = (byte(1) & 0x80U) != 0;
        const std::uint8_t length = byte(1) & 0x7FU;
        const std::size_t wide = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (head_.size() < 2 + wide + (is_masked ? 4 : 0)) {
            return std::nullopt;
        }
        is_final_ = (byte(0) & 0x80U) != 0;
        opcode_ = byte(0) & 0x0FU;
        left_ = wide == 0 ? length : 0;
        for (std::size_t at = 0; at < wide; ++at) {
            left_ = left_ << 8U | byte(2 + at);
        }
        mask_ = {};
        for (std::size_t at = 0; is_masked && at < mask_.size(); ++at) {
            mask_.at(at) = byte(2 + wide + at);
        }
        masked_ = 0;
        in_payload_ = true;
        return check_head((byte(0) & 0x70U) != 0, is_masked);
    }

    Problem check_head(bool has_extension, bool is_masked) {
        head_.clear();
        if (has_extension || is_masked != is_client_) {
            return "a frame with an extension or without its mask";
        }
        if (is_control()) {
            const bool is_known = opcode_ == kClose || opcode_ == kPingFrame || opcode_ == kPong;
            return is_known && is_final_ && left_ <= kLargestControlFrame
                       ? std::nullopt
                       : Problem("an invalid control frame");
        }
        if (opcode_ != (in_message_ ? kContinuation : kBinary)) {
            return "a frame that is not binary, or not of its message";
        }
        if (!in_message_) {
            channel_.reset();
        }
        in_message_ = !is_final_;
        return std::nullopt;
    }

    Problem take_payload(std::string_view bytes, std::vector<StreamEvent>& events) {
        std::string plain(bytes);
        for (char& c : plain) {
            c = static_cast<char>(static_cast<std::uint8_t>(c) ^ mask_.at(masked_++ % 4));
        }
        if (is_control() || plain.empty()) {
            return std::nullopt;
        }
        std::string_view rest = plain;
        if (!channel_) {
            channel_ = static_cast<std::uint8_t>(rest.front());
            rest.remove_prefix(1);
        }
        if (is_client_) {
            return *channel_ == kResize ? resizes_.take(rest, events) : std::nullopt;
        }
        if (!rest.empty() && (*channel_ == kStdout || *channel_ == kStderr)) {
            events.push_back({.kind = *channel_ == kStdout ? StreamEvent::Kind::Output
                                                           : StreamEvent::Kind::ErrorOutput,
                              .bytes = std::string(rest)});
        }
        return std::nullopt;
    }

    Problem end_frame(std::vector<StreamEvent>& events) {
        in_payload_ = false;
        const bool ends_resize = is_client_ && !is_control() && is_final_ && channel_ == kResize;
        return ends_resize ? resizes_.end(events) : std::nullopt;
    }

    bool is_client_;
    std::string head_;
    bool in_payload_ = false, in_message_ = false, is_final_ = false;
    std::uint8_t opcode_ = 0;
    std::uint64_t left_ = 0;
    std::array<std::uint8_t, 4> mask_ = {};
    std::size_t masked_ = 0;
    std::optional<std::uint8_t> channel_;
    ResizeText resizes_;
};

class WebSocketReader : public StreamReader {
public:
    Problem from_client(std::string_view bytes, std::vector<StreamEvent>& events) override {
        return client_.take(bytes, events);
    }
    Problem from_server(std::string_view bytes, std::vector<StreamEvent>& events) override {
        return server_.take(bytes, events);
    }

private:
    Direction client_{true}, server_{false};
};

}  // namespace

std::unique_ptr<StreamReader> read_websocket() {
    return std::make_unique<WebSocketReader>();
}

}  // namespace runtime::recording

// Parses what a recorder sends while it receives a recording over HTTP/2: JSON values, one after
// another. Each has the number of received bytes. One with an error is the last. Pure.
// Source: tailscale v1.96.5 sessionrecording/connect.go (connectV2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/json_stream.h"
#include "runtime/recording/streams.h"

namespace runtime::recording {

class AckReader : private JsonListener {
public:
    // Takes the next bytes of the response, after `sent` bytes of the recording were sent. Returns
    // a problem if the recorder reports an error, or if the response is invalid.
    [[nodiscard]] Problem take(std::string_view bytes, std::uint64_t sent);
    [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
    [[nodiscard]] std::uint64_t frames() const { return frames_; }  // number of values so far
    [[nodiscard]] bool is_between() const { return json_.is_between(); }

private:
    void on_key(std::string_view key) override;
    void on_text(std::string_view text) override;
    void on_scalar(std::string_view spelling) override;
    void on_begin(bool is_object) override;
    void on_end() override { --depth_; }
    void on_document() override;

    JsonStream json_{*this};
    int depth_ = 0;
    std::string key_;  // of the current value
    std::uint64_t count_ = 0;
    std::string said_;   // error of the current value
    std::string error_;  // of the first value with an error
    bool is_malformed_ = false;
    std::uint64_t acknowledged_ = 0, frames_ = 0;
};

}  // namespace runtime::recording

// The API server's response to one request: its head, which is held until the first bytes of its
// body are forwarded, and how much of its body has come. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/api_proxy/head.h"
#include "runtime/api_proxy/progress.h"

namespace runtime::api_proxy {

class Response {
public:
    // Expects the head of a response.
    void expect();
    [[nodiscard]] bool expects_head() const { return phase_ == Phase::Head; }
    [[nodiscard]] bool has_body() const { return phase_ == Phase::Body; }
    [[nodiscard]] bool is_expected() const { return phase_ != Phase::Idle; }
    [[nodiscard]] bool has_begun() const { return phase_ != Phase::Head || !incomplete_.empty(); }

    // How many of the bytes belong to the head, and whether it is whole.
    struct Taken {
        std::size_t size = 0;
        std::optional<Fault> fault = {};
        bool is_whole = false;
    };
    // `method` is the method of the request.
    Taken take_head(std::string_view bytes, std::string_view method);
    // The last whole head. Its texts point into the bytes that `take_head` got: `forget_texts`
    // before they are discarded. The numbers remain.
    [[nodiscard]] const ResponseHead& head() const { return head_; }
    void forget_texts();

    // The head is the final one: its body follows. `for_client` is held until `take_held`.
    void begin_body(std::string for_client);
    [[nodiscard]] ChunkReader::Taken take_body(std::string_view bytes) { return body_.take(bytes); }
    [[nodiscard]] bool is_whole() const { return body_.is_done; }
    [[nodiscard]] bool ends_with_connection() const {
        return body_.body.kind == Body::Kind::UntilClose;
    }
    [[nodiscard]] bool holds_head() const { return !held_.empty(); }
    std::string take_held() { return std::exchange(held_, {}); }

    // No response is expected any more.
    void end() { phase_ = Phase::Idle; }

private:
    enum class Phase : std::uint8_t { Idle, Head, Body };

    Phase phase_ = Phase::Idle;
    std::string incomplete_;  // a head
    ResponseHead head_;
    std::string held_;
    Progress body_;
};

}  // namespace runtime::api_proxy

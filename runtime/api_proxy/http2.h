// A client's side of one unencrypted HTTP/2 connection, without the socket: the caller passes in
// received bytes, and sends the bytes that it returns. One request at a time; server push is
// disabled. Uses nghttp2.
// Source: RFC 9113.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct nghttp2_session;

namespace runtime::api_proxy {

class Http2Client {
public:
    // The response to the last request.
    struct Response {
        int status = 0;     // 0: no head yet
        std::string bytes;  // of the body; the reader removes them
        bool is_whole = false;
        bool is_broken = false;  // the server has aborted it
    };

    explicit Http2Client(std::string authority);
    ~Http2Client();
    Http2Client(const Http2Client&) = delete;
    Http2Client& operator=(const Http2Client&) = delete;

    // Starts a request and drops the previous one. If `has_body`, the body is what is passed to
    // `write`, until `end`.
    void request(std::string_view method, std::string_view path, bool has_body);
    void write(std::string_view bytes) { body_.append(bytes); }
    void end() { is_ended_ = true; }
    // Bytes of the body that the server has not accepted yet.
    [[nodiscard]] std::size_t waiting() const { return body_.size() - taken_; }
    // Bytes of the body in the frames that `take` has returned.
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

    // Returns false if the server does not speak HTTP/2, or violates the protocol.
    [[nodiscard]] bool receive(std::string_view bytes);
    std::string take();  // bytes to be sent now
    Response& response() { return response_; }

private:
    struct Calls;  // callbacks of nghttp2
    void pump();
    struct Free {
        void operator()(nghttp2_session* session) const;
    };

    std::string authority_;
    std::unique_ptr<nghttp2_session, Free> session_;
    std::int32_t stream_ = 0;
    Response response_;
    std::string out_;
    std::string body_;
    std::size_t taken_ = 0;  // of body_
    std::uint64_t sent_ = 0;
    bool is_ended_ = false;
    bool is_failed_ = false;
};

}  // namespace runtime::api_proxy

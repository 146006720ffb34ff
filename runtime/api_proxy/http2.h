// One connection to an HTTP/2 server in the clear, without its socket: what comes goes in, what is
// to be sent comes out (nghttp2). One request at a time; the server may push nothing.
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
    // Of the last request.
    struct Response {
        int status = 0;     // 0: no head yet
        std::string bytes;  // of the body; whoever reads takes them away
        bool is_whole = false;
        bool is_broken = false;  // the server has given it up
    };

    explicit Http2Client(std::string authority);
    ~Http2Client();
    Http2Client(const Http2Client&) = delete;
    Http2Client& operator=(const Http2Client&) = delete;

    // Forgets the last one. With a body: what `write` is given, until `end`.
    void request(std::string_view method, std::string_view path, bool has_body);
    void write(std::string_view bytes) { body_.append(bytes); }
    void end() { is_ended_ = true; }
    // What the server does not take yet.
    [[nodiscard]] std::size_t waiting() const { return body_.size() - taken_; }
    // Of the body, in frames that `take` has given.
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

    // False: the server does not speak HTTP/2, or not as it has to.
    [[nodiscard]] bool receive(std::string_view bytes);
    std::string take();  // what is to be sent now
    Response& response() { return response_; }

private:
    struct Calls;  // nghttp2's
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
    std::size_t taken_ = 0;  // of it
    std::uint64_t sent_ = 0;
    bool is_ended_ = false;
    bool is_failed_ = false;
};

}  // namespace runtime::api_proxy

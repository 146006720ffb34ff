// A non-blocking TCP connection, unencrypted or as a TLS client. It buffers only what TLS holds of
// one record. The reader decides how much more is buffered.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "runtime/base/ip_prefix.h"

struct ssl_st;
struct ssl_ctx_st;

namespace runtime::api_proxy {

struct Io {
    enum class State : std::uint8_t { Done, Again, End, Failed };
    State state = State::Done;
    std::size_t count = 0;
    // With Again: the socket has to become writable first, even for reading (TLS).
    bool needs_write = false;
};

// The settings of a TLS client: the trusted authorities, and the name that the server must have.
// Only for servers that speak HTTP/1.1.
class TlsClient {
public:
    // `authorities` is PEM. `host` is a name or an address that must be in the certificate.
    static renderer::Result<TlsClient> create(const std::string& authorities, std::string host);

private:
    friend class Stream;
    struct Free {
        void operator()(ssl_ctx_st* context) const;
    };
    std::unique_ptr<ssl_ctx_st, Free> context_;
    std::string host_;
};

class Stream {
public:
    Stream() = default;               // closed
    explicit Stream(int descriptor);  // takes ownership and makes it nonblocking
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream() { close(); }

    // Starts connecting. When the socket is writable, `finish_connect` returns the result.
    static Stream connect(const AddressPort& to);
    // Connects to a server on a Unix socket. The stream is closed if that fails, also if the
    // backlog of the server is full.
    static Stream connect_local(const std::string& path);
    [[nodiscard]] Io finish_connect();
    // Starts TLS on a connected socket. Call `shake_hands` until it is done.
    bool start_tls(const TlsClient& client);
    [[nodiscard]] Io shake_hands();

    [[nodiscard]] Io read(std::span<char> into);
    // Returns true if TLS has read more from the socket than `read` has returned. The socket does
    // not become readable for these bytes: call `read` until this is false, or until it returns
    // Again.
    [[nodiscard]] bool holds_more() const;
    [[nodiscard]] Io write(std::string_view bytes);
    // Ends the sending direction. The stream can still be read from.
    void end_sending();
    void close();

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }  // of the last failure

private:
    struct Free {
        void operator()(ssl_st* tls) const;
    };
    Io io_of(int result);  // the result of an OpenSSL call
    Io failed(std::string problem);

    int descriptor_ = -1;
    std::unique_ptr<ssl_st, Free> tls_;
    std::string problem_;
};

}  // namespace runtime::api_proxy

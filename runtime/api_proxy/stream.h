// A TCP connection whose calls never wait, in the clear or as a TLS client. Nothing is buffered
// here but what TLS holds of one record; whoever reads decides how much there may be.
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
    // Of Again: the socket has to take bytes first, also for reading (TLS).
    bool needs_write = false;
};

// Whom a TLS client trusts, and as whom it knows the server. Servers that speak HTTP/1.1 only.
class TlsClient {
public:
    // `authorities` in PEM. `host`: a name or an address, which the certificate must have.
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
    explicit Stream(int descriptor);  // takes it over; makes it nonblocking
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream() { close(); }

    // Begins to connect; `finish_connect` says how it went, once the socket can be written to.
    static Stream connect(const AddressPort& to);
    // To a server on a Unix socket; at once, or not at all.
    static Stream connect_local(const std::string& path);
    [[nodiscard]] Io finish_connect();
    // Of a connected socket; then `shake_hands` until it is done.
    bool start_tls(const TlsClient& client);
    [[nodiscard]] Io shake_hands();

    [[nodiscard]] Io read(std::span<char> into);
    // TLS has taken more from the socket than was read here, of which the socket does not tell any
    // more: whoever waits for it first reads until this is false, or Again.
    [[nodiscard]] bool holds_more() const;
    [[nodiscard]] Io write(std::string_view bytes);
    // The other end reads an end; it may still be read from.
    void end_sending();
    void close();

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }  // of the last failure

private:
    struct Free {
        void operator()(ssl_st* tls) const;
    };
    Io io_of(int result);  // of an OpenSSL call
    Io failed(std::string problem);

    int descriptor_ = -1;
    std::unique_ptr<ssl_st, Free> tls_;
    std::string problem_;
};

}  // namespace runtime::api_proxy

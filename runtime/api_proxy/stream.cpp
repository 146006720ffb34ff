#include "runtime/api_proxy/stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/base/keepalive.h"
#include "runtime/base/local_socket.h"

namespace runtime::api_proxy {

namespace {

struct FreeBio {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
};

renderer::Error no_tls(std::string_view what) {
    return {{.rule = "no-authorities",
             .message = fmt::format("cannot check the API server's certificate: {}", what)}};
}

// Errors of earlier calls would be reported for the next one. Usually there are none.
void forget_errors() {
    if (ERR_peek_error() != 0) {
        ERR_clear_error();
    }
}

std::string openssl_error() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason == nullptr ? "the connection broke" : reason;
}

// Makes the socket nonblocking, and sends small pieces at once.
void prepare(int descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    static_cast<void>(::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
    static_cast<void>(::fcntl(descriptor, F_SETFD, FD_CLOEXEC));
    const int yes = 1;
    static_cast<void>(::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
    keep_alive(descriptor);
}

int add_authorities(SSL_CTX* context, const std::string& text) {
    const std::unique_ptr<BIO, FreeBio> bio(
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    int count = 0;
    while (true) {
        const std::unique_ptr<X509, FreeCertificate> certificate(
            PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
        if (certificate == nullptr) {
            break;
        }
        count += X509_STORE_add_cert(store, certificate.get());
    }
    ERR_clear_error();
    return count;
}

}  // namespace

void TlsClient::Free::operator()(ssl_ctx_st* context) const {
    SSL_CTX_free(context);
}

void Stream::Free::operator()(ssl_st* tls) const {
    SSL_free(tls);
}

renderer::Result<TlsClient> TlsClient::create(const std::string& authorities, std::string host) {
    TlsClient out;
    out.host_ = std::move(host);
    out.context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX* context = out.context_.get();
    if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
        return no_tls(openssl_error());
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(context, 1);  // otherwise a record takes two reads
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    static constexpr unsigned char kHttp1[] = "\x08http/1.1";
    SSL_CTX_set_alpn_protos(context, kHttp1, sizeof kHttp1 - 1);
    if (add_authorities(context, authorities) == 0) {
        return no_tls("the file has no CA certificate");
    }
    return out;
}

Stream::Stream(int descriptor) : descriptor_(descriptor) {
    prepare(descriptor_);
}

Stream::Stream(Stream&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      tls_(std::move(other.tls_)),
      problem_(std::move(other.problem_)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    tls_ = std::move(other.tls_);
    problem_ = std::move(other.problem_);
    return *this;
}

Stream Stream::connect(const AddressPort& to) {
    const bool is_v6 = to.address.is_v6();
    const int descriptor = ::socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return {};
    }
    Stream out(descriptor);
    sockaddr_in v4 = {};
    sockaddr_in6 v6 = {};
    v4.sin_family = AF_INET;
    v6.sin6_family = AF_INET6;
    v4.sin_port = v6.sin6_port = htons(to.port);
    std::memcpy(is_v6 ? static_cast<void*>(&v6.sin6_addr) : static_cast<void*>(&v4.sin_addr),
                to.address.bytes().data(), to.address.bytes().size());
    const auto* address =
        is_v6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
    const socklen_t size = is_v6 ? sizeof v6 : sizeof v4;
    if (::connect(descriptor, address, size) != 0 && errno != EINPROGRESS) {
        return {};
    }
    return out;
}

Stream Stream::connect_local(const std::string& path) {
    const int descriptor = runtime::connect_local(path).release();
    return descriptor < 0 ? Stream() : Stream(descriptor);
}

Io Stream::failed(std::string problem) {
    problem_ = std::move(problem);
    return {.state = Io::State::Failed};
}

Io Stream::finish_connect() {
    int error = 0;
    socklen_t size = sizeof error;
    static_cast<void>(::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size));
    return error == 0 ? Io{} : failed(std::strerror(error));
}

bool Stream::start_tls(const TlsClient& client) {
    tls_.reset(SSL_new(client.context_.get()));
    if (tls_ == nullptr || SSL_set_fd(tls_.get(), descriptor_) != 1) {
        return false;
    }
    SSL_set_connect_state(tls_.get());
    X509_VERIFY_PARAM* wanted = SSL_get0_param(tls_.get());
    // Trusts every certificate in the file, even one that another authority has signed (as Go
    // does).
    static_cast<void>(X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_PARTIAL_CHAIN));
    if (IpAddress::parse(client.host_)) {
        return X509_VERIFY_PARAM_set1_ip_asc(wanted, client.host_.c_str()) == 1;
    }
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(wanted, client.host_.data(), client.host_.size()) == 1 &&
           SSL_set_tlsext_host_name(tls_.get(), client.host_.c_str()) == 1;
}

Io Stream::io_of(int result) {
    if (result > 0) {
        return {.count = static_cast<std::size_t>(result)};
    }
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return {.state = Io::State::Again};
        case SSL_ERROR_WANT_WRITE:
            return {.state = Io::State::Again, .needs_write = true};
        case SSL_ERROR_ZERO_RETURN:
            return {.state = Io::State::End};
        default:
            return failed(openssl_error());
    }
}

Io Stream::shake_hands() {
    forget_errors();
    Io io = io_of(SSL_do_handshake(tls_.get()));
    const long verified = SSL_get_verify_result(tls_.get());
    if (io.state == Io::State::Failed && verified != X509_V_OK) {
        problem_ = X509_verify_cert_error_string(verified);
    }
    return io;
}

Io Stream::read(std::span<char> into) {
    if (tls_ != nullptr) {
        forget_errors();
        return io_of(SSL_read(tls_.get(), into.data(), static_cast<int>(into.size())));
    }
    const ssize_t count = ::recv(descriptor_, into.data(), into.size(), 0);
    if (count > 0) {
        return {.count = static_cast<std::size_t>(count)};
    }
    if (count == 0) {
        return {.state = Io::State::End};
    }
    return errno == EAGAIN || errno == EINTR ? Io{.state = Io::State::Again}
                                             : failed(std::strerror(errno));
}

bool Stream::holds_more() const {
    return tls_ != nullptr && SSL_has_pending(tls_.get()) == 1;
}

Io Stream::write(std::string_view bytes) {
    if (tls_ != nullptr) {
        forget_errors();
        return io_of(SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())));
    }
    const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
        return {.count = static_cast<std::size_t>(count)};
    }
    return errno == EAGAIN || errno == EINTR ? Io{.state = Io::State::Again, .needs_write = true}
                                             : failed(std::strerror(errno));
}

void Stream::end_sending() {
    if (tls_ != nullptr) {
        forget_errors();
        static_cast<void>(SSL_shutdown(tls_.get()));
    } else {
        static_cast<void>(::shutdown(descriptor_, SHUT_WR));
    }
}

void Stream::close() {
    tls_.reset();
    if (descriptor_ >= 0) {
        ::close(std::exchange(descriptor_, -1));
    }
}

}  // namespace runtime::api_proxy

#include "runtime/nft/netlink_socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace runtime::nft {

namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 10;  // the kernel dumps 32 KiB at a time

// Calls `each` until it returns false.
template <typename Each>
void for_each_message(const char* bytes, std::size_t size, Each each) {
    const auto* message = reinterpret_cast<const nlmsghdr*>(bytes);
    while (NLMSG_OK(message, size)) {
        if (!each(*message)) {
            return;
        }
        message = NLMSG_NEXT(message, size);
    }
}

// Returns the errno of an NLMSG_ERROR or NLMSG_DONE; both begin with a negative errno or 0.
int error_of(const nlmsghdr& message) {
    int error = 0;
    if (message.nlmsg_len >= NLMSG_LENGTH(sizeof error)) {
        std::memcpy(&error, NLMSG_DATA(&message), sizeof error);
    }
    return error < 0 ? -error : 0;
}

}  // namespace

NetlinkSocket::~NetlinkSocket() {
    if (socket_ >= 0) {
        ::close(socket_);
    }
}

int NetlinkSocket::open() {
    socket_ = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (socket_ < 0) {
        return errno;
    }
    // Errors should not include the message that they refer to. Kernels before 4.3 do not have this
    // option, but have no NAT in inet tables either.
    const int on = 1;
    ::setsockopt(socket_, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
    sockaddr_nl any{};
    any.nl_family = AF_NETLINK;
    return ::bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 ? 0 : errno;
}

int NetlinkSocket::send(std::string_view bytes) {
    // A transaction is one datagram, so the buffer has to hold all of it. A process that may not
    // exceed the system's limit gets the limit.
    const int size = static_cast<int>(bytes.size() + kBuffer);
    if (::setsockopt(socket_, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0) {
        ::setsockopt(socket_, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    }
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    while (true) {
        const ssize_t sent = ::sendto(socket_, bytes.data(), bytes.size(), 0,
                                      reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel);
        if (sent >= 0 || errno != EINTR) {
            return sent >= 0 ? 0 : errno;
        }
    }
}

void NetlinkSocket::discard_answers() {
    char byte;
    while (::recv(socket_, &byte, sizeof byte, MSG_DONTWAIT) >= 0 || errno == ENOBUFS ||
           errno == EINTR) {
    }
}

int NetlinkSocket::request(std::string_view message,
                           const std::function<void(const nlmsghdr&)>& each) {
    discard_answers();  // left from a request that ended early
    if (const int code = send(message)) {
        return code;
    }
    const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
    bool was_interrupted = false, is_done = false;
    int code = 0;
    while (!is_done) {
        const ssize_t size = ::recv(socket_, buffer.get(), kBuffer, 0);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size < 0) {
            return errno;
        }
        for_each_message(buffer.get(), static_cast<std::size_t>(size), [&](const nlmsghdr& answer) {
            was_interrupted |= (answer.nlmsg_flags & NLM_F_DUMP_INTR) != 0;
            if (answer.nlmsg_type == NLMSG_ERROR || answer.nlmsg_type == NLMSG_DONE) {
                is_done = true;
                code = error_of(answer);
            } else {
                each(answer);
            }
            return !is_done;
        });
    }
    return code == 0 && was_interrupted ? EINTR : code;
}

int NetlinkSocket::transact(std::string_view messages, std::uint32_t& failed) {
    discard_answers();
    if (const int code = send(messages)) {
        return code;
    }
    // The kernel commits or aborts the transaction before the send returns, so all answers are
    // here.
    const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
    bool is_acknowledged = false;
    int refused = 0;
    while (true) {
        const ssize_t size = ::recv(socket_, buffer.get(), kBuffer, MSG_DONTWAIT);
        if (size < 0 && (errno == EINTR || errno == ENOBUFS)) {
            continue;
        }
        if (size < 0) {
            break;
        }
        for_each_message(buffer.get(), static_cast<std::size_t>(size), [&](const nlmsghdr& answer) {
            const int code = answer.nlmsg_type == NLMSG_ERROR ? error_of(answer) : 0;
            is_acknowledged |= answer.nlmsg_type == NLMSG_ERROR && code == 0;
            if (code != 0 && refused == 0) {
                refused = code;
                failed = answer.nlmsg_seq;
            }
            return true;
        });
    }
    return refused != 0 || is_acknowledged ? refused : ENOBUFS;
}

}  // namespace runtime::nft

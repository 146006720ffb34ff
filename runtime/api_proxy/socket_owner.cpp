#include "runtime/api_proxy/socket_owner.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "renderer/base/descriptor.h"
#include "runtime/base/local_socket.h"

namespace runtime::api_proxy {

namespace {

struct Question {
    nlmsghdr header;
    inet_diag_req_v2 request;
};

// Asks for the socket whose own address is `peer` and whose other end is `self`.
Question question_about(const sockaddr_in& peer, const sockaddr_in& self) {
    Question out = {};
    out.header.nlmsg_len = sizeof out;
    out.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    out.header.nlmsg_flags = NLM_F_REQUEST;
    out.request.sdiag_family = AF_INET;
    out.request.sdiag_protocol = IPPROTO_TCP;
    out.request.idiag_states = ~0U;
    out.request.id.idiag_sport = peer.sin_port;
    out.request.id.idiag_dport = self.sin_port;
    out.request.id.idiag_src[0] = peer.sin_addr.s_addr;
    out.request.id.idiag_dst[0] = self.sin_addr.s_addr;
    out.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    out.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return out;
}

std::optional<uid_t> read_answer(const char* bytes, std::size_t size, const Question& question) {
    nlmsghdr header = {};
    inet_diag_msg found = {};
    if (size < NLMSG_LENGTH(sizeof found)) {
        return std::nullopt;
    }
    std::memcpy(&header, bytes, sizeof header);
    std::memcpy(&found, bytes + NLMSG_HDRLEN, sizeof found);
    const inet_diag_sockid& asked = question.request.id;
    const bool is_it =
        header.nlmsg_type == SOCK_DIAG_BY_FAMILY && found.id.idiag_sport == asked.idiag_sport &&
        found.id.idiag_dport == asked.idiag_dport && found.id.idiag_src[0] == asked.idiag_src[0] &&
        found.id.idiag_dst[0] == asked.idiag_dst[0];
    // Without a matching connection the kernel returns a listening socket. An orphaned socket has
    // no inode, and user 0.
    if (!is_it || found.idiag_state != TCP_ESTABLISHED || found.idiag_inode == 0) {
        return std::nullopt;
    }
    return found.idiag_uid;
}

bool is_loopback(const sockaddr_in& address) {
    return address.sin_family == AF_INET && ntohl(address.sin_addr.s_addr) >> 24U == IN_LOOPBACKNET;
}

}  // namespace

std::optional<uid_t> owner_of_peer(int accepted) {
    sockaddr_in self = {};
    sockaddr_in peer = {};
    socklen_t size = sizeof self;
    if (::getsockname(accepted, reinterpret_cast<sockaddr*>(&self), &size) != 0) {
        return std::nullopt;
    }
    size = sizeof peer;
    if (::getpeername(accepted, reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
        !is_loopback(self) || !is_loopback(peer)) {
        return std::nullopt;
    }
    const renderer::Descriptor kernel(
        ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    const Question question = question_about(peer, self);
    // The kernel answers before send() returns.
    if (kernel.get() < 0 || ::send(kernel.get(), &question, sizeof question, 0) < 0) {
        return std::nullopt;
    }
    alignas(nlmsghdr) char answer[4096];
    const ssize_t count = ::recv(kernel.get(), answer, sizeof answer, MSG_DONTWAIT);
    return count < 0 ? std::nullopt
                     : read_answer(answer, static_cast<std::size_t>(count), question);
}

renderer::Result<uid_t> owner_of_listener(const std::string& path) {
    const auto failure = [&](int code) {
        return renderer::Error{{.rule = "no-tailscaled",
                                .where = path,
                                .message = fmt::format("cannot reach tailscaled at \"{}\": {}",
                                                       path, std::strerror(code))}};
    };
    const renderer::Descriptor local = connect_local(path);
    ucred owner = {};
    socklen_t size = sizeof owner;
    if (local.get() < 0 || ::getsockopt(local.get(), SOL_SOCKET, SO_PEERCRED, &owner, &size) != 0) {
        return failure(errno);
    }
    return owner.uid;
}

}  // namespace runtime::api_proxy

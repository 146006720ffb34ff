#include "runtime/nft/rule_watch.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "runtime/nft/refusal.h"

namespace runtime::nft {

RuleWatch::RuleWatch(Loop& loop, std::function<void()> changed)
    : loop_(loop), changed_(std::move(changed)) {}

RuleWatch::~RuleWatch() {
    if (socket_ >= 0) {
        loop_.watch(socket_, {}, {});
        ::close(socket_);
    }
}

renderer::Result<renderer::Unit> RuleWatch::start() {
    constexpr std::string_view kStep = "watch nftables rules for changes";
    socket_ = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_NETFILTER);
    if (socket_ < 0) {
        return refusal(kStep, errno);
    }
    sockaddr_nl any{};
    any.nl_family = AF_NETLINK;
    const int group = NFNLGRP_NFTABLES;
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
        ::setsockopt(socket_, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) != 0) {
        return refusal(kStep, errno);
    }
    loop_.watch(socket_, {.read = true}, [this](Interest) { drain(); });
    return renderer::Unit{};
}

// The notifications are discarded: a pass reads the live rules.
void RuleWatch::drain() {
    char byte;
    ssize_t size = 0;
    do {
        size = ::recv(socket_, &byte, sizeof byte, MSG_TRUNC);
    } while (size >= 0 || errno == EINTR || errno == ENOBUFS);
    changed_();
}

}  // namespace runtime::nft

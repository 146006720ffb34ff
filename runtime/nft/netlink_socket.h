// A netlink socket for netfilter: requests with all of their answers, and transactions. It does not
// use a library: libnftnl and libmnl (netlink.cpp) only build and parse messages.
#pragma once

#include <linux/netlink.h>

#include <cstdint>
#include <functional>
#include <string_view>

namespace runtime::nft {

// Results are errno values, or 0 for success.
class NetlinkSocket {
public:
    NetlinkSocket() = default;
    ~NetlinkSocket();
    NetlinkSocket(const NetlinkSocket&) = delete;
    NetlinkSocket& operator=(const NetlinkSocket&) = delete;

    int open();

    // Sends a message that requests an acknowledgement or a dump, and calls `each` for every
    // answer. EINTR: the rules changed during the dump. ENOBUFS: answers were lost. The caller has
    // to repeat the request after either.
    int request(std::string_view message, const std::function<void(const nlmsghdr&)>& each);

    // Sends a transaction. The last message inside its batch must request an acknowledgement.
    // `failed` is set to the sequence number of the message that was refused. ENOBUFS: the
    // transaction was sent, but its result was lost, so the caller has to read the rules.
    int transact(std::string_view messages, std::uint32_t& failed);

private:
    int send(std::string_view bytes);
    void discard_answers();

    int socket_ = -1;
};

}  // namespace runtime::nft

// Transport of netfilter's netlink: requests with all of their answers, and transactions. No
// library: libnftnl and libmnl (netlink.cpp) only build and read messages.
#pragma once

#include <linux/netlink.h>

#include <cstdint>
#include <functional>
#include <string_view>

namespace runtime::nft {

// Results are errno values, 0 for success.
class NetlinkSocket {
public:
    NetlinkSocket() = default;
    ~NetlinkSocket();
    NetlinkSocket(const NetlinkSocket&) = delete;
    NetlinkSocket& operator=(const NetlinkSocket&) = delete;

    int open();

    // Sends a message that asks for an acknowledgement or for a dump, and gives all answers to
    // `each`. EINTR: the kernel says that what it dumped changed meanwhile; ENOBUFS: answers were
    // lost. Both: ask again.
    int request(std::string_view message, const std::function<void(const nlmsghdr&)>& each);

    // Sends a transaction whose last message inside the batch asks for an acknowledgement. `failed`
    // is the sequence number of the message that was refused. ENOBUFS: sent, but what came of it
    // was lost; read and see.
    int transact(std::string_view messages, std::uint32_t& failed);

private:
    int send(std::string_view bytes);
    void discard_answers();

    int socket_ = -1;
};

}  // namespace runtime::nft

#include "runtime/nft/flow_table.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <libnetfilter_conntrack/libnetfilter_conntrack.h>
#include <netinet/in.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/nft/flows.h"
#include "runtime/nft/free.h"
#include "runtime/nft/refusal.h"

namespace runtime::nft {

namespace {

using Handle = std::unique_ptr<nfct_handle, Free<nfct_close>>;
using Conntrack = std::unique_ptr<nf_conntrack, Free<nfct_destroy>>;
using Addresses = std::unique_ptr<ifaddrs, Free<freeifaddrs>>;

// Appends the addresses of the interfaces of this namespace. Returns an errno value.
int local_addresses(std::vector<IpAddress>& found) {
    ifaddrs* first = nullptr;
    if (getifaddrs(&first) != 0) {
        return errno;
    }
    const Addresses all(first);
    for (const ifaddrs* one = all.get(); one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr) {
            continue;
        }
        std::optional<IpAddress> address;
        if (one->ifa_addr->sa_family == AF_INET) {
            const auto& v4 = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
            address = IpAddress::from_bytes({reinterpret_cast<const char*>(&v4), sizeof v4});
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            const auto& v6 = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
            address = IpAddress::from_bytes({reinterpret_cast<const char*>(&v6), sizeof v6});
        }
        if (address) {
            found.push_back(*address);
        }
    }
    return 0;
}

IpAddress address_of(const nf_conntrack* flow, nf_conntrack_attr v4, nf_conntrack_attr v6) {
    const bool is_v6 = nfct_get_attr_u8(flow, ATTR_L3PROTO) == AF_INET6;
    const auto* bytes = static_cast<const char*>(nfct_get_attr(flow, is_v6 ? v6 : v4));
    return *IpAddress::from_bytes({bytes, is_v6 ? std::size_t{16} : std::size_t{4}});
}

Flow flow_of(const nf_conntrack* from) {
    const std::uint8_t protocol = nfct_get_attr_u8(from, ATTR_L4PROTO);
    const bool has_ports = protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
    constexpr std::uint32_t kHeard = IPS_SEEN_REPLY;
    return {.protocol = protocol,
            .from = address_of(from, ATTR_ORIG_IPV4_SRC, ATTR_ORIG_IPV6_SRC),
            .to = address_of(from, ATTR_ORIG_IPV4_DST, ATTR_ORIG_IPV6_DST),
            .sent_to = address_of(from, ATTR_REPL_IPV4_SRC, ATTR_REPL_IPV6_SRC),
            .to_port =
                has_ports ? ntohs(nfct_get_attr_u16(from, ATTR_ORIG_PORT_DST)) : std::uint16_t{0},
            .sent_to_port =
                has_ports ? ntohs(nfct_get_attr_u16(from, ATTR_REPL_PORT_SRC)) : std::uint16_t{0},
            .established =
                protocol == IPPROTO_TCP && (nfct_get_attr_u32(from, ATTR_STATUS) & kHeard) != 0};
}

struct Search {
    const StaleFlows& stale;
    std::vector<Conntrack> found = {};
};

int collect(nf_conntrack_msg_type, nf_conntrack* flow, void* data) {
    auto& search = *static_cast<Search*>(data);
    const std::uint8_t family = nfct_get_attr_u8(flow, ATTR_L3PROTO);
    if ((family == AF_INET || family == AF_INET6) && search.stale.contains(flow_of(flow))) {
        search.found.emplace_back(nfct_clone(flow));
    }
    return NFCT_CB_CONTINUE;
}

}  // namespace

renderer::Result<std::size_t> remove_flows(const Forwarding& forwarding) {
    constexpr std::string_view kRead = "read the tracked connections";
    std::vector<IpAddress> local;
    if (const int code = local_addresses(local)) {
        return refusal("read the addresses of the interfaces", code);
    }
    const StaleFlows stale(forwarding, std::move(local));
    Search search{.stale = stale};
    const Handle handle(nfct_open(CONNTRACK, 0));
    if (handle == nullptr) {
        return refusal(kRead, errno);
    }
    nfct_callback_register(handle.get(), NFCT_T_ALL, collect, &search);
    for (const auto family : {std::uint32_t{AF_INET}, std::uint32_t{AF_INET6}}) {
        if (nfct_query(handle.get(), NFCT_Q_DUMP, &family) != 0) {
            return refusal(kRead, errno);
        }
    }
    nfct_callback_unregister(handle.get());
    std::size_t removed = 0;
    for (const Conntrack& flow : search.found) {
        if (nfct_query(handle.get(), NFCT_Q_DESTROY, flow.get()) == 0) {
            ++removed;
        } else if (errno != ENOENT) {  // it may have ended meanwhile
            return refusal("end the tracking of a connection", errno);
        }
    }
    return removed;
}

}  // namespace runtime::nft

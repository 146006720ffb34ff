#include "runtime/nft/refusal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace runtime::nft {

namespace {

renderer::Error error(std::string message, std::string_view hint) {
    return {renderer::Diagnostic{
        .rule = "nftables", .message = std::move(message), .hint = std::string(hint)}};
}

constexpr std::string_view kCapability =
    "give the container the capability NET_ADMIN, or run it privileged";

}  // namespace

renderer::Error refusal(std::string_view step, int code) {
    const std::string message = fmt::format("cannot {}: {}", step, std::strerror(code));
    switch (code) {
        case EPERM:
        case EACCES:
            return error(message, kCapability);
        case ERESTART:
        case EINTR:
            return error(fmt::format("cannot {}: rules changed meanwhile", step),
                         "it is retried automatically");
        case ENOBUFS:
            return error(fmt::format("cannot {}: the kernel's answer was lost", step),
                         "it is retried automatically");
        case ENOENT:
        case EOPNOTSUPP:
        case EAFNOSUPPORT:
            return error(message,
                         "the node needs Linux 5.6 or later with nf_tables_inet, nft_nat, nft_ct, "
                         "nft_numgen, "
                         "nft_rt and nft_exthdr");
        case EMSGSIZE:
            return error(message, "raise net.core.wmem_max on the node");
        default:
            return error(message, {});
    }
}

renderer::Error no_nftables(int code) {
    if (code == EPERM || code == EACCES) {
        return refusal("use nftables", code);
    }
    return error(fmt::format("the kernel has no nftables: {}", std::strerror(code)),
                 "the node needs Linux 5.6 or later with CONFIG_NF_TABLES; with an older kernel, "
                 "use the dataplane "
                 "containerboot in iptables mode");
}

}  // namespace runtime::nft

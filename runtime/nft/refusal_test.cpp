#include "runtime/nft/refusal.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace runtime::nft {
namespace {

std::string text(const renderer::Error& error) {
    return error.diagnostic.message + "; " + error.diagnostic.hint;
}

TEST(Refusal, NamesTheRemedy) {
    const std::string modules =
        "the node needs Linux 5.6 or later with nf_tables_inet, nft_nat, nft_ct, nft_numgen, "
        "nft_rt and "
        "nft_exthdr";
    struct Case {
        int code;
        std::string want;
    };
    const Case cases[] = {
        {EPERM,
         "cannot add map a: Operation not permitted; give the container the capability NET_ADMIN, "
         "or run it "
         "privileged"},
        {ENOENT, "cannot add map a: No such file or directory; " + modules},
        {EOPNOTSUPP, "cannot add map a: Operation not supported; " + modules},
        {EINTR, "cannot add map a: rules changed meanwhile; it is retried automatically"},
        {ERESTART, "cannot add map a: rules changed meanwhile; it is retried automatically"},
        {ENOBUFS, "cannot add map a: the kernel's answer was lost; it is retried automatically"},
        {EMSGSIZE, "cannot add map a: Message too long; raise net.core.wmem_max on the node"},
        {EINVAL, "cannot add map a: Invalid argument; "},
    };
    for (const Case& row : cases) {
        EXPECT_EQ(text(refusal("add map a", row.code)), row.want);
    }
}

TEST(Refusal, NamesAKernelWithoutNftables) {
    EXPECT_EQ(
        text(no_nftables(EPROTONOSUPPORT)),
        "the kernel has no nftables: Protocol not supported; the node needs Linux 5.6 or later "
        "with "
        "CONFIG_NF_TABLES; with an older kernel, use the dataplane containerboot in iptables mode");
    EXPECT_EQ(text(no_nftables(EPERM)),
              "cannot use nftables: Operation not permitted; give the container the capability "
              "NET_ADMIN, or "
              "run it privileged");
}

}  // namespace
}  // namespace runtime::nft

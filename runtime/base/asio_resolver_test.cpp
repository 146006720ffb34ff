#include "runtime/base/asio_resolver.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

Resolution resolved(const std::string& host) {
    AsioLoop loop;
    AsioResolver resolver(loop);
    Resolution found;
    int answers = 0;
    resolver.resolve(host, [&](Resolution resolution) {
        ++answers;
        found = std::move(resolution);
    });
    EXPECT_EQ(answers, 0) << "inside the call";
    loop.run();
    EXPECT_EQ(answers, 1);
    return found;
}

TEST(AsioResolver, SaysTheAddressesOfAName) {
    const Resolution found = resolved("localhost");
    ASSERT_FALSE(found.addresses.empty());
    for (const std::string& address : found.addresses) {
        EXPECT_TRUE(address.starts_with("127.")) << address;
    }
    EXPECT_EQ(found.problem, "");
}

TEST(AsioResolver, SaysWhyThereAreNoAddresses) {
    // The label is too long, which the system detects without asking a server.
    const Resolution found = resolved(std::string(64, 'a') + ".example");
    EXPECT_TRUE(found.addresses.empty());
    EXPECT_NE(found.problem, "");
}

TEST(AsioResolver, AnAnswerThatNoOneWaitsForIsDropped) {
    bool is_answered = false;
    {
        AsioLoop loop;
        AsioResolver resolver(loop);
        resolver.resolve("localhost", [&](const Resolution&) { is_answered = true; });
    }
    EXPECT_FALSE(is_answered);
}

}  // namespace
}  // namespace runtime::inline base

// The rules in a real kernel: in a network namespace of the test's own, beside nft(8).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "runtime/nft/desired.h"
#include "runtime/nft/netlink.h"
#include "runtime/nft/text.h"
#include "runtime/testing/random_forwarding.h"

namespace runtime::nft {
namespace {

// What the command prints; it must succeed.
std::string output_of(const std::string& command) {
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "re");
    std::string text;
    char buffer[4096];
    while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) {
        text.append(buffer, size);
    }
    EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
    return text;
}

std::string listing() {
    return output_of("nft list ruleset");
}

// As `nft -f` would: returns the listing.
std::string load(const std::string& text) {
    const std::string path = testing::TempDir() + "rules.nft";
    std::ofstream(path) << text;
    output_of("nft -f " + path);
    return listing();
}

class KernelTest : public testing::Test {
protected:
    // Each test has a namespace of its own.
    void SetUp() override {
        ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
        output_of("ip link set lo up");
        auto opened = open_kernel();
        ASSERT_TRUE(opened.has_value()) << opened.error().diagnostic.message;
        kernel = std::move(*opened);
    }

    // The live table becomes as wanted; the batch that did it.
    Batch apply(const Forwarding& forwarding) {
        auto live = kernel->read();
        EXPECT_TRUE(live.has_value()) << live.error().diagnostic.message;
        Batch batch = diff(live->table, desired(forwarding));
        auto applied = kernel->apply(batch, live->generation);
        EXPECT_TRUE(applied.has_value()) << applied.error().diagnostic.message << "\n" << dump(batch);
        return batch;
    }

    Ruleset live() {
        auto read = kernel->read();
        EXPECT_TRUE(read.has_value());
        EXPECT_TRUE(read->table.has_value());
        return *read->table;
    }

    std::unique_ptr<Dataplane> kernel;
};

TEST_F(KernelTest, TextAndBatchLeaveTheSameRules) {
    Chance chance(7);
    for (int i = 0; i < 20; ++i) {
        const Forwarding forwarding = random_forwarding(chance, 20);
        SCOPED_TRACE(dump(desired(forwarding)));
        output_of("nft flush ruleset");
        const Batch batch = apply(forwarding);
        EXPECT_EQ(live(), desired(forwarding));
        const std::string applied = listing();
        output_of("nft flush ruleset");
        EXPECT_EQ(load(dump(desired(forwarding))), applied);
        EXPECT_EQ(live(), desired(forwarding));
        output_of("nft flush ruleset");
        EXPECT_EQ(load(dump(batch)), applied);
        EXPECT_EQ(load("table inet tailrender\ndelete table inet tailrender\n" + applied), applied);
    }
}

// Whatever was there before, after each change the kernel holds what is wanted and nothing else.
TEST_F(KernelTest, RandomChangesLeaveExactlyTheExpectedRules) {
    const char* count = std::getenv("TAILRENDER_CHANGES");
    const int changes = count == nullptr ? 200 : std::atoi(count);
    Chance chance(11);
    Forwarding forwarding;
    for (int i = 0; i < changes; ++i) {
        change(forwarding, chance);
        const Ruleset wanted = desired(forwarding);
        const std::string text = dump(apply(forwarding));
        ASSERT_EQ(live(), wanted) << i << "\n" << text << dump(live());
    }
}

}  // namespace
}  // namespace runtime::nft

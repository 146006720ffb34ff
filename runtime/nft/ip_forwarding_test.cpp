#include "runtime/nft/ip_forwarding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/base/file.h"

namespace runtime::nft {
namespace {

class IpForwardingTest : public testing::Test {
protected:
    void SetUp() override {
        put("net/ipv4/ip_forward", "0");
        put("net/ipv6/conf/all/forwarding", "0");
        put("net/ipv6/conf/all/disable_ipv6", "0");
    }
    [[nodiscard]] std::string path(const std::string& sysctl) const {
        return root + "/proc/sys/" + sysctl;
    }
    void put(const std::string& sysctl, const char* value) {
        std::filesystem::create_directories(std::filesystem::path(path(sysctl)).parent_path());
        std::ofstream(path(sysctl)) << value << "\n";
    }
    std::string get(const std::string& sysctl) {
        auto value = read_trimmed(path(sysctl));
        return value ? *value : "absent";
    }

    const renderer::TemporaryFolder temporary;
    const std::string root = temporary.path();
};

TEST_F(IpForwardingTest, SwitchesOnWhatIsNeeded) {
    EXPECT_TRUE(enable_forwarding(root, {}).has_value());
    EXPECT_EQ(get("net/ipv4/ip_forward") + get("net/ipv6/conf/all/forwarding"), "00");
    EXPECT_TRUE(enable_forwarding(root, {.v4 = true}).has_value());
    EXPECT_EQ(get("net/ipv4/ip_forward") + get("net/ipv6/conf/all/forwarding"), "10");
    EXPECT_TRUE(enable_forwarding(root, {.v6 = true}).has_value());
    EXPECT_EQ(get("net/ipv4/ip_forward") + get("net/ipv6/conf/all/forwarding"), "11");
}

TEST_F(IpForwardingTest, NamesTheSysctlThatCannotBeSet) {
    std::filesystem::remove(path("net/ipv6/conf/all/forwarding"));
    auto result = enable_forwarding(root, {.v4 = true, .v6 = true});
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(
        result.error().diagnostic.message,
        "cannot read \"" + path("net/ipv6/conf/all/forwarding") + "\": No such file or directory");
    // A directory cannot be written to, even by root.
    std::filesystem::create_directory(path("net/ipv6/conf/all/forwarding"));
    EXPECT_FALSE(enable_forwarding(root, {.v6 = true}).has_value());
}

TEST_F(IpForwardingTest, KnowsWhetherIpv6IsThere) {
    EXPECT_TRUE(has_ipv6(root));
    put("net/ipv6/conf/all/disable_ipv6", "1");
    EXPECT_FALSE(has_ipv6(root));
    std::filesystem::remove(path("net/ipv6/conf/all/disable_ipv6"));
    EXPECT_FALSE(has_ipv6(root));
}

TEST(Families, AreThoseOfTheAddresses) {
    const auto dump = [](const std::vector<const char*>& texts) {
        std::vector<IpAddress> addresses;
        addresses.reserve(texts.size());
        for (const char* text : texts) {
            addresses.push_back(*IpAddress::parse(text));
        }
        const Families families = families_of(addresses);
        return std::string(families.v4 ? "4" : "") + (families.v6 ? "6" : "");
    };
    EXPECT_EQ(dump({}), "");
    EXPECT_EQ(dump({"10.0.0.1"}), "4");
    EXPECT_EQ(dump({"fd00::1", "fd00::2"}), "6");
    EXPECT_EQ(dump({"fd00::1", "10.0.0.1"}), "46");
}

}  // namespace
}  // namespace runtime::nft

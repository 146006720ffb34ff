#include "runtime/api_proxy/upstream.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/testing/fake_loop.h"

namespace runtime::api_proxy {
namespace {

class ScriptedResolver : public Resolver {
public:
    void resolve(const std::string& host, std::function<void(Resolution)> done) override {
        asked.push_back(host);
        done({.addresses = {"10.0.0.1", "none", "10.0.0.2"}});
    }
    std::vector<std::string> asked;
};

class UpstreamTest : public testing::Test {
protected:
    ~UpstreamTest() override { std::filesystem::remove(path); }

    void write(std::string_view text) { std::ofstream(path, std::ios::trunc) << text; }
    std::string token() {
        auto found = upstream.token();
        return found ? std::string(*found) : found.error().diagnostic.message;
    }
    std::string tls() {
        auto found = upstream.tls();
        return found ? "fine" : found.error().diagnostic.message;
    }
    std::string addresses_of(const std::string& host) {
        std::string out;
        Upstream(loop, resolver, {.host = host, .port = 6443, .ca_file = {}, .token_file = {}})
            .find_addresses([&](const std::vector<AddressPort>& found) {
                for (const AddressPort& one : found) {
                    out.append(one.address.text()).append(one.port == 6443 ? " " : "?");
                }
            });
        return out;
    }

    const renderer::TemporaryFolder folder;
    const std::string path = folder.path() + "/file";
    FakeLoop loop;
    ScriptedResolver resolver;
    Upstream upstream{loop, resolver, {"10.0.0.1", 443, path, path}};
};

TEST_F(UpstreamTest, ATokenIsReadAgainAfterASecond) {
    write("one\n");
    EXPECT_EQ(token(), "one");
    write("another");
    EXPECT_EQ(token(), "one");
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(token(), "another");
}

TEST_F(UpstreamTest, SaysWhyThereIsNoToken) {
    EXPECT_EQ(token(), "cannot read \"" + path + "\": No such file or directory");
    write("");
    EXPECT_EQ(token(), "there is no token in \"" + path + "\"");
    loop.run_for(std::chrono::seconds(1));
    write("a\r\nImpersonate-User: b");
    EXPECT_EQ(token(), "there is no token in \"" + path + "\"");
    std::filesystem::remove(path);
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(token(), "cannot read \"" + path + "\": No such file or directory");
}

TEST_F(UpstreamTest, WithoutAuthoritiesNoOneIsTrusted) {
    EXPECT_EQ(tls(), "cannot read \"" + path + "\": No such file or directory");
    write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    EXPECT_EQ(tls(), "cannot check the API server's certificate: the file has no CA certificate");
}

TEST_F(UpstreamTest, AnAddressIsNotLookedUp) {
    EXPECT_EQ(addresses_of("fd00::1"), "fd00::1 ");
    EXPECT_TRUE(resolver.asked.empty());
    EXPECT_EQ(addresses_of("kubernetes.default.svc"), "10.0.0.1 10.0.0.2 ");
}

}  // namespace
}  // namespace runtime::api_proxy

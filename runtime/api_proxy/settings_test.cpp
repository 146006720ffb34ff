#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "runtime/api_proxy/run.h"

namespace runtime::api_proxy {
namespace {

std::string shown_settings(const std::map<std::string, std::string>& variables) {
    auto settings = read_settings([&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
    if (!settings) {
        return settings.error().diagnostic.message;
    }
    return fmt::format(
        "{}:{} {} {} {} {}:{} {}:{} {}{}", settings->api_server.host, settings->api_server.port,
        settings->api_server.ca_file, settings->api_server.token_file, settings->socket,
        settings->listen.address.text(), settings->listen.port, settings->local.address.text(),
        settings->local.port, settings->grace.count(), settings->service);
}

TEST(ApiSettings, HaveDefaults) {
    const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount";
    EXPECT_EQ(shown_settings({{"APISERVER_PROXY", "true"}}),
              "kubernetes.default.svc:443 " + account + "/ca.crt " + account +
                  "/token /tmp/tailscaled.sock 127.0.0.2:8443 :::9002 25000");
    EXPECT_EQ(shown_settings({{"APISERVER_PROXY", "noauth"},
                              {"KUBERNETES_SERVICE_HOST", "fd00::1"},
                              {"KUBERNETES_SERVICE_PORT", "6443"},
                              {"TS_SOCKET", "/s"},
                              {"TS_LOCAL_ADDR_PORT", "10.0.0.1:1"},
                              {"TAILRENDER_API_LISTEN", "127.0.0.3:2"},
                              {"TAILRENDER_API_GRACE_SECONDS", "3"},
                              {"TAILRENDER_API_SERVICE", "svc:a"},
                              {"TS_TEST_ONLY_ROOT", "/r"}}),
              "fd00::1:6443 /r" + account + "/ca.crt  /s 127.0.0.3:2 10.0.0.1:1 3000svc:a");
}

TEST(ApiSettings, AreRefusedWithTheirName) {
    const auto with = [](const char* name, const char* value) {
        return shown_settings({{"APISERVER_PROXY", "true"}, {name, value}});
    };
    EXPECT_EQ(shown_settings({}), "invalid APISERVER_PROXY \"\" (want true or noauth)");
    EXPECT_EQ(shown_settings({{"APISERVER_PROXY", "yes"}}),
              "invalid APISERVER_PROXY \"yes\" (want true or noauth)");
    EXPECT_EQ(with("KUBERNETES_SERVICE_PORT", "65536"),
              "invalid KUBERNETES_SERVICE_PORT \"65536\" (want a number up to 65535)");
    EXPECT_EQ(with("TAILRENDER_API_GRACE_SECONDS", "1m"),
              "invalid TAILRENDER_API_GRACE_SECONDS \"1m\" (want a number up to 3600)");
    for (const char* service : {"kube", "svc:"}) {
        EXPECT_EQ(with("TAILRENDER_API_SERVICE", service),
                  fmt::format("invalid TAILRENDER_API_SERVICE \"{}\" (want svc:NAME)", service));
    }
    EXPECT_EQ(with("TS_LOCAL_ADDR_PORT", "x"),
              "invalid TS_LOCAL_ADDR_PORT \"x\" (want an address and a port)");
    EXPECT_EQ(with("TAILRENDER_API_UNRECORDED", "console"),
              "invalid TAILRENDER_API_UNRECORDED \"console\" (want RESOURCE/SUBRESOURCE, such as "
              "nodes/proxy, joined with \",\")");
    for (const char* address : {"0.0.0.0", "10.0.0.1", "[::1]", "127.0.0.1"}) {
        EXPECT_TRUE(with("TAILRENDER_API_LISTEN", (std::string(address) + ":1").c_str())
                        .starts_with("invalid TAILRENDER_API_LISTEN"))
            << address;
    }
}

}  // namespace
}  // namespace runtime::api_proxy

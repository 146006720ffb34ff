#include "renderer/generate/workload/proxy_config.h"

#include <gtest/gtest.h>

namespace renderer::generate {
namespace {

plan::Workload workload(std::string server_url = "") {
    plan::Workload workload;
    workload.name = "ts-web-x";
    workload.hostnames = {"web"};
    workload.server_url = std::move(server_url);
    return workload;
}

plan::ProxyPlan proxy() {
    plan::ProxyPlan proxy;
    proxy.handlers = {{"/", "http://10.0.0.7:8080/"}};
    return proxy;
}

TEST(TailscaledConfig, IsTheReferencesByteForByte) {
    EXPECT_EQ(
        tailscaled_config(workload(), proxy(), 0, true),
        R"({"Version":"alpha0","Locked":false,"AuthKey":"file:/etc/tsauth/ts-web-x-0/authkey",)"
        R"("Hostname":"web","acceptDNS":false,"acceptRoutes":false,)"
        R"("AppConnector":{"Advertise":false},"NoStatefulFiltering":true})");
    EXPECT_EQ(
        tailscaled_config(workload("https://hs.lan"), proxy(), 0, false),
        R"({"Version":"alpha0","Locked":false,"ServerURL":"https://hs.lan",)"
        R"("AuthKey":"file:/etc/tsauth/ts-web-x-0/authkey","Hostname":"web","acceptDNS":false,)"
        R"("acceptRoutes":false,"NoStatefulFiltering":true})");
}

TEST(ServeConfig, HasOneHandlerForEachPath) {
    EXPECT_EQ(serve_config(proxy()),
              R"({"TCP":{"443":{"HTTPS":true}},"Web":{"${TS_CERT_DOMAIN}:443":{"Handlers":)"
              R"({"/":{"Proxy":"http://10.0.0.7:8080/"}}}}})");
}

TEST(ServeConfig, WithFunnelAndRedirect) {
    plan::ProxyPlan both = proxy();
    both.handlers.push_back({"/a<b>&c", "https+insecure://10.0.0.8:8443/a<b>&c"});
    both.funnel = true;
    EXPECT_EQ(serve_config(both),
              R"({"TCP":{"443":{"HTTPS":true}},"Web":{"${TS_CERT_DOMAIN}:443":{"Handlers":)"
              R"({"/":{"Proxy":"http://10.0.0.7:8080/"},"/a\u003cb\u003e\u0026c":)"
              R"({"Proxy":"https+insecure://10.0.0.8:8443/a\u003cb\u003e\u0026c"}}}},)"
              R"("AllowFunnel":{"${TS_CERT_DOMAIN}:443":true}})");
    both.handlers.pop_back();
    both.http_redirect = true;
    EXPECT_EQ(serve_config(both),
              R"({"TCP":{"443":{"HTTPS":true},"80":{"HTTP":true}},"Web":{"${TS_CERT_DOMAIN}:443":)"
              R"({"Handlers":{"/":{"Proxy":"http://10.0.0.7:8080/"}}},"${TS_CERT_DOMAIN}:80":)"
              R"({"Handlers":{"/":{"Redirect":"301:https://${HOST}${REQUEST_URI}"}}}},)"
              R"("AllowFunnel":{"${TS_CERT_DOMAIN}:443":true,"${TS_CERT_DOMAIN}:80":true}})");
}

// The hashes are the SHA-256 of {"acceptDNS":false,"NoStatefulFiltering":true}, without and with a
// ServerURL before it.
TEST(ConfigHash, CoversOnlyWhatAReloadDoesNotChange) {
    const Value fixed = Value::map({{"acceptDNS", false}, {"NoStatefulFiltering", true}});
    EXPECT_EQ(config_hash(workload(), fixed), "4d8a16579df9dcbc");
    EXPECT_EQ(config_hash(workload("https://headscale.example.org"), fixed), "7af915cc49a71c64");
    plan::Workload renamed = workload();
    renamed.hostnames = {"other"};
    EXPECT_EQ(config_hash(renamed, fixed), config_hash(workload(), fixed));
}

}  // namespace
}  // namespace renderer::generate

#include "runtime/controller/settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "renderer/base/temporary_folder_testing.h"

namespace runtime::controller {
namespace {

using Variables = std::map<std::string, std::string>;

Variables usual() {
    return {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
            {"KUBERNETES_SERVICE_PORT", "443"},
            {"OPERATOR_NAMESPACE", "tailscale"},
            {"CLIENT_ID_FILE", "/oauth/client_id"},
            {"CLIENT_SECRET_FILE", "/oauth/client_secret"},
            {"POD_NAME", "operator-x"},
            {"POD_UID", "u1"}};
}

renderer::Result<ProcessSettings> read(const Variables& variables) {
    return read_settings([&variables](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
    });
}

TEST(Settings, OfTheDeployment) {
    const auto settings = read(usual());
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->kube.server, "https://10.96.0.1:443");
    EXPECT_EQ(settings->kube.token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
    EXPECT_EQ(settings->controller.ns, "tailscale");
    EXPECT_EQ(settings->controller.cleanup_delay, std::chrono::minutes(5));
    EXPECT_EQ(settings->controller.tailnet.server, "https://api.tailscale.com");
    EXPECT_EQ(settings->controller.tailnet.token_server, "https://controlplane.tailscale.com");
    EXPECT_EQ(settings->controller.ingress_class, "tailscale");
    EXPECT_EQ(settings->identity, "operator-x_u1");
}

// They are the tags of the operator's own device, and of proxies without tags; each rendered proxy
// has its own.
TEST(Settings, TagsOfTheOperatorAreNotRead) {
    Variables variables = usual();
    std::set<std::string> asked;
    for (const std::string name : {"OPERATOR_INITIAL_TAGS", "PROXY_TAGS"}) {
        variables[name] = "tag:k8s-operator";
    }
    const auto settings = read_settings([&](const char* name) -> std::optional<std::string> {
        asked.insert(name);
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->controller.take_over_tag, "");
    EXPECT_FALSE(asked.contains("OPERATOR_INITIAL_TAGS"));
    EXPECT_FALSE(asked.contains("PROXY_TAGS"));
}

TEST(Settings, CredentialsNameTheirPlace) {
    Variables variables = usual();
    const renderer::TemporaryFolder temporary;
    const std::string folder = temporary.path() + "/";
    for (const auto& [variable, name] : {std::pair{"CLIENT_ID_FILE", "client_id"},
                                         std::pair{"CLIENT_SECRET_FILE", "client_secret"}}) {
        std::ofstream(folder + name) << "k1";
        variables[variable] = folder + name;
    }
    tailnet::TokenRequest got;
    read(variables)->controller.tailnet.credentials(
        [&got](const renderer::Result<tailnet::TokenRequest>& request) { got = *request; });
    EXPECT_EQ(got.client, "k1");
    EXPECT_EQ(got.place, "\"" + folder + "client_id\" and \"" + folder +
                             "client_secret\" (Secret \"tailscale/operator-oauth\", unless another "
                             "volume is mounted there)");
}

TEST(Settings, AnotherIngressClass) {
    Variables variables = usual();
    variables["OPERATOR_INGRESS_CLASS_NAME"] = "tailnet";
    EXPECT_EQ(read(variables)->controller.ingress_class, "tailnet");
}

TEST(Settings, IPv6AndALoginServer) {
    Variables variables = usual();
    variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
    variables["OPERATOR_LOGIN_SERVER"] = "https://login.example.com/";
    const auto settings = read(variables);
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->kube.server, "https://[fd00::1]:443");
    EXPECT_EQ(settings->controller.tailnet.server, "https://login.example.com");
    EXPECT_EQ(settings->controller.tailnet.token_server, "https://login.example.com");
}

TEST(Settings, TailscalesOwnServerHasItsApiElsewhere) {
    for (const char* own : {"", "https://controlplane.tailscale.com"}) {
        Variables variables = usual();
        variables["OPERATOR_LOGIN_SERVER"] = own;
        const auto settings = read(variables);
        ASSERT_TRUE(settings.has_value());
        EXPECT_EQ(settings->controller.tailnet.server, "https://api.tailscale.com");
        EXPECT_EQ(settings->controller.tailnet.token_server, "https://controlplane.tailscale.com");
    }
}

TEST(Settings, AnInvalidLoginServerIsRefused) {
    Variables variables = usual();
    variables["OPERATOR_LOGIN_SERVER"] = "ftp://login.example.com";
    auto settings = read(variables);
    ASSERT_FALSE(settings.has_value());
    EXPECT_EQ(settings.error().diagnostic.message, "invalid OPERATOR_LOGIN_SERVER");
    EXPECT_EQ(settings.error().diagnostic.found, "\"ftp://login.example.com\"");
    EXPECT_EQ(settings.error().diagnostic.expected, "http://HOST[:PORT] or https://HOST[:PORT]");
}

TEST(Settings, WhatIsMissingIsNamed) {
    const std::pair<const char*, const char*> cases[] = {
        {"KUBERNETES_SERVICE_HOST", "environment variable \"KUBERNETES_SERVICE_HOST\" is not set"},
        {"KUBERNETES_SERVICE_PORT", "environment variable \"KUBERNETES_SERVICE_PORT\" is not set"},
        {"OPERATOR_NAMESPACE", "environment variable \"OPERATOR_NAMESPACE\" is not set"},
        {"CLIENT_ID_FILE", "environment variable \"CLIENT_ID_FILE\" is not set"},
        {"CLIENT_SECRET_FILE", "environment variable \"CLIENT_SECRET_FILE\" is not set"}};
    for (const auto& [name, message] : cases) {
        Variables variables = usual();
        variables.erase(name);
        auto settings = read(variables);
        ASSERT_FALSE(settings.has_value()) << name;
        EXPECT_EQ(settings.error().diagnostic.message, message);
    }
}

TEST(Settings, HowToLog) {
    Variables variables = usual();
    EXPECT_EQ(read(variables)->log_level, LogLevel::Info);
    EXPECT_EQ(read(variables)->log_form, Log::Form::Json);
    variables["OPERATOR_LOGGING"] = "debug";
    EXPECT_EQ(read(variables)->log_level, LogLevel::Debug);
    EXPECT_EQ(read(variables)->log_form, Log::Form::Json);
    variables["OPERATOR_LOGGING"] = "dev";
    EXPECT_EQ(read(variables)->log_level, LogLevel::Debug);
    EXPECT_EQ(read(variables)->log_form, Log::Form::Text);
    EXPECT_EQ(read(variables)->unknown_logging, "");
    variables["OPERATOR_LOGGING"] = "banana";
    EXPECT_EQ(read(variables)->unknown_logging, "banana");
    EXPECT_EQ(read(variables)->log_level, LogLevel::Info);
}

TEST(Settings, AnInvalidDelayIsRefused) {
    Variables variables = usual();
    variables["CLEANUP_DELAY_SECONDS"] = "5m";
    auto settings = read(variables);
    ASSERT_FALSE(settings.has_value());
    EXPECT_EQ(settings.error().diagnostic.message, "invalid CLEANUP_DELAY_SECONDS");
    EXPECT_EQ(settings.error().diagnostic.found, "\"5m\"");
}

TEST(Settings, AnInvalidTagIsRefused) {
    Variables variables = usual();
    EXPECT_EQ(read(variables)->controller.take_over_tag, "");
    variables["TAKE_OVER_TAG"] = "tag:one";
    EXPECT_EQ(read(variables)->controller.take_over_tag, "tag:one");
    for (const char* wrong : {"", "one", "tag:"}) {
        variables["TAKE_OVER_TAG"] = wrong;
        auto settings = read(variables);
        ASSERT_FALSE(settings.has_value()) << wrong;
        EXPECT_EQ(settings.error().diagnostic.message, "invalid TAKE_OVER_TAG");
        EXPECT_EQ(settings.error().diagnostic.found, "\"" + std::string(wrong) + "\"");
    }
}

TEST(Settings, TheApiProxyMayHaveANamespaceOfItsOwn) {
    Variables variables = usual();
    EXPECT_EQ(read(variables)->controller.api_ns, "");
    variables["API_PROXY_NAMESPACE"] = "tailscale-api";
    EXPECT_EQ(read(variables)->controller.api_ns, "tailscale-api");
    variables["API_PROXY_NAMESPACE"] = variables["OPERATOR_NAMESPACE"];
    EXPECT_EQ(read(variables)->controller.api_ns, "");
    for (const char* wrong : {"", "a/b", "Api"}) {
        variables["API_PROXY_NAMESPACE"] = wrong;
        auto settings = read(variables);
        ASSERT_FALSE(settings.has_value()) << wrong;
        EXPECT_EQ(settings.error().diagnostic.message, "invalid API_PROXY_NAMESPACE");
        EXPECT_EQ(settings.error().diagnostic.found, "\"" + std::string(wrong) + "\"");
    }
}

}  // namespace
}  // namespace runtime::controller

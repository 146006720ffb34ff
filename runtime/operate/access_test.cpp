#include "runtime/operate/access.h"

#include <gtest/gtest.h>

#include <map>

namespace runtime {
namespace {

constexpr const char* kConfig = R"(apiVersion: v1
kind: Config
current-context: home
contexts:
- {name: home, context: {cluster: c, user: token}}
- {name: certificate, context: {cluster: c, user: certificate}}
- {name: exec, context: {cluster: c, user: exec}}
- {name: careless, context: {cluster: careless, user: token}}
- {name: nobody, context: {cluster: c, user: nobody}}
- {name: broken, context: {cluster: c, user: broken}}
clusters:
- {name: c, cluster: {server: "https://10.0.0.1:6443/", certificate-authority-data: Q0E=}}
- {name: careless, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: true}}
users:
- {name: token, user: {token: t0ken}}
- {name: certificate, user: {client-certificate-data: Q1JU, client-key-data: S0VZ}}
- {name: exec, user: {exec: {command: aws}}}
- {name: broken, user: {client-key-data: "*"}}
)";

std::string refusal(const std::string& context) {
    auto access = read_kubeconfig("/home/k/config", kConfig, context);
    EXPECT_FALSE(access.has_value()) << context;
    return access ? "" : access.error().diagnostic.message;
}

TEST(Access, ReadsTokensAndCertificates) {
    const auto token = read_kubeconfig("config", kConfig, "");
    ASSERT_TRUE(token.has_value());
    EXPECT_EQ(token->server, "https://10.0.0.1:6443");
    EXPECT_EQ(token->token, "t0ken");
    EXPECT_EQ(token->identity.authorities, "CA");
    const auto certificate = read_kubeconfig("config", kConfig, "certificate");
    ASSERT_TRUE(certificate.has_value());
    EXPECT_EQ(certificate->identity.certificate, "CRT");
    EXPECT_EQ(certificate->identity.key, "KEY");
    EXPECT_EQ(certificate->token, "");
}

TEST(Access, RefusesWhatItWouldIgnore) {
    EXPECT_EQ(refusal("exec"), "/home/k/config: \"exec\" is not supported");
    EXPECT_EQ(refusal("careless"), "/home/k/config: \"insecure-skip-tls-verify\" is not supported");
    EXPECT_EQ(refusal("away"), "/home/k/config: has no context \"away\"");
    EXPECT_EQ(refusal("nobody"),
              "/home/k/config: context \"nobody\" names a cluster or a user that is not there");
    EXPECT_EQ(refusal("broken"), "/home/k/config: client-key-data is not base64");
    auto exec = read_kubeconfig("config", kConfig, "exec");
    EXPECT_EQ(exec.error().diagnostic.hint,
              "run `kubectl proxy` beside it, and give --server http://127.0.0.1:8001");
    auto text = read_kubeconfig("config", "- no", "");
    ASSERT_FALSE(text.has_value());
    EXPECT_EQ(text.error().diagnostic.message, "config: is not a kubeconfig");
    auto homeless = read_kubeconfig(
        "config",
        "{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], "
        "clusters: [{name: c, cluster: {}}], users: [{name: u, user: {}}]}",
        "");
    ASSERT_FALSE(homeless.has_value());
    EXPECT_EQ(homeless.error().diagnostic.message, "config: its cluster has no server");
}

TEST(Access, NeverShowsWhatStandsInABrokenKubeconfig) {
    auto twice = read_kubeconfig(
        "config", "users:\n- name: u\n  user:\n    token: canary\n    token: canary\n", "");
    ASSERT_FALSE(twice.has_value());
    EXPECT_EQ(twice.error().diagnostic.message, "config: is not a kubeconfig");
    EXPECT_EQ(twice.error().diagnostic.hint, "config:5:5: duplicate-key");
    auto tag = read_kubeconfig("config", "a: 1\nid-token: !canary x\nclient-key-data: @\n", "");
    ASSERT_FALSE(tag.has_value());
    EXPECT_EQ(tag.error().diagnostic.hint.find("canary"), std::string::npos)
        << tag.error().diagnostic.hint;
}

TEST(Access, LooksWhereKubectlLooks) {
    std::map<std::string, std::string> variables;
    const Environment environment = [&variables](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    EXPECT_EQ(find_access({.server = "http://127.0.0.1:8001"}, environment)->server,
              "http://127.0.0.1:8001");
    auto none = find_access({}, environment);
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().diagnostic.message, "no cluster is named");
    variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
    EXPECT_EQ(find_access({}, environment)->server, "https://[fd00::1]:443");
    variables["KUBECONFIG"] = "a:b";
    auto several = find_access({}, environment);
    ASSERT_FALSE(several.has_value());
    EXPECT_EQ(several.error().diagnostic.message, "KUBECONFIG: names several files");
}

}  // namespace
}  // namespace runtime

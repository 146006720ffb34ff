#include "runtime/operate/access.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace runtime::operate {
namespace {

constexpr const char* kConfig = R"(apiVersion: v1
kind: Config
current-context: home
contexts:
- {name: home, context: {cluster: c, user: token}}
- {name: certificate, context: {cluster: c, user: certificate}}
- {name: exec, context: {cluster: c, user: exec}}
- {name: careless, context: {cluster: careless, user: token}}
- {name: unknown, context: {cluster: c, user: unknown}}
- {name: broken, context: {cluster: c, user: broken}}
- {name: nowhere, context: {cluster: nowhere, user: token}}
- {name: text, context: {cluster: text, user: token}}
- {name: lost, context: {cluster: lost, user: token}}
- {name: plain, context: {cluster: plain, user: token}}
clusters:
- {name: c, cluster: {server: "https://10.0.0.1:6443/", certificate-authority-data: LS0tLS1CRUdJTiBDQQ==}}
- {name: careless, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: true}}
- {name: text, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: Q0E=}}
- {name: lost, cluster: {server: "https://10.0.0.1:6443", certificate-authority: /nowhere/ca.crt}}
- {name: plain, cluster: {server: "10.0.0.1:6443"}}
users:
- {name: token, user: {token: t0ken}}
- {name: certificate, user: {client-certificate-data: LS0tLS1CRUdJTiBDUlQ=, client-key-data: LS0tLS1CRUdJTiBLRVk=}}
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
    EXPECT_EQ(token->identity.authorities, "-----BEGIN CA");
    const auto certificate = read_kubeconfig("config", kConfig, "certificate");
    ASSERT_TRUE(certificate.has_value());
    EXPECT_EQ(certificate->identity.certificate, "-----BEGIN CRT");
    EXPECT_EQ(certificate->identity.key, "-----BEGIN KEY");
    EXPECT_EQ(certificate->token, "");
}

TEST(Access, RefusesWhatItWouldIgnore) {
    const std::pair<const char*, const char*> cases[] = {
        {"exec", ":24:29: \"exec\" is not supported"},
        {"careless", ":17:89: \"insecure-skip-tls-verify\" is not supported"},
        {"away", ": has no context \"away\""},
        {"unknown", ":9:47: the context refers to user \"unknown\", which does not exist"},
        {"nowhere", ":11:38: the context refers to cluster \"nowhere\", which does not exist"},
        {"broken", ":25:42: client-key-data is not base64"},
        {"text", ":18:87: certificate-authority is not PEM"},
        {"lost",
         ":19:82: certificate-authority: cannot read \"/nowhere/ca.crt\": No such file or "
         "directory"},
        {"plain", ":20:35: server is not a URL"}};
    for (const auto& [context, message] : cases) {
        EXPECT_EQ(refusal(context), std::string("/home/k/config") + message);
    }
    const auto hint = [](const char* context, const char* text = kConfig) {
        auto access = read_kubeconfig("config", text, context);
        return access ? "" : access.error().diagnostic.hint;
    };
    EXPECT_EQ(hint("exec"),
              "run `kubectl proxy` beside it, and use --server http://127.0.0.1:8001");
    EXPECT_TRUE(hint("away").starts_with("use --context NAME, one of home, certificate, exec, "));
    EXPECT_EQ(hint("plain"), "it has the form http://HOST[:PORT] or https://HOST[:PORT]");
    EXPECT_EQ(hint("", "kind: Config\n"), "it has no contexts");
    auto unset = read_kubeconfig("config", "contexts: [{name: a, context: {}}]", "");
    ASSERT_FALSE(unset.has_value());
    EXPECT_EQ(unset.error().diagnostic.message, "config: has no current-context");
    EXPECT_EQ(unset.error().diagnostic.hint, "use --context NAME, one of a");
    auto text = read_kubeconfig("config", "- no", "");
    ASSERT_FALSE(text.has_value());
    EXPECT_EQ(text.error().diagnostic.message, "config: is not a kubeconfig");
    auto homeless = read_kubeconfig(
        "config",
        "{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], "
        "clusters: [{name: c, cluster: {}}], users: [{name: u, user: {}}]}",
        "");
    ASSERT_FALSE(homeless.has_value());
    EXPECT_EQ(homeless.error().diagnostic.message, "config:1:107: its cluster has no server");
}

TEST(Access, NeverShowsTheContentOfABrokenKubeconfig) {
    auto twice = read_kubeconfig(
        "config", "users:\n- name: u\n  user:\n    token: canary\n    token: canary\n", "");
    ASSERT_FALSE(twice.has_value());
    EXPECT_EQ(twice.error().diagnostic.message, "config:5:5: cannot be read [duplicate-key]");
    EXPECT_EQ(twice.error().diagnostic.hint, "the line is not shown: it may contain a credential");
    auto tag = read_kubeconfig("config", "a: 1\nid-token: !canary x\nclient-key-data: @\n", "");
    ASSERT_FALSE(tag.has_value());
    EXPECT_EQ(tag.error().diagnostic.message.find("canary"), std::string::npos)
        << tag.error().diagnostic.message;
}

TEST(Access, LooksWhereKubectlLooks) {
    std::map<std::string, std::string> variables;
    const controller::Environment environment = [&variables](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    EXPECT_EQ(find_access({.server = "http://127.0.0.1:8001"}, environment)->server,
              "http://127.0.0.1:8001");
    auto none = find_access({}, environment);
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().diagnostic.message, "no cluster given");
    variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
    EXPECT_EQ(find_access({}, environment)->server, "https://[fd00::1]:443");
    variables["KUBECONFIG"] = "a:b";
    auto several = find_access({}, environment);
    ASSERT_FALSE(several.has_value());
    EXPECT_EQ(several.error().diagnostic.message, "KUBECONFIG: lists several files");
    EXPECT_EQ(several.error().diagnostic.hint,
              "merge them with `kubectl config view --minify --flatten > FILE`, then use "
              "--kubeconfig FILE");
    variables["KUBECONFIG"] = ":/nowhere/config:";
    auto one = find_access({}, environment);
    ASSERT_FALSE(one.has_value());
    EXPECT_EQ(one.error().diagnostic.where, "/nowhere/config") << "empty entries are ignored";
    variables["KUBECONFIG"] = ":";
    EXPECT_EQ(find_access({}, environment)->server, "https://[fd00::1]:443");
}

}  // namespace
}  // namespace runtime::operate

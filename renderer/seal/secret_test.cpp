#include "renderer/seal/secret.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "renderer/base/base64.h"
#include "renderer/core/source_map.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"

namespace renderer::seal {
namespace {

std::string file(const std::string& name) {
    std::ifstream in(std::string(TESTDATA) + "/seal/" + name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

SealingCertificate certificate() {
    return std::move(*SealingCertificate::parse(file("sealing.pem"), "sealing.pem"));
}

struct Read {
    std::optional<PlainSecret> secret;
    std::string messages;
};

Read read(std::string text) {
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("secret.yaml", std::move(text));
    const Value root = read_yaml(sources, source, diagnostics);
    Read result;
    result.secret = read_secret(root, diagnostics);
    result.messages = diagnostics.print(sources, false);
    return result;
}

constexpr const char* kHead =
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: apps\n";

TEST(Certificate, SealsWithAFreshKeyEachTime) {
    const SealingCertificate sealing = certificate();
    const std::string sealed = sealing.seal("text", "n/s");
    EXPECT_EQ(sealed.size(), 2U + 256U + 4U + 16U);  // size, RSA 2048, text, GCM tag
    EXPECT_EQ(sealed.substr(0, 2), std::string("\1\0", 2));
    EXPECT_NE(sealing.seal("text", "n/s"), sealed);
    EXPECT_EQ(sealing.seal("", "").size(), 2U + 256U + 16U);
}

TEST(Certificate, RefusesWhatCannotSeal) {
    const struct {
        std::string name, message, found;
    } rows[] = {
        {"expired.pem", "the certificate has expired", "valid until Jan  2 00:00:00 2020 GMT"},
        {"ec.pem", "the certificate's key is not RSA", "a key of another kind"},
        {"missing.pem", "cannot read the certificate", "no PEM block \"CERTIFICATE\""}};
    for (const auto& row : rows) {
        auto result = SealingCertificate::parse(file(row.name), row.name);
        ASSERT_FALSE(result.has_value()) << row.name;
        EXPECT_EQ(result.error().diagnostic.message, row.message);
        EXPECT_EQ(result.error().diagnostic.found, row.found);
        EXPECT_EQ(result.error().diagnostic.where, row.name);
    }
    auto result = SealingCertificate::parse("-----BEGIN PRIVATE KEY-----\n", "key.pem");
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().diagnostic.found,
              "a private key, which only the controller should have");
}

TEST(Secret, TakesPlainTextOverBase64) {
    const Read result =
        read(std::string(kHead) + "data: {a: b25l, b: AAE=}\nstringData: {a: two}\n");
    ASSERT_TRUE(result.secret) << result.messages;
    EXPECT_EQ(result.secret->data,
              (std::map<std::string, std::string>{{"a", "two"}, {"b", std::string("\0\1", 2)}}));
    EXPECT_EQ(result.secret->type, "Opaque");
    EXPECT_FALSE(result.secret->immutable);
}

TEST(Secret, KeepsMetadataInTheTemplateButNoCopyOfItself) {
    const Read result = read(R"(apiVersion: v1
kind: Secret
type: kubernetes.io/tls
immutable: true
metadata:
  name: s
  namespace: apps
  uid: 1-2
  labels: {app: web}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"a":"b25l"}}'
    sealedsecrets.bitnami.com/namespace-wide: "true"
    team: blue
data: {a: b25l}
)");
    ASSERT_TRUE(result.secret) << result.messages;
    EXPECT_EQ(scope_of(*result.secret), SealScope::NamespaceWide);
    Value sealed = seal_secret(*result.secret, SealScope::ClusterWide, certificate());
    Value* encrypted = sealed.find("spec")->find("encryptedData");
    const auto bytes = decode_base64(encrypted->find("a")->text());
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->size(), 2U + 256U + 3U + 16U);
    encrypted->put("a", "…");
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("want.yaml", R"(apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata:
  name: s
  namespace: apps
  annotations: {sealedsecrets.bitnami.com/cluster-wide: "true"}
spec:
  encryptedData: {a: …}
  template:
    immutable: true
    metadata:
      name: s
      namespace: apps
      labels: {app: web}
      annotations: {sealedsecrets.bitnami.com/cluster-wide: "true", team: blue}
    type: kubernetes.io/tls
)");
    const auto yaml = [](const Value& value) {
        std::string text;
        write_yaml(value, text);
        return text;
    };
    EXPECT_EQ(yaml(sealed), yaml(read_yaml(sources, source, diagnostics)));
}

TEST(Secret, SaysWhatIsWrongWithoutValues) {
    const struct {
        std::string text, message;
    } rows[] = {
        {"apiVersion: v1\nkind: ConfigMap\n",
         "only Secrets can be sealed [seal]\n  found: \"ConfigMap\""},
        {"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\n", "found: \"SealedSecret\""},
        {"apiVersion: v1\nkind: Secret\ndata: {a: b25l}\n", "the Secret has no name"},
        {std::string(kHead) + "data: {a: canary!}\n", "the value of \"a\" is not base64"},
        {std::string(kHead) + "stringData: {a: 20261}\n", "the value of \"a\" is not a string"},
        {std::string(kHead), "the Secret has nothing to seal"},
        {std::string(kHead) + "data: {a: b25l}\nsops: {mac: x}\n",
         "the Secret is encrypted by SOPS already"},
    };
    for (const auto& row : rows) {
        const Read result = read(row.text);
        EXPECT_FALSE(result.secret) << row.text;
        EXPECT_NE(result.messages.find(row.message), std::string::npos) << result.messages;
        EXPECT_EQ(result.messages.find("canary"), std::string::npos);
        EXPECT_EQ(result.messages.find("20261"), std::string::npos);
    }
}

}  // namespace
}  // namespace renderer::seal

#include "runtime/controller/ingress_groups/group_objects.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "runtime/controller/view/api_proxy_config.h"

namespace runtime::controller {
namespace {

using renderer::read_json;
using renderer::Value;

Value config_map(Value data, std::string_view contract = "v1") {
    Value annotations = Value::map();
    annotations.add("tailrender.dev/contract", Value(contract));
    return Value::map({{"metadata", Value::map({{"name", "tailrender-group-front"},
                                                {"annotations", std::move(annotations)}})},
                       {"data", std::move(data)}});
}

TEST(GroupObjects, ReadsWhatAGroupOffers) {
    const auto group = decode_group(config_map(Value::map(
        {{"docs.json",
          R"({"name":"svc:docs","parent":"Ingress/apps/docs","ports":["tcp:443","tcp:80"],"tags":["tag:k8s"],"certificate":"docs.tail1a2b3.ts.net","later":1})"},
         {"front-0.hujson", R"({"Version":"v1alpha1"})"},
         {"README", "of no interest"}})));
    ASSERT_TRUE(group.has_value());
    EXPECT_EQ(group->name, "front");
    EXPECT_EQ(group->problem, "");
    const Offer docs{.name = "svc:docs",
                     .parent = "Ingress/apps/docs",
                     .ports = {"tcp:443", "tcp:80"},
                     .tags = {"tag:k8s"},
                     .certificate = "docs.tail1a2b3.ts.net"};
    EXPECT_EQ(group->offers, std::vector<Offer>{docs});
    EXPECT_EQ(group->proxies,
              (std::map<std::string, std::string>{{"front-0", R"({"Version":"v1alpha1"})"}}));
}

TEST(GroupObjects, TellsWhatCannotBeRead) {
    for (const std::string_view bad :
         {"{", "[]", R"({"name":"svc:other","parent":"P","ports":["tcp:443"],"tags":["tag:k8s"]})",
          R"({"name":"svc:docs","ports":["tcp:443"],"tags":["tag:k8s"]})",
          R"({"name":"svc:docs","parent":"P","ports":[],"tags":["tag:k8s"]})",
          R"({"name":"svc:docs","parent":"P","ports":["tcp:443"]})"}) {
        EXPECT_EQ(decode_group(config_map(Value::map({{"docs.json", Value(bad)}})))->problem,
                  "\"docs.json\" cannot be read")
            << bad;
    }
    EXPECT_FALSE(decode_group(Value::map({{"metadata", Value::map({{"name", "x"}})}})));
}

TEST(GroupObjects, AConfigurationWithoutAPlaceForItsKeyIsRefused) {
    for (const std::string_view bad : {"", "{", "[]", R"({"State":"kube:front-0"})"}) {
        const auto group = decode_group(config_map(Value::map({{"front-0.hujson", Value(bad)}})));
        EXPECT_EQ(group->problem, "\"front-0.hujson\" has no \"Version\"") << bad;
        EXPECT_TRUE(group->proxies.empty()) << bad;
    }
}

TEST(GroupObjects, ReadsNothingOfAnotherContract) {
    const auto group = decode_group(config_map(Value::map({{"docs.json", "{"}}), "v2"));
    EXPECT_EQ(group->contract, "v2");
    EXPECT_TRUE(group->offers.empty());
    EXPECT_EQ(group->problem, "");
}

TEST(GroupObjects, SpellsACertificateLikeTheReference) {
    const Offer docs{.name = "svc:docs",
                     .parent = "Ingress/apps/docs",
                     .ports = {},
                     .tags = {},
                     .certificate = "docs.tail1a2b3.ts.net"};
    EXPECT_EQ(certificate_secret("tailscale", "front", docs),
              *read_json(R"({"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/tls",
            "data":{"tls.crt":"","tls.key":""},
            "metadata":{"name":"docs.tail1a2b3.ts.net","namespace":"tailscale",
            "annotations":{"tailrender.dev/statefulset":"front"},
            "labels":{"tailscale.com/managed":"true","tailscale.com/proxy-group":"front",
            "tailscale.com/domain":"docs.tail1a2b3.ts.net","tailscale.com/secret-type":"certs",
            "tailscale.com/parent-resource":"docs","tailscale.com/parent-resource-type":"ingress",
            "tailscale.com/parent-resource-ns":"apps","tailrender.dev/secret":"certificate"}}})"));
    const Offer api{.name = "svc:api",
                    .parent = "ProxyGroup/kube",
                    .ports = {},
                    .tags = {},
                    .certificate = "api.tail1a2b3.ts.net"};
    const Value secret = certificate_secret("tailscale", "kube", api);
    const Value& labels = *secret.at({"metadata", "labels"});
    EXPECT_EQ(labels.find("tailscale.com/parent-resource-type")->text(), "proxygroup");
    EXPECT_EQ(labels.find("tailscale.com/parent-resource")->text(), "kube");
    EXPECT_EQ(labels.find("tailscale.com/parent-resource-ns"), nullptr);
}

TEST(GroupObjects, ACertificateCountsOnceBothPartsAreThere) {
    const Offer docs{
        .name = "svc:docs", .parent = "Ingress/a/b", .ports = {}, .tags = {}, .certificate = "d"};
    Value secret = certificate_secret("tailscale", "front", docs);
    EXPECT_EQ(decode_certificate(secret)->hash, "");
    secret.find("data")->put("tls.crt", "Y2hhaW4=");
    EXPECT_EQ(decode_certificate(secret)->hash, "");
    secret.find("data")->put("tls.key", "a2V5");
    const std::string hash = decode_certificate(secret)->hash;
    EXPECT_EQ(hash.size(), 16U);
    secret.find("data")->put("tls.crt", "b3RoZXI=");
    EXPECT_NE(decode_certificate(secret)->hash, hash);
    secret.find("metadata")->find("labels")->erase("tailrender.dev/secret");
    EXPECT_FALSE(decode_certificate(secret));
}

TEST(GroupObjects, RecordsSurviveBeingWritten) {
    const ServiceRecords records{
        {"svc:a",
         {.group = "front", .parent = "Ingress/x/a", .certificate = "a.b", .gone_since = {}}},
        {"other/svc:b",
         {.group = "g", .parent = "Service/x/b", .certificate = {}, .gone_since = "t"}}};
    AddressTable table;
    EXPECT_EQ(read_records(table), ServiceRecords());
    table.data["services"] = write_records(records);
    EXPECT_EQ(read_records(table), records);
    table.data["services"] = "[";
    EXPECT_FALSE(read_records(table).has_value()) << "never taken for an empty one";
    const Value object = address_table("tailscale", table);
    EXPECT_EQ(decode_address_table(object)->data, table.data);
    EXPECT_EQ(split_record_key("other/svc:b").tailnet, "other");
    EXPECT_EQ(split_record_key("other/svc:b").service, "svc:b");
    EXPECT_EQ(split_record_key(record_key("", "svc:a")).tailnet, "");
}

TEST(GroupObjects, CompletesTheConfigurationOfAnApiProxy) {
    const std::string config = R"({"Version":"v1alpha1","Hostname":"kube-0","APIServerProxy":{}})";
    const std::string advertised = advertise(config, {"svc:api"});
    EXPECT_EQ(
        advertised,
        R"({"Version":"v1alpha1","Hostname":"kube-0","AdvertiseServices":["svc:api"],"APIServerProxy":{}})");
    EXPECT_EQ(
        complete_config(advertised, "tskey-1"),
        R"({"Version":"v1alpha1","AuthKey":"tskey-1","Hostname":"kube-0","AdvertiseServices":["svc:api"],"APIServerProxy":{}})");
    EXPECT_EQ(config_without_key(complete_config(config, "tskey-1")), config);
    EXPECT_EQ(advertise(R"({"Hostname":"h","AcceptRoutes":true})", {"svc:api"}),
              R"({"Hostname":"h","AcceptRoutes":true,"AdvertiseServices":["svc:api"]})");
    EXPECT_EQ(complete_config(config, ""), config);
    EXPECT_EQ(advertise(config, {}), config);
    EXPECT_EQ(config_without_key("no JSON"), "");
}

}  // namespace
}  // namespace runtime::controller

#include "runtime/controller/relays/relay_objects.h"

#include <gtest/gtest.h>

#include "renderer/contract/annotations.h"
#include "renderer/contract/labels.h"
#include "renderer/core/json.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {
namespace {

using renderer::Value;

constexpr std::string_view kConfig =
    R"({"Version":"alpha0","Locked":false,"AuthKey":"file:/etc/tsauth/peerrelay-edge-0/authkey","Hostname":"edge-0","RelayServerPort":7777})";

Value relay_config_map(Value data, std::string_view contract = "v1") {
    Value annotations = Value::map();
    annotations.put(renderer::kContractAnnotation, Value(contract));
    return Value::map({{"metadata", Value::map({{"name", "tailrender-relay-edge"},
                                                {"uid", "uid-1"},
                                                {"annotations", std::move(annotations)}})},
                       {"data", std::move(data)}});
}

TEST(RelayObjects, ReadsTheConfigurationOfEachPod) {
    const auto relay = decode_relay(relay_config_map(
        Value::map({{"peerrelay-edge-0.cap-148.hujson", Value(kConfig)},
                    {"peerrelay-edge-1.cap-148.hujson", R"({"Version":"alpha0"})"},
                    {"static-endpoints", R"(["192.0.2.1:7","not one","192.0.2.2:0"])"}})));
    ASSERT_TRUE(relay.has_value());
    EXPECT_EQ(relay->name, "edge");
    EXPECT_EQ(relay->problem, "");
    ASSERT_EQ(relay->configs.size(), 2U);
    EXPECT_EQ(relay->configs.at("peerrelay-edge-0").at("cap-148.hujson"), kConfig);
    EXPECT_EQ(relay->fixed, (std::vector<Endpoint>{{"192.0.2.1", 7}}))
        << "what cannot be read is left out";
}

TEST(RelayObjects, OtherKeysAreIgnored) {
    for (const char* key :
         {"peerrelay-other-0.cap-148.hujson", "edge-0.cap-148.hujson",
          "peerrelay-edge-00.cap-1.hujson", "peerrelay-edge-0.cap-.hujson",
          "peerrelay-edge-0.cap-x.hujson", "peerrelay-edge-0.hujson",
          "peerrelay-edge-0.config.hujson", "cap-148.hujson", ".hujson", "x", ""}) {
        SCOPED_TRACE(key);
        const auto relay =
            decode_relay(relay_config_map(Value::map({{std::string(key), "no JSON"}})));
        EXPECT_TRUE(relay->configs.empty());
        EXPECT_EQ(relay->problem, "");
    }
    EXPECT_FALSE(decode_relay(Value::map({{"metadata", Value::map({{"name", "relay"}})}})));
}

TEST(RelayObjects, SaysWhatCannotBeRead) {
    EXPECT_EQ(
        decode_relay(relay_config_map(Value::map({{"peerrelay-edge-0.cap-148.hujson", "{}"}})))
            ->problem,
        "\"peerrelay-edge-0.cap-148.hujson\" has no \"Version\"");
    EXPECT_EQ(decode_relay(relay_config_map(Value::map({{"static-endpoints", "x"}})))->problem,
              "\"static-endpoints\" is not a list");
    const auto newer =
        decode_relay(relay_config_map(Value::map({{"static-endpoints", "x"}}), "v2"));
    EXPECT_EQ(newer->contract, "v2");
    EXPECT_EQ(newer->problem, "") << "nothing is known of what it means";
}

TEST(RelayObjects, EndpointsComeBehindTheLastKey) {
    const auto relay = decode_relay(
        relay_config_map(Value::map({{"peerrelay-edge-0.cap-142.hujson", R"({"Version":"alpha0"})"},
                                     {"peerrelay-edge-0.cap-148.hujson", Value(kConfig)},
                                     {"static-endpoints", R"(["[2001:db8::1]:7"])"}})));
    const RelayContent content = relay_content(*relay, "peerrelay-edge-0", {"192.0.2.1"});
    EXPECT_EQ(content.data.at("cap-148.hujson"),
              std::string(kConfig.substr(0, kConfig.size() - 1)) +
                  R"(,"RelayServerStaticEndpoints":["192.0.2.1:7777","[2001:db8::1]:7"]})");
    EXPECT_EQ(
        content.data.at("cap-142.hujson"),
        R"({"Version":"alpha0","RelayServerStaticEndpoints":["192.0.2.1:41641","[2001:db8::1]:7"]})");
    const auto bare = decode_relay(
        relay_config_map(Value::map({{"peerrelay-edge-0.cap-148.hujson", Value(kConfig)}})));
    EXPECT_EQ(relay_content(*bare, "peerrelay-edge-0", {}).data.at("cap-148.hujson"), kConfig)
        << "there are none";
}

TEST(RelayObjects, ASecretReadsBackAsItWasWritten) {
    const auto relay = decode_relay(
        relay_config_map(Value::map({{"peerrelay-edge-0.cap-148.hujson", Value(kConfig)}})));
    const RelayContent content = relay_content(*relay, "peerrelay-edge-0", {"192.0.2.1"});
    Value object = relay_secret("tailscale", "edge", "peerrelay-edge-0");
    put_content(object, content);
    EXPECT_EQ(
        renderer::write_json(*object.find("metadata")),
        R"({"name":"peerrelay-edge-0-config","namespace":"tailscale","labels":{)"
        R"("tailscale.com/managed":"true","tailscale.com/parent-resource":"edge",)"
        R"("tailscale.com/parent-resource-type":"peerrelay","tailscale.com/peer-relay-replica":"0",)"
        R"("tailscale.com/secret-type":"config","tailrender.dev/secret":"config"},"annotations":{)"
        R"("tailrender.dev/statefulset":"peerrelay-edge",)"
        R"("tailrender.dev/balancer-addresses":"192.0.2.1"}})");
    const auto secret = decode_relay_secret(object);
    ASSERT_TRUE(secret.has_value());
    EXPECT_EQ(secret->pod, "peerrelay-edge-0");
    EXPECT_TRUE(says(*secret, content));
    EXPECT_EQ(secret->endpoints(), (std::vector<Endpoint>{{"192.0.2.1", 7777}}));
    EXPECT_FALSE(says(*secret, relay_content(*relay, "peerrelay-edge-0", {})));
    put_content(object, relay_content(*relay, "peerrelay-edge-0", {}));
    EXPECT_TRUE(decode_relay_secret(object)->addresses.empty());
    EXPECT_TRUE(decode_relay_secret(object)->endpoints().empty());
}

TEST(RelayObjects, OtherSecretsAreNotDecoded) {
    Value object = relay_secret("tailscale", "edge", "peerrelay-edge-0");
    EXPECT_TRUE(decode_relay_secret(object).has_value());
    EXPECT_FALSE(decode_auth_secret(object).has_value());
    EXPECT_FALSE(decode_state_secret(object).has_value());
    object.find("metadata")->put("name", "peerrelay-edge-0");
    EXPECT_FALSE(decode_relay_secret(object).has_value()) << "a pod may label its state Secret";
    object = relay_secret("tailscale", "edge", "peerrelay-edge-0");
    object.find("metadata")
        ->find("labels")
        ->put(Value(renderer::kSecretLabel), Value(renderer::kAuthSecret));
    EXPECT_FALSE(decode_relay_secret(object).has_value());
}

}  // namespace
}  // namespace runtime::controller

#include "runtime/controller/view/objects.h"

#include <gtest/gtest.h>

#include "renderer/base/base64.h"
#include "renderer/contract/labels.h"
#include "renderer/core/json.h"
#include "runtime/base/time_text.h"

namespace runtime::controller {
namespace {

using renderer::Value;

Value object_json(std::string_view text) {
    auto value = renderer::read_json(text);
    EXPECT_TRUE(value.has_value());
    return std::move(*value);
}

TEST(Objects, AProxyIsWhatHasTheContractAnnotation) {
    const auto set = decode_proxy_set(
        object_json(R"({"metadata":{"name":"ts-web-abcde","uid":"u","labels":{"app":"x",
        "tailscale.com/parent-resource":"web","tailscale.com/managed":"true"},"annotations":{"tailrender.dev/contract":"v1",
        "tailrender.dev/parent":"Service/apps/web","tailrender.dev/tags":"tag:a,tag:b",
        "tailrender.dev/hostname":"web-0,web-1"}},"spec":{"replicas":2}})"));
    ASSERT_TRUE(set.has_value());
    EXPECT_EQ(set->contract, "v1");
    EXPECT_EQ(set->parent, "Service/apps/web");
    EXPECT_EQ(set->tags, "tag:a,tag:b");
    EXPECT_EQ(set->hostnames, (std::vector<std::string>{"web-0", "web-1"}));
    EXPECT_EQ(set->replicas, 2);
    EXPECT_EQ(set->labels, "tailscale.com/parent-resource=web,tailscale.com/managed=true");
    EXPECT_EQ(find_label(set->labels, "tailscale.com/managed"), "true");
    EXPECT_EQ(find_label(set->labels, "tailscale.com/parent-resource"), "web");
    EXPECT_EQ(find_label(set->labels, "tailscale.com/parent"), "");
    EXPECT_FALSE(decode_proxy_set(object_json(R"({"metadata":{"name":"db"}})")).has_value());
}

TEST(Objects, AnOperatorsStatefulSetHasNoContract) {
    const auto set = decode_proxy_set(object_json(
        R"({"metadata":{"name":"ts-web-x7k2p","labels":{"tailscale.com/managed":"true"}},"spec":{}})"));
    ASSERT_TRUE(set.has_value());
    EXPECT_EQ(set->contract, "");
    EXPECT_EQ(set->replicas, 1);
}

TEST(Objects, ADatumThatIsNotUtf8IsEmpty) {
    // "\xff", and "web\xc3" cut off in the middle of a letter
    const Value secret = object_json(R"({"data":{"device_fqdn":"/w==","device_id":"d2Viww==",
        "pod_uid":"w7w="}})");
    EXPECT_EQ(secret_datum(secret, "device_fqdn"), "");
    EXPECT_EQ(secret_datum(secret, "device_id"), "");
    EXPECT_EQ(secret_datum(secret, "pod_uid"), "\xc3\xbc");
    EXPECT_EQ(secret_datum(secret, "node_id"), std::nullopt);
    EXPECT_EQ(read_state(secret).device_fqdn, "");
}

TEST(Objects, StateIsReadFromThePodsKeys) {
    // profile-1: {"Config":{"NodeID":"n9"}}
    const auto state =
        decode_state_secret(object_json(R"({"metadata":{"name":"ts-web-abcde-0","uid":"u",
        "labels":{"tailrender.dev/secret":"state"},"annotations":{"tailrender.dev/statefulset":"ts-web-abcde"}},
        "data":{"device_id":"bjE=","device_fqdn":"d2ViLnRhaWwudHMubmV0Lg==","pod_uid":"cG9k","reissue_authkey":"",
        "_current-profile":"cHJvZmlsZS0x","profile-1":"eyJDb25maWciOnsiTm9kZUlEIjoibjkifX0="}})"));
    ASSERT_TRUE(state.has_value());
    EXPECT_EQ(state->set, "ts-web-abcde");
    EXPECT_EQ(state->device_id, "n1");
    EXPECT_EQ(state->node_id, "n9");
    EXPECT_EQ(state->device_fqdn, "web.tail.ts.net.");
    EXPECT_EQ(state->pod_uid, "pod");
    EXPECT_TRUE(state->wants_key) << "an empty value is a request, too";
}

// An id becomes part of a path.
TEST(Objects, WhatHasNotTheFormOfAnIdNamesNoDevice) {
    const auto device = [](const std::string& id) {
        const Value secret =
            object_json(R"({"metadata":{"name":"a-0","labels":{"tailrender.dev/secret":"state"}},
            "data":{"device_id":")" +
                        renderer::encode_base64(id) + "\"}}");
        return std::string(decode_state_secret(secret)->device_id);
    };
    for (const char* id : {"n1CNTRL", "92960230385", "nAbC-1"}) {
        EXPECT_EQ(device(id), id);
    }
    for (const std::string& id : {std::string(".."), std::string("../tailnet/-/keys"),
                                  std::string("n1?x=y"), std::string("n1/tags"), std::string("n 1"),
                                  std::string("%2e%2e"), std::string(65, 'n')}) {
        EXPECT_EQ(device(id), "") << id;
    }
}

TEST(Objects, BrokenStateIsNoState) {
    const auto state = decode_state_secret(
        object_json(R"({"metadata":{"name":"a-0","labels":{"tailrender.dev/secret":"state"}},
        "data":{"_current-profile":"cHJvZmlsZS0x","profile-1":"bm90IEpTT04=","device_id":"%%%"}})"));
    ASSERT_TRUE(state.has_value());
    EXPECT_EQ(state->device(), "");
}

TEST(Objects, SecretsWithoutOurLabelAreNotLookedAt) {
    const Value other = object_json(R"({"metadata":{"name":"a-0"},"data":{}})");
    EXPECT_FALSE(decode_state_secret(other).has_value());
    EXPECT_FALSE(decode_auth_secret(other).has_value());
}

TEST(Objects, AConfigurationOfTheRenderersIsNoAuthSecret) {
    const std::string ours = R"({"metadata":{"name":"front-0-config",
        "labels":{"tailrender.dev/secret":"auth"}},"data":{"config.hujson":"e30=")";
    EXPECT_TRUE(decode_auth_secret(object_json(ours + "}}")).has_value());
    EXPECT_FALSE(
        decode_auth_secret(object_json(ours + R"(,"cap-107.hujson":"e30="}})")).has_value());
}

TEST(Objects, APodTellsSinceWhenItHasRun) {
    const auto started = [](const std::string& status) {
        const auto pod =
            decode_pod(object_json(R"({"metadata":{"name":"a-0"},"status":)" + status + "}"));
        return pod->started_at.has_value() ? format_seconds(*pod->started_at) : "never";
    };
    EXPECT_EQ(started("{}"), "never");
    EXPECT_EQ(started(R"({"phase":"Pending","startTime":"2026-01-01T00:00:00Z"})"), "never");
    EXPECT_EQ(started(R"({"phase":"Running","startTime":"2026-01-01T00:00:00Z","containerStatuses":
        [{"restartCount":0,"state":{"running":{"startedAt":"2026-01-01T02:00:00Z"}}}]})"),
              "2026-01-01T02:00:00Z");
    EXPECT_EQ(started(R"({"phase":"Running","startTime":"2026-01-01T00:00:00Z","containerStatuses":
        [{"restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]})"),
              "2026-01-01T00:00:00Z");
    EXPECT_EQ(started(R"({"phase":"Running","startTime":"2026-01-01T00:00:00Z","containerStatuses":
        [{"restartCount":7,"state":{"running":{"startedAt":"2026-01-01T02:00:00Z"}}}]})"),
              "2026-01-01T00:00:00Z");
}

TEST(Objects, ReplicasAreNamedByTheirOrdinal) {
    EXPECT_EQ(split_replica("ts-web-abcde-12")->set, "ts-web-abcde");
    EXPECT_EQ(split_replica("ts-web-abcde-12")->ordinal, 12);
    for (const char* name : {"web", "-1", "web-", "web-x", "web-1x"}) {
        EXPECT_FALSE(split_replica(name).has_value()) << name;
    }
}

TEST(Objects, AStateSecretIsNoAuthSecretWhateverItsLabel) {
    const auto secret = [](std::string_view name) {
        return Value::map(
            {{"metadata", Value::map({{"name", name},
                                      {"labels", Value::map({{renderer::kSecretLabel,
                                                              renderer::kAuthSecret}})}})}});
    };
    EXPECT_TRUE(decode_auth_secret(secret("web-0-auth")).has_value());
    EXPECT_TRUE(decode_auth_secret(secret("web-0-config")).has_value());
    EXPECT_FALSE(decode_auth_secret(secret("web-0")).has_value());
}

TEST(Objects, LabelsNameTheParent) {
    const std::string_view kLabels =
        "tailscale.com/parent-resource=edge,tailscale.com/parent-resource-type=";
    EXPECT_EQ(labelled_parent(std::string(kLabels) + "peerrelay"), "PeerRelay/edge");
    EXPECT_EQ(labelled_parent(std::string(kLabels) + "proxygroup"), "ProxyGroup/edge");
    EXPECT_EQ(labelled_parent(std::string(kLabels) + "svc,tailscale.com/parent-resource-ns=apps"),
              "Service/apps/edge");
    EXPECT_EQ(
        labelled_parent(std::string(kLabels) + "api-proxy,tailscale.com/parent-resource-ns=apps"),
        "Deployment/apps/edge");
    EXPECT_EQ(labelled_parent(std::string(kLabels) + "other"), "");
}

TEST(Objects, AReplicasNameHasNoZeroInFront) {
    EXPECT_EQ(split_replica("web-0")->ordinal, 0);
    EXPECT_EQ(split_replica("web-10")->ordinal, 10);
    EXPECT_FALSE(split_replica("web-00").has_value());
}

}  // namespace
}  // namespace runtime::controller

#include "runtime/adopt/adopt_plan.h"

#include <gtest/gtest.h>

#include <map>

#include "renderer/core/json.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {
namespace {

using operate::is_state_key;
using renderer::Value;

Value plan_json(const std::string& text) {
    auto value = renderer::read_json(text);
    EXPECT_TRUE(value.has_value()) << text;
    return std::move(*value);
}

std::string labels(const std::string& parent, const std::string& type,
                   const std::string& more = "") {
    return R"("labels":{"tailscale.com/managed":"true","tailscale.com/parent-resource":")" +
           parent +
           R"(","tailscale.com/parent-resource-ns":"apps","tailscale.com/parent-resource-type":")" +
           type + "\"" + more + "}";
}

Value set(const std::string& name, const std::string& rest, const std::string& contract = "",
          const std::string& parent = "") {
    return plan_json(
        R"({"metadata":{"namespace":"tailscale","uid":"u","name":")" + name + "\"," + rest +
        (contract.empty() ? ""
                          : R"(,"annotations":{"tailrender.dev/contract":")" + contract +
                                R"(","tailrender.dev/parent":")" + parent + R"("})") +
        R"(},"spec":{"replicas":1}})");
}

Value secret(const std::string& name, const std::string& device = "") {
    // The values are base64 of nDEV1, nDEV2 and so on.
    return plan_json(R"({"metadata":{"namespace":"tailscale","name":")" + name + R"("},"data":{)" +
                     (device.empty() ? "" : R"("device_id":")" + device + "\"") + "}}");
}

constexpr const char* kDevice1 = "bkRFVjE=";
constexpr const char* kDevice2 = "bkRFVjI=";

TEST(AdoptPlan, MatchesByLabelsWhateverTheNames) {
    AdoptSnapshot snapshot;
    snapshot.sets.push_back(set("ts-web-qwxyz", labels("web", "svc")));
    snapshot.sets.push_back(set("ts-web-bcdfg", labels("web", "svc"), "v1"));
    snapshot.sets.push_back(set("ts-web-other", labels("web", "ingress"), "v1"));
    snapshot.secrets.push_back(secret("ts-web-qwxyz-0", kDevice1));
    const AdoptPlan plan = plan_adoption(snapshot);
    EXPECT_EQ(describe(plan),
              "PARENT            FROM          TO            DEVICES\n"
              "Service/apps/web  ts-web-qwxyz  ts-web-bcdfg  nDEV1\n");
    EXPECT_TRUE(plan.problems().empty());
}

TEST(AdoptPlan, SaysWhatCannotBeMoved) {
    AdoptSnapshot snapshot;
    snapshot.sets.push_back(set("ts-lonely-qwxyz", labels("lonely", "svc")));
    snapshot.sets.push_back(set("ts-late-qwxyz", labels("late", "ingress")));
    snapshot.sets.push_back(set("ts-late-bcdfg", labels("late", "ingress"), "v1"));
    snapshot.sets.push_back(set("ts-new-qwxyz", labels("new", "connector")));
    snapshot.sets.push_back(set("ts-new-bcdfg", labels("new", "connector"), "v2"));
    snapshot.sets.push_back(set(
        "rec",
        R"("ownerReferences":[{"apiVersion":"tailscale.com/v1alpha1","kind":"Recorder","name":"rec"}])"));
    snapshot.secrets.push_back(secret("ts-late-qwxyz-0", kDevice1));
    snapshot.secrets.push_back(secret("ts-late-bcdfg-0", kDevice2));
    snapshot.deployments.push_back(
        plan_json("{\"metadata\":{\"name\":\"nameserver\"," + labels("dns", "nameserver") + "}," +
                  R"("spec":{"template":{"spec":{"containers":[{"name":"nameserver"}]}}}})"));
    // NOLINTBEGIN(bugprone-suspicious-missing-comma): sentences over two lines
    EXPECT_EQ(
        plan_adoption(snapshot).problems(),
        (std::vector<std::string>{
            "Recorder/rec (rec): no rendered proxy for it: apply the rendered manifests first, "
            "while the operator is stopped",
            "Ingress/apps/late (ts-late-qwxyz): \"ts-late-bcdfg-0\" has joined as a new device, "
            "nDEV2",
            "Service/apps/lonely (ts-lonely-qwxyz): no rendered proxy for it: apply the rendered "
            "manifests first, while the operator is stopped",
            "Connector/new (ts-new-qwxyz): \"ts-new-bcdfg\" uses another contract than \"v1\"",
            "DNSConfig/dns (nameserver): no rendered proxy for it: apply the rendered manifests "
            "first, while the operator is stopped"}));
    // NOLINTEND(bugprone-suspicious-missing-comma)
}

TEST(AdoptPlan, TakesOverGroupsAndTheirServices) {
    AdoptSnapshot snapshot;
    snapshot.sets.push_back(set("out", labels("out", "proxygroup"), "v1", "ProxyGroup/out"));
    snapshot.secrets.push_back(secret("out-0", kDevice1));
    snapshot.secrets.push_back(secret("out-0-config"));
    const std::string more = R"(,"tailscale.com/proxy-group":"out")";
    snapshot.services.push_back(plan_json(
        R"({"metadata":{"namespace":"tailscale","name":"ts-pg-qwxyz","generateName":"ts-pg-",)" +
        labels("pg", "svc", more) + "}}"));
    snapshot.services.push_back(
        plan_json(R"({"metadata":{"namespace":"tailscale","name":"ts-pg-bcdfg",)" +
                  labels("pg", "svc", more) + "}}"));
    snapshot.slices.push_back(
        plan_json("{\"metadata\":{\"name\":\"ts-pg-qwxyz-ipv4\"," +
                  labels("pg", "svc", R"(,"kubernetes.io/service-name":"ts-pg-qwxyz")") + "}}"));
    for (const char* name : {R"("apps","name":"pg")", R"("alias","name":"db")"}) {
        snapshot.user_services.push_back(
            plan_json(R"({"metadata":{"namespace":)" + std::string(name) +
                      R"(},"spec":{"externalName":"ts-pg-qwxyz.tailscale.svc.cluster.local"}})"));
    }
    const AdoptPlan plan = plan_adoption(snapshot);
    ASSERT_EQ(plan.takeovers.size(), 1U);
    EXPECT_EQ(plan.takeovers[0].secret, "out-0");
    EXPECT_EQ(plan.takeovers[0].leftover, "");
    ASSERT_EQ(plan.services.size(), 1U);
    EXPECT_EQ(plan.services[0].new_name, "ts-pg-bcdfg");
    EXPECT_EQ(plan.services[0].services, (std::vector<std::string>{"apps/pg", "alias/db"}));
    EXPECT_EQ(plan.services[0].slices, std::vector<std::string>{"ts-pg-qwxyz-ipv4"});
    EXPECT_TRUE(plan.moves.empty());
}

TEST(AdoptPlan, KnowsWhatTheOperatorKeepsBesideAState) {
    AdoptSnapshot snapshot;
    const std::string group = labels("web", "proxygroup");
    snapshot.sets.push_back(set("web", group, "v1", "ProxyGroup/web"));
    snapshot.sets.push_back(set("web-auth", group, "v1", "ProxyGroup/web-auth"));
    snapshot.sets.push_back(set("rec", R"("labels":{})", "v1", "Recorder/rec"));
    snapshot.sets.push_back(set("tape", R"("labels":{})", "v1", "Recorder/tape"));
    snapshot.sets.push_back(set("tape-auth", R"("labels":{})", "v1", "Recorder/tape-auth"));
    snapshot.sets.push_back(
        set("peerrelay-edge", labels("edge", "peerrelay"), "v1", "PeerRelay/edge"));
    for (const char* name : {"web-0", "web-auth-0", "rec-1", "tape-0", "peerrelay-edge-0"}) {
        snapshot.secrets.push_back(secret(name, kDevice1));
    }
    std::map<std::string, std::string> leftovers;
    for (const Takeover& takeover : plan_adoption(snapshot).takeovers) {
        leftovers[takeover.secret] = takeover.leftover;
    }
    EXPECT_EQ(leftovers,
              (std::map<std::string, std::string>{{"web-0", ""},
                                                  {"web-auth-0", ""},
                                                  {"rec-1", "rec-auth-1"},
                                                  {"tape-0", ""},
                                                  {"peerrelay-edge-0", "peerrelay-edge-0-config"}}))
        << "a state Secret of someone else would be deleted";
}

TEST(AdoptPlan, TakesOverNoTargetOfAMove) {
    AdoptSnapshot snapshot;
    snapshot.sets.push_back(set("ts-web-qwxyz", labels("web", "svc")));
    snapshot.sets.push_back(set("ts-web-bcdfg", labels("web", "svc"), "v1"));
    snapshot.secrets.push_back(secret("ts-web-qwxyz-0", kDevice1));
    snapshot.secrets.push_back(secret("ts-web-bcdfg-0", kDevice1));
    const AdoptPlan plan = plan_adoption(snapshot);
    EXPECT_EQ(plan.moves.size(), 1U);
    EXPECT_TRUE(plan.takeovers.empty());
}

TEST(AdoptPlan, KnowsStateFromConfiguration) {
    for (const char* key : {"_machinekey", "profile-1", "device_id", "web.tail.ts.net.crt"}) {
        EXPECT_TRUE(is_state_key(key)) << key;
    }
    for (const char* key : {"cap-107.hujson", "serve-config", "authkey", "reissue_authkey"}) {
        EXPECT_FALSE(is_state_key(key)) << key;
    }
}

}  // namespace
}  // namespace runtime::adopt

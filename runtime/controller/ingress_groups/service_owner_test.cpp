#include "runtime/controller/ingress_groups/service_owner.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace runtime::controller {
namespace {

using renderer::read_json;
using renderer::text_of;
using renderer::Value;

const Owner kUs{.id = "tailrender-1", .predecessor = ""};
const Owner kHeir{.id = "tailrender-1", .predecessor = "nOTHER"};
constexpr std::string_view kOurs = R"({"operatorID":"tailrender-1"})";
constexpr std::string_view kTheirs = R"({"operatorID":"nOTHER"})";
constexpr std::string_view kGroups =
    R"({"operatorID":"tailrender-1","resource":{"kind":"ProxyGroup","name":"kube","uid":"tailrender-1"}})";

Offer docs() {
    return {.name = "svc:docs",
            .parent = "Ingress/apps/docs",
            .ports = {"tcp:443"},
            .tags = {"tag:k8s", "tag:web"},
            .certificate = "docs.ts.net"};
}
Offer api() {
    Offer offer = docs();
    offer.parent = "ProxyGroup/kube";
    return offer;
}

Value service(const std::string& refs) {
    auto json = read_json(
        R"({"name":"svc:docs","addrs":["100.100.0.1"],"annotations":{"mine":"kept"},"ports":["tcp:443"],"tags":["tag:web","tag:k8s"]})");
    Value out = std::move(*json);
    if (!refs.empty()) {
        out.find("annotations")
            ->put("tailscale.com/owner-references", "{\"ownerRefs\":[" + refs + "]}");
    }
    return out;
}

std::string owners(const Value& body) {
    return std::string(text_of(body.at({"annotations", "tailscale.com/owner-references"})));
}
std::string refs(std::initializer_list<std::string_view> all) {
    std::string out;
    for (const std::string_view ref : all) {
        out += (out.empty() ? "" : ",") + std::string(ref);
    }
    return out;
}
std::string list(std::initializer_list<std::string_view> all) {
    return "{\"ownerRefs\":[" + refs(all) + "]}";
}

TEST(ServiceOwner, ANewServiceIsOurs) {
    const Claim claim = claim_service(docs(), kUs, nullptr);
    EXPECT_EQ(
        renderer::write_json(claim.body),
        R"({"name":"svc:docs","comment":"This Tailscale Service is managed by the Tailscale Kubernetes Operator, do not modify","annotations":{"tailscale.com/owner-references":"{\"ownerRefs\":[{\"operatorID\":\"tailrender-1\"}]}"},"ports":["tcp:443"],"tags":["tag:k8s","tag:web"]})");
    EXPECT_EQ(owners(claim_service(api(), kUs, nullptr).body), list({kGroups}));
}

TEST(ServiceOwner, NothingIsSentWhenAllIsAsItShouldBe) {
    const Value same = service(refs({kTheirs, kOurs}));
    EXPECT_TRUE(claim_service(docs(), kUs, &same).body.is_null())
        << "the order of tags says nothing";
    const Value groups = service(std::string(kGroups));
    const Claim claim = claim_service(api(), kUs, &groups);
    EXPECT_TRUE(claim.body.is_null());
    EXPECT_EQ(claim.refusal, "");
}

TEST(ServiceOwner, AChangedPortKeepsAddressesAndAnnotations) {
    Offer offer = docs();
    offer.ports.emplace_back("tcp:80");
    const Value known = service(std::string(kOurs));
    const Claim claim = claim_service(offer, kUs, &known);
    EXPECT_EQ(claim.body.at({"addrs"})->items()[0].text(), "100.100.0.1");
    EXPECT_EQ(text_of(claim.body.at({"annotations", "mine"})), "kept");
    EXPECT_EQ(claim.body.find("ports")->size(), 2U);
    offer = docs();
    offer.tags = {"tag:k8s"};
    EXPECT_FALSE(claim_service(offer, kUs, &known).body.is_null());
}

TEST(ServiceOwner, OtherClustersStayInTheList) {
    const Value theirs = service(std::string(kTheirs));
    EXPECT_EQ(owners(claim_service(docs(), kUs, &theirs).body), list({kTheirs, kOurs}));
}

TEST(ServiceOwner, LeavesAloneWhatIsNotAClusters) {
    for (const std::string_view bad : {"", "no JSON"}) {
        const Value found = service(std::string(bad));
        const Claim claim = claim_service(docs(), kUs, &found);
        EXPECT_EQ(claim.refusal,
                  "Tailscale Service \"svc:docs\" exists and was not created by a cluster");
        EXPECT_TRUE(claim.body.is_null());
    }
}

TEST(ServiceOwner, AnApisServiceBelongsToOneCluster) {
    const Value groups = service(
        R"({"operatorID":"nOTHER","resource":{"kind":"ProxyGroup","name":"kube","uid":"u-1"}})");
    EXPECT_EQ(claim_service(docs(), kUs, &groups).refusal,
              "Tailscale Service \"svc:docs\" exists and belongs to a group that serves a "
              "Kubernetes API");
    const Value theirs = service(std::string(kTheirs));
    const Value shared = service(refs({kOurs, kTheirs}));
    for (const Value* found : {&groups, &theirs, &shared}) {
        EXPECT_EQ(
            claim_service(api(), kUs, found).refusal,
            "Tailscale Service \"svc:docs\" exists and belongs to another user or controller");
    }
}

TEST(ServiceOwner, WhatIsOursAloneMovesBetweenOurGroups) {
    Offer other = api();
    other.parent = "ProxyGroup/other";
    const Value groups = service(std::string(kGroups));
    const Value plain = service(std::string(kOurs));
    EXPECT_EQ(
        owners(claim_service(other, kUs, &groups).body),
        R"({"ownerRefs":[{"operatorID":"tailrender-1","resource":{"kind":"ProxyGroup","name":"other","uid":"tailrender-1"}}]})");
    EXPECT_EQ(owners(claim_service(docs(), kUs, &groups).body), list({kOurs}));
    EXPECT_EQ(owners(claim_service(api(), kUs, &plain).body), list({kGroups}));
}

TEST(ServiceOwner, WhatWasThePredecessorsIsOurs) {
    const Value theirs = service(refs({kTheirs, R"({"operatorID":"nTHIRD"})"}));
    EXPECT_EQ(owners(claim_service(docs(), kHeir, &theirs).body),
              list({R"({"operatorID":"nTHIRD"})", kOurs}));
    const Value both = service(refs({kTheirs, kOurs}));
    EXPECT_EQ(owners(claim_service(docs(), kHeir, &both).body), list({kOurs}));
    const Value groups = service(
        R"({"operatorID":"nOTHER","resource":{"kind":"ProxyGroup","name":"kube","uid":"u-1"}})");
    EXPECT_EQ(owners(claim_service(api(), kHeir, &groups).body), list({kGroups}));
    EXPECT_NE(claim_service(api(), kUs, &groups).refusal, "");
    const Value ours = service(std::string(kOurs));
    EXPECT_TRUE(claim_service(docs(), kHeir, &ours).body.is_null()) << "nothing is left to claim";

    EXPECT_TRUE(release_service(kHeir, groups).deletes);
    EXPECT_TRUE(release_service(kHeir, both).deletes);
    EXPECT_EQ(owners(release_service(kHeir, theirs).body), list({R"({"operatorID":"nTHIRD"})"}));
}

TEST(ServiceOwner, TheLastOwnerDeletesIt) {
    EXPECT_TRUE(release_service(kUs, service(std::string(kOurs))).deletes);
    EXPECT_TRUE(release_service(kUs, service(std::string(kGroups))).deletes);
}

TEST(ServiceOwner, AnOwnerOfManyGoesAlone) {
    const Release release = release_service(kUs, service(refs({kOurs, kTheirs})));
    EXPECT_FALSE(release.deletes);
    EXPECT_EQ(owners(release.body), list({kTheirs}));
    EXPECT_EQ(release.body.at({"addrs"})->items()[0].text(), "100.100.0.1");
    EXPECT_EQ(text_of(release.body.at({"annotations", "mine"})), "kept");
}

TEST(ServiceOwner, WhatIsNotOursIsNotReleased) {
    for (const std::string& found : {std::string(), std::string(kTheirs)}) {
        const Release release = release_service(kUs, service(found));
        EXPECT_FALSE(release.deletes) << found;
        EXPECT_TRUE(release.body.is_null()) << found;
    }
}

}  // namespace
}  // namespace runtime::controller

#include "runtime/controller/ingress_groups/group_decide.h"

#include <gtest/gtest.h>

#include "runtime/base/time_text.h"

namespace runtime::controller {
namespace {

constexpr Duration kDelay = std::chrono::minutes(5);

class GroupDecideTest : public testing::Test {
protected:
    GroupDecideTest() {
        config.name = "front";
        config.offers = {{.name = "svc:docs",
                          .parent = "Ingress/apps/docs",
                          .ports = {"tcp:443"},
                          .tags = {"tag:k8s"},
                          .certificate = "docs.ts.net"},
                         {.name = "svc:db",
                          .parent = "Service/apps/db",
                          .ports = {"do-not-validate"},
                          .tags = {"tag:k8s"},
                          .certificate = {}}};
        for (int i = 0; i < 3; ++i) {
            pods.push_back({.name = "front-" + std::to_string(i),
                            .uid = "u" + std::to_string(i),
                            .leaving = false,
                            .ready = true});
        }
        state.device_id = "n1";
        group = {.config = &config,
                 .set = &set,
                 .pods = {&pods[0], &pods[1], &pods[2]},
                 .states = {&state},
                 .auths = {}};
        offered = {.group = &group, .offer = &config.offers[0]};
        service = {.record = &record,
                   .offered = &offered,
                   .certificate = &certificate,
                   .is_registered = true};
    }

    std::string next() const {
        const auto step = decide_service(service, now, kDelay);
        return step.has_value() ? describe(*step) : "";
    }

    static ServiceRecords recorded(const ServiceRecords& old, const AllOffered& offers,
                                   const std::set<std::string>& untouched, Time at,
                                   const std::set<std::string>& certificates = {},
                                   const std::set<std::string>& told = {}) {
        return desired_records({.old = old,
                                .offered = offers,
                                .untouched = untouched,
                                .certificates = certificates,
                                .told = told},
                               at);
    }

    // Returns the record of the group, as it is written; `hash` is that of "docs.ts.net".
    [[nodiscard]] std::string told(const ToldCertificates& known, const std::string& hash) const {
        std::map<std::string, std::string> hashes;
        if (!hash.empty()) {
            hashes.emplace("docs.ts.net", hash);
        }
        const ToldCertificates all = desired_told(
            {.old = known, .groups = {{"front", group}}, .hashes = hashes, .sets = {}});
        EXPECT_EQ(read_told({.version = {}, .data = {{"certificates", write_told(all)}}}), all);
        return write_told(all);
    }
    static std::map<std::string, std::string> table_of(
        const ServiceRecords& records, const KnownAddresses& known,
        const std::map<std::string, std::string>& old) {
        return desired_table(
            {.records = records, .told = {}, .owner = "us", .known = known, .old = old});
    }

    Time now = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
    GroupConfig config;
    ProxySet set;
    std::vector<Pod> pods;
    StateSecret state;
    Group group;
    Offered offered;
    ServiceRecord record;
    Certificate certificate;
    ServiceState service;
};

TEST_F(GroupDecideTest, ANewServiceGoesThroughItsSteps) {
    service = {
        .record = nullptr, .offered = &offered, .certificate = nullptr, .is_registered = false};
    EXPECT_EQ(next(), "") << "it is written down first";
    service.record = &record;
    EXPECT_EQ(next(), "create the certificate's Secret");
    service.certificate = &certificate;
    state.device_id = "";
    EXPECT_EQ(next(), "");
    state.device_id = "n1";
    EXPECT_EQ(next(), "register");
    service.is_registered = true;
    EXPECT_EQ(next(), "");
}

TEST_F(GroupDecideTest, AServiceWithoutCertificateNeedsNone) {
    offered.offer = &config.offers[1];
    service.certificate = nullptr;
    service.is_registered = false;
    EXPECT_EQ(next(), "register");
    service.is_registered = true;
    EXPECT_EQ(next(), "");
}

TEST_F(GroupDecideTest, WhatIsNoLongerOfferedIsRemovedAfterTheDelay) {
    service.offered = nullptr;
    EXPECT_EQ(next(), "") << "not marked yet";
    record.gone_since = format_seconds(now - kDelay + std::chrono::seconds(1));
    EXPECT_EQ(next(), "");
    record.gone_since = format_seconds(now - kDelay);
    EXPECT_EQ(next(), "remove");
    service.offered = &offered;
    EXPECT_EQ(next(), "");
}

TEST_F(GroupDecideTest, WhatPodsStillAdvertiseIsRemovedLater) {
    service.offered = nullptr;
    service.is_advertised = true;
    const auto next_after = [this](Duration age, Duration delay) {
        record.gone_since = format_seconds(now - age);
        const auto step = decide_service(service, now, delay);
        return step.has_value() ? describe(*step) : "";
    };
    EXPECT_EQ(next_after(kUnadvertisePatience - std::chrono::seconds(1), Duration(0)), "");
    EXPECT_EQ(next_after(kUnadvertisePatience, Duration(0)), "remove") << "whatever it says";
    EXPECT_EQ(next_after(kUnadvertisePatience, kDelay), "");
    EXPECT_EQ(next_after(kDelay, kDelay), "remove");
    service.is_advertised = false;
    EXPECT_EQ(next_after(Duration(0), Duration(0)), "remove");
}

TEST_F(GroupDecideTest, APodAdvertisesWhileItRuns) {
    StateSecret said;
    said.services = {"svc:other", "svc:docs"};
    Group one;
    Pod pod;
    one.pods = {nullptr, &pod};
    one.states = {&said, &said};
    EXPECT_FALSE(one.advertises("svc:docs"));
    pod.started_at = now;
    EXPECT_TRUE(one.advertises("svc:docs"));
    EXPECT_FALSE(one.advertises("svc:doc"));
    one.states[1] = nullptr;
    EXPECT_FALSE(one.advertises("svc:docs"));
}

TEST_F(GroupDecideTest, TheFirstCertificateRollsNoOne) {
    EXPECT_EQ(told({}, ""), "{}");
    EXPECT_EQ(told({}, "new"), R"({"front":{"docs.ts.net":{"hash":"new"}}})");
}

TEST_F(GroupDecideTest, ARenewedCertificateIsReadByAllButPod0) {
    ToldCertificates known{{"front", {{"docs.ts.net", {.hash = "old", .roll = {}}}}}};
    EXPECT_EQ(told(known, ""), write_told(known)) << "emptied: pods keep what they have";
    EXPECT_EQ(told(known, "new"), R"({"front":{"docs.ts.net":{"hash":"new","roll":["u1","u2"]}}})");
    known["front"]["docs.ts.net"] = {.hash = "new", .roll = {"u1", "u2"}};
    pods[1].uid = "u1b";
    EXPECT_EQ(told(known, "new"), write_told(known)) << "while one of them is still there";
    pods[2].uid = "u2b";
    EXPECT_EQ(told(known, "new"), R"({"front":{"docs.ts.net":{"hash":"new"}}})");
}

TEST_F(GroupDecideTest, ACertificateThatLeftIsKnownWhileAReaderRuns) {
    ToldCertificates known{{"front", {{"docs.old", {.hash = "old", .roll = {}}}}}};
    const std::string left =
        R"({"front":{"docs.old":{"hash":"old","readers":["u1","u2"]},"docs.ts.net":{"hash":"h"}}})";
    EXPECT_EQ(told(known, "h"), left);
    known["front"]["docs.old"].readers = {"u1", "u2"};
    pods[1].uid = "u1b";
    EXPECT_EQ(told(known, "h"), left);
    pods[2].uid = "u2b";
    EXPECT_EQ(told(known, "h"), R"({"front":{"docs.ts.net":{"hash":"h"}}})");
}

TEST_F(GroupDecideTest, CertificatesOfAGroupAreKeptWithItsStatefulSet) {
    const ToldCertificates known{{"odd", {{"docs.old", {.hash = "old", .roll = {}}}}}};
    EXPECT_EQ(desired_told({.old = known, .groups = {}, .hashes = {}, .sets = {"odd"}}), known);
    EXPECT_TRUE(desired_told({.old = known, .groups = {}, .hashes = {}, .sets = {}}).empty());
}

TEST_F(GroupDecideTest, PodsRollOneAfterTheOther) {
    const std::set<std::string> roll{"u1", "u2"};
    EXPECT_EQ(decide_roll(roll, group.pods), &pods[1]);
    pods[1].leaving = true;
    EXPECT_EQ(decide_roll(roll, group.pods), nullptr);
    pods[1] = {.name = "front-1", .uid = "u1b", .leaving = false, .ready = false};
    EXPECT_EQ(decide_roll(roll, group.pods), nullptr) << "until the one before is ready";
    pods[1].ready = true;
    EXPECT_EQ(decide_roll(roll, group.pods), &pods[2]);
    group.pods[0] = nullptr;
    EXPECT_EQ(decide_roll(roll, group.pods), nullptr) << "while another one is missing";
    EXPECT_EQ(decide_roll({}, group.pods), nullptr);
}

TEST_F(GroupDecideTest, RecordsFollowWhatIsOffered) {
    const std::map<std::string, Group> groups{{"front", group}};  // offers point into it
    const auto offers = all_offered(groups);
    ServiceRecords old{
        {"svc:docs",
         {.group = "front",
          .parent = "Ingress/apps/docs",
          .certificate = "docs.ts.net",
          .gone_since = "2026-01-01T00:00:00Z"}},
        {"svc:left",
         {.group = "front", .parent = "Service/apps/left", .certificate = {}, .gone_since = {}}},
        {"svc:kept",
         {.group = "odd", .parent = "Service/apps/kept", .certificate = {}, .gone_since = {}}}};
    const auto records = recorded(old, offers, {"odd"}, now);
    EXPECT_EQ(records.size(), 4U);
    EXPECT_EQ(records.at("svc:docs").gone_since, "") << "it came back";
    EXPECT_EQ(records.at("svc:db").parent, "Service/apps/db");
    EXPECT_EQ(records.at("svc:left").gone_since, "2026-01-01T00:00:00Z");
    EXPECT_EQ(records.at("svc:kept").gone_since, "") << "no one knows what its group wants";
    EXPECT_EQ(recorded(records, offers, {"odd"}, now + kDelay), records) << "nothing new";
}

TEST_F(GroupDecideTest, AMarkThatNoOneCanWaitForIsRecreated) {
    for (const char* mark : {"2026-01-02T00:00:00Z", "yesterday"}) {
        SCOPED_TRACE(mark);
        record = {
            .group = "front", .parent = "Service/apps/a", .certificate = {}, .gone_since = mark};
        service.offered = nullptr;
        EXPECT_EQ(next(), "");
        const auto records = recorded({{"svc:a", record}}, {}, {}, now);
        EXPECT_EQ(records.at("svc:a").gone_since, "2026-01-01T00:00:00Z");
    }
}

TEST_F(GroupDecideTest, ANewCertificateTakesTheOldOneAway) {
    const std::map<std::string, Group> groups{{"front", group}};  // offers point into it
    const auto offers = all_offered(groups);
    const ServiceRecords old{{"svc:docs",
                              {.group = "front",
                               .parent = "Ingress/apps/docs",
                               .certificate = "docs.old",
                               .gone_since = {}}}};
    EXPECT_EQ(recorded(old, offers, {}, now, {"docs.old"}).at("svc:docs").certificate, "docs.old");
    Certificate before;
    service.old_certificate = &before;
    EXPECT_EQ(next(), "delete the certificate of its old name");
    service.certificate = nullptr;
    EXPECT_EQ(next(), "create the certificate's Secret");
    EXPECT_EQ(recorded(old, offers, {}, now).at("svc:docs").certificate, "docs.ts.net");
}

TEST_F(GroupDecideTest, TheParentBeforeIsRememberedWhileItsStatusTells) {
    const std::map<std::string, Group> groups{{"front", group}};  // offers point into it
    const auto offers = all_offered(groups);
    const std::set<std::string> told{"Ingress/apps/old"};
    const ServiceRecords old{{"svc:docs",
                              {.group = "front",
                               .parent = "Ingress/apps/old",
                               .certificate = "docs.ts.net",
                               .gone_since = {}}}};
    const auto records = recorded(old, offers, {}, now, {}, told);
    EXPECT_EQ(records.at("svc:docs").parent, "Ingress/apps/docs");
    EXPECT_EQ(records.at("svc:docs").left, "Ingress/apps/old");
    EXPECT_EQ(recorded(records, offers, {}, now, {}, told), records);
    EXPECT_EQ(recorded(records, offers, {}, now).at("svc:docs").left, "");
    EXPECT_EQ(recorded(old, offers, {}, now).at("svc:docs").left, "");
}

TEST_F(GroupDecideTest, AnotherTailnetIsAnotherService) {
    set.tailnet = "other";
    const std::map<std::string, Group> groups{{"front", group}};  // offers point into it
    const auto offers = all_offered(groups);
    EXPECT_TRUE(offers.contains("other/svc:docs"));
    ServiceRecords old{
        {"svc:docs",
         {.group = "front", .parent = "Ingress/apps/docs", .certificate = {}, .gone_since = {}}}};
    const auto records = recorded(old, offers, {}, now);
    EXPECT_FALSE(records.at("svc:docs").gone_since.empty());
    EXPECT_TRUE(records.at("other/svc:docs").gone_since.empty());
}

TEST_F(GroupDecideTest, TheTableMapsEachFamilyOfTheCluster) {
    const auto records = recorded({}, all_offered({{"front", group}}), {}, now);
    KnownAddresses known;
    EXPECT_EQ(table_of(records, known, {}).count("front.json"), 0U) << "nothing is known";
    known.tailnet = {{"svc:db", {"100.100.0.1", "fd7a::1"}}, {"svc:docs", {"100.100.0.2"}}};
    known.cluster = {{"svc:db", {"10.96.0.7"}}};
    auto table = table_of(records, known, {});
    EXPECT_EQ(
        table.at("front.json"),
        R"({"svc:db":{"IPv4Mapping":{"TailscaleServiceIP":"100.100.0.1","ClusterIP":"10.96.0.7"}}})");
    EXPECT_EQ(read_records({.version = {}, .data = table}), records);
    EXPECT_EQ(table_of(records, {}, table), table) << "what is not known stays";
    known.cluster = {{"svc:db", {"fd00::7", "10.96.0.7"}}};
    known.tailnet = {{"svc:db", {"100.100.0.1"}}};
    EXPECT_EQ(
        table_of(records, known, table).at("front.json"),
        R"({"svc:db":{"IPv4Mapping":{"TailscaleServiceIP":"100.100.0.1","ClusterIP":"10.96.0.7"},"IPv6Mapping":{"TailscaleServiceIP":"","ClusterIP":"fd00::7"}}})");
    EXPECT_EQ(table_of({}, known, table), (std::map<std::string, std::string>{{"owner", "us"}}));
}

TEST_F(GroupDecideTest, ApiProxiesAdvertiseOnceTheCertificateIsThere) {
    config.offers.resize(1);
    config.proxies = {{"kube-0", R"({"Version":"v1alpha1","Hostname":"kube-0"})"}};
    EXPECT_EQ(desired_configs(config, {}).at("kube-0"),
              R"({"Version":"v1alpha1","Hostname":"kube-0"})");
    EXPECT_EQ(desired_configs(config, {"docs.ts.net"}).at("kube-0"),
              R"({"Version":"v1alpha1","Hostname":"kube-0","AdvertiseServices":["svc:docs"]})");
}

TEST_F(GroupDecideTest, OfTwoThatOfferOneServiceTheFirstByNameHasIt) {
    GroupConfig stranger = config;
    stranger.name = "zz";
    Group its = group;
    its.config = &stranger;
    const std::map<std::string, Group> groups{{"front", group}, {"zz", its}};
    const AllOffered all = all_offered(groups);
    EXPECT_EQ(all.size(), 2U);
    for (const auto& [key, one] : all) {
        EXPECT_EQ(one.group->config->name, "front") << key;
    }
}

}  // namespace
}  // namespace runtime::controller

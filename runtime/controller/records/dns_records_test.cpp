#include "runtime/controller/records/dns_records.h"

#include <algorithm>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::Value;

constexpr std::string_view kEmpty = R"({"version":"v1alpha1","ip4":{}})";

Value records_json(std::string_view text) {
    return std::move(*renderer::read_json(text));
}

// One wanted replica of a proxy for apps/<parent>, whose device has joined.
class DnsRecordsTest : public testing::Test {
protected:
    void add_proxy(const std::string& name, const std::string& type, const std::string& parent) {
        ProxySet& set = sets[name];
        set.name = name;
        set.contract = "v1";
        set.replicas = 1;
        set.labels = "tailscale.com/parent-resource=" + parent +
                     ",tailscale.com/parent-resource-ns=apps" +
                     ",tailscale.com/parent-resource-type=" + type;
        StateSecret& state = states[name];
        state.device_id = "n1";
        auths[name].device = "n1";
        auths[name].device_name = parent + ".tail1.ts.net";
        state.https_endpoint = parent + ".tail1.ts.net";
        state.capability_version = "113";
        state.pod_uid = "uid";
        pods[name].uid = "uid";
    }
    void add_endpoints(const std::string& service, std::vector<std::string> addresses) {
        endpoints[service + "-" + std::to_string(endpoints.size())] = {
            {service, std::move(addresses)}};
    }
    std::string records() {
        std::map<std::string, Replica> replicas;
        for (const auto& [name, set] : sets) {
            const auto entry = replicas.try_emplace(name + "-0").first;
            entry->second = {.pod_name = entry->first,
                             .set = &set,
                             .state = &states[name],
                             .auth = &auths[name],
                             .pod = &pods[name]};
        }
        return dns_records(replicas, services, groups, endpoints, "tailscale");
    }

    std::map<std::string, ProxySet> sets;
    std::map<std::string, StateSecret> states;
    std::map<std::string, AuthSecret> auths;
    std::map<std::string, Pod> pods;
    Mirror<DnsService>::Objects services;
    Mirror<EgressNames>::Objects groups;
    Mirror<DnsEndpoints>::Objects endpoints;
};

TEST_F(DnsRecordsTest, HaveNoNamesAtFirst) {
    EXPECT_EQ(records(), kEmpty);
}

TEST_F(DnsRecordsTest, AnIngressHasTheNameOfItsDevice) {
    add_proxy("ts-b", "ingress", "b");
    add_proxy("ts-a", "ingress", "a");
    add_endpoints("ts-b", {"10.0.0.3", "10.0.0.2"});
    add_endpoints("ts-b", {"fd00::2"});
    add_endpoints("ts-a", {"10.0.0.1"});
    EXPECT_EQ(records(), R"({"version":"v1alpha1","ip4":{"a.tail1.ts.net":["10.0.0.1"],)"
                         R"("b.tail1.ts.net":["10.0.0.2","10.0.0.3"]},)"
                         R"("ip6":{"b.tail1.ts.net":["fd00::2"]}})");
}

TEST_F(DnsRecordsTest, WhatAnEarlierPodHasWrittenDoesNotCount) {
    add_proxy("ts-a", "ingress", "a");
    add_endpoints("ts-a", {"10.0.0.1"});
    pods["ts-a"].uid = "another";
    EXPECT_EQ(records(), kEmpty);
}

TEST_F(DnsRecordsTest, AnIngressWithoutHttpsHasNoName) {
    add_proxy("ts-a", "ingress", "a");
    add_endpoints("ts-a", {"10.0.0.1"});
    states["ts-a"].https_endpoint = "no-https";
    EXPECT_EQ(records(), kEmpty);
}

TEST_F(DnsRecordsTest, AnEgressServiceHasTheNameOfItsTarget) {
    add_proxy("ts-db", "svc", "db");
    add_proxy("ts-web", "svc", "web");
    add_endpoints("ts-db", {"10.0.0.1"});
    add_endpoints("ts-web", {"10.0.0.2"});
    EXPECT_EQ(records(), kEmpty);
    sets["ts-db"].target_fqdn = "db9.tail1.ts.net";
    EXPECT_EQ(records(), R"({"version":"v1alpha1","ip4":{"db9.tail1.ts.net":["10.0.0.1"]}})");
    sets["ts-db"].replicas = 0;
    EXPECT_EQ(records(), kEmpty);
}

TEST_F(DnsRecordsTest, TwoServicesMayTargetOneName) {
    add_proxy("ts-a", "svc", "a");
    add_proxy("ts-b", "svc", "b");
    add_endpoints("ts-a", {"10.0.0.2"});
    add_endpoints("ts-b", {"10.0.0.1"});
    sets["ts-a"].target_fqdn = sets["ts-b"].target_fqdn = "db9.tail1.ts.net";
    EXPECT_EQ(records(),
              R"({"version":"v1alpha1","ip4":{"db9.tail1.ts.net":["10.0.0.1","10.0.0.2"]}})");
}

TEST_F(DnsRecordsTest, AGroupsEgressServiceHasItsOwnAddresses) {
    groups["tailscale/out-egress-config"] = {EgressNames{{{"apps-db", "db9.tail1.ts.net"}}}};
    groups["apps/out-egress-config"] = {EgressNames{{{"apps-db", "other.tail1.ts.net"}}}};
    services["apps/ts-db"] = {
        DnsService{.group = "out", .parent = "apps-db", .addresses = {"10.96.0.7"}}};
    EXPECT_EQ(records(), kEmpty) << "not in the controller's namespace";
    services["tailscale/ts-db"] = {
        DnsService{.group = "out", .parent = "apps-db", .addresses = {"10.96.0.9", "fd96::9"}}};
    services["tailscale/ts-web"] = {
        DnsService{.group = "out", .parent = "apps-web", .addresses = {"10.96.0.8"}}};
    services["tailscale/ts-db-2"] = {
        DnsService{.group = "other", .parent = "apps-db", .addresses = {"10.96.0.6"}}};
    EXPECT_EQ(records(), R"({"version":"v1alpha1","ip4":{"db9.tail1.ts.net":["10.96.0.9"]},)"
                         R"("ip6":{"db9.tail1.ts.net":["fd96::9"]}})");
    groups.erase("tailscale/out-egress-config");
    EXPECT_EQ(records(), kEmpty);
}

TEST(DnsDecoding, TakesServices) {
    EXPECT_FALSE(decode_dns_service(records_json(
        R"({"metadata":{"annotations":{"tailscale.com/tailnet-fqdn":"DB9.tail1.ts.net."}},)"
        R"("spec":{"clusterIPs":["10.96.0.1"]}})")))
        << "a user's";
    const auto rendered = decode_dns_service(records_json(
        R"({"metadata":{"labels":{"tailscale.com/svc-type":"egress","tailscale.com/proxy-group":"out",)"
        R"("tailscale.com/parent-resource":"db","tailscale.com/parent-resource-ns":"apps"}},)"
        R"("spec":{"clusterIPs":["10.96.0.9","fd96::9"]}})"));
    EXPECT_EQ(
        rendered,
        (DnsService{.group = "out", .parent = "apps-db", .addresses = {"10.96.0.9", "fd96::9"}}));
    EXPECT_FALSE(
        decode_dns_service(records_json(R"({"spec":{"clusterIPs":["10.96.0.1"]}})")).has_value());
}

// The input is rendered: testdata/golden/fleet/ozilab.
TEST(DnsDecoding, TakesWhereAGroupLeads) {
    const auto config_map = [](std::string_view name, std::string_view services) {
        return Value::map(
            {{"metadata", Value::map({{"name", name}, {"namespace", "tailscale"}})},
             {"binaryData", Value::map({{"egress-services", renderer::encode_base64(services)},
                                        {"hep-pings", "Ng=="}})}});
    };
    constexpr std::string_view kServices =
        R"({"apps-mail":{"tailnetTarget":{"ip":"100.64.10.25","fqdn":""},"ports":[]},)"
        R"("apps-warehouse":{"tailnetTarget":{"ip":"","fqdn":"Warehouse.tail1.ts.net."}}})";
    EXPECT_EQ(decode_egress_names(config_map("out-egress-config", kServices)),
              (EgressNames{{{"apps-warehouse", "warehouse.tail1.ts.net"}}}));
    EXPECT_FALSE(decode_egress_names(config_map("out", kServices)).has_value());
    EXPECT_FALSE(decode_egress_names(config_map("out-egress-config", "[")).has_value());
    EXPECT_FALSE(decode_egress_names(config_map("out-egress-config", "[1]")).has_value());
    EXPECT_FALSE(decode_egress_names(records_json(R"({"metadata":{"name":"out-egress-config"}})")));
}

TEST(DnsDecoding, TakesTheTargetOfAProxyFromItsPod) {
    const auto set_with = [](const std::string& variables) {
        return decode_proxy_set(records_json(
            R"({"metadata":{"name":"ts-db","annotations":{"tailrender.dev/contract":"v1"}},)"
            R"("spec":{"template":{"spec":{"containers":[{"env":[)" +
            variables + R"(]}]}}}})"));
    };
    const std::string target = R"({"name":"TS_TAILNET_TARGET_FQDN","value":"DB9.tail1.ts.net."})";
    EXPECT_EQ(set_with(target)->target_fqdn, "db9.tail1.ts.net");
    EXPECT_EQ(
        set_with(target + R"(,{"name":"TS_TAILNET_TARGET_FQDN","value":"b.ts.net"})")->target_fqdn,
        "b.ts.net");
    EXPECT_EQ(set_with(R"({"name":"TS_TAILNET_TARGET_IP","value":"100.64.0.1"})")->target_fqdn, "");
}

TEST(DnsDecoding, TakesWhatIsReady) {
    const auto slice = decode_dns_endpoints(records_json(
        R"({"addressType":"IPv4","metadata":{"labels":{"kubernetes.io/service-name":"ts-a"}},)"
        R"("endpoints":[{"addresses":["10.0.0.1"]},)"
        R"({"addresses":["10.0.0.2"],"conditions":{"ready":true,"serving":true,"terminating":false}},)"
        R"({"addresses":["10.0.0.3"],"conditions":{"ready":false}},)"
        R"({"addresses":["10.0.0.4"],"conditions":{"serving":false}},)"
        R"({"addresses":["10.0.0.5"],"conditions":{"terminating":true}}]})"));
    EXPECT_EQ(slice, (DnsEndpoints{"ts-a", {"10.0.0.1", "10.0.0.2"}}));
    EXPECT_FALSE(
        decode_dns_endpoints(records_json(R"({"metadata":{"labels":{}},"endpoints":[]})")));
    EXPECT_FALSE(decode_dns_endpoints(records_json(
        R"({"addressType":"FQDN","metadata":{"labels":{"kubernetes.io/service-name":"a"}},)"
        R"("endpoints":[{"addresses":["a.example"]}]})")));
}

class DnsRecordsWriting : public ControllerTest {
protected:
    void add_nameserver(const std::string& contract = "v1") {
        kube.put(FakeCluster::path("services", "nameserver"),
                 records_json(
                     R"({"metadata":{"name":"nameserver","namespace":"tailscale","annotations":)"
                     R"({"tailrender.dev/contract":")" +
                     contract + R"(","tailrender.dev/parent":"DNSConfig/dns"}}})"));
    }
    void add_egress() {
        cluster.add_proxy("ts-db");
        const std::string path = FakeCluster::path("statefulsets", "ts-db");
        Value set = kube.find(path)->clone();
        Value variables = Value::list(
            {Value::map({{"name", "TS_TAILNET_TARGET_FQDN"}, {"value", "db9.tail1.ts.net."}})});
        set.find("spec")->put(
            "template",
            Value::map(
                {{"spec", Value::map({{"containers", Value::list({Value::map(
                                                         {{"env", std::move(variables)}})})}})}}));
        kube.put(path, std::move(set));
        annotate_users("db9.tail1.ts.net");
        kube.put(
            "/apis/discovery.k8s.io/v1/namespaces/tailscale/endpointslices/ts-db-x",
            records_json(
                R"({"metadata":{"name":"ts-db-x","namespace":"tailscale","labels":)"
                R"({"kubernetes.io/service-name":"ts-db"}},"endpoints":[{"addresses":["10.0.0.1"]}]})"));
    }
    void annotate_users(const std::string& fqdn) {
        kube.put("/api/v1/namespaces/apps/services/ts-db",
                 records_json(R"({"metadata":{"name":"ts-db","namespace":"apps","annotations":)"
                              R"({"tailscale.com/tailnet-fqdn":")" +
                              fqdn + R"("}}})"));
    }
    std::string written() {
        const Value* found = kube.find(kMap);
        return found == nullptr ? "" : std::string(found->at({"data", "records.json"})->text());
    }
    std::size_t writes() {
        return static_cast<std::size_t>(
            std::count_if(network.log.begin(), network.log.end(), [](const auto& sent) {
                return sent.method == "PUT" && sent.url.ends_with("/dnsrecords");
            }));
    }

    const std::string kMap = "/api/v1/namespaces/tailscale/configmaps/dnsrecords";
};

TEST_F(DnsRecordsWriting, NothingWithoutANameserver) {
    start();
    add_egress();
    run(kMinute);
    EXPECT_EQ(kube.find(kMap), nullptr);
}

TEST_F(DnsRecordsWriting, FollowsTheCluster) {
    start();
    add_nameserver();
    run(kSecond);
    EXPECT_EQ(written(), kEmpty);
    add_egress();
    run(kSecond);
    EXPECT_EQ(written(), R"({"version":"v1alpha1","ip4":{"db9.tail1.ts.net":["10.0.0.1"]}})");
    kube.erase("/apis/discovery.k8s.io/v1/namespaces/tailscale/endpointslices/ts-db-x");
    run(kSecond);
    EXPECT_EQ(written(), kEmpty);
    // Nothing more is written, also after a restart.
    const std::size_t before = writes();
    run(kMinute);
    start();
    run(kMinute);
    EXPECT_EQ(writes(), before);
    EXPECT_EQ(before, 2U);
}

// A user who may change the Service cannot give another name's addresses to the whole cluster.
TEST_F(DnsRecordsWriting, AnAnnotationThatChangesChangesNothing) {
    start();
    add_nameserver();
    add_egress();
    run(kSecond);
    const std::string before = written();
    EXPECT_EQ(before, R"({"version":"v1alpha1","ip4":{"db9.tail1.ts.net":["10.0.0.1"]}})");
    annotate_users("bank.tail1.ts.net");
    run(kMinute);
    EXPECT_EQ(written(), before);
}

TEST_F(DnsRecordsWriting, TakesOverWhatIsThere) {
    kube.put(kMap,
             records_json(R"({"metadata":{"name":"dnsrecords","namespace":"tailscale"},"data":{)"
                          R"("records.json":"old"}})"));
    add_nameserver();
    start();
    run(kSecond);
    EXPECT_EQ(written(), kEmpty);
    // Another user has written it.
    kube.put(kMap,
             records_json(R"({"metadata":{"name":"dnsrecords","namespace":"tailscale"},"data":{)"
                          R"("records.json":"mine"}})"));
    run(kSecond);
    EXPECT_EQ(written(), kEmpty);
}

TEST_F(DnsRecordsWriting, LeavesAnotherContractAlone) {
    add_nameserver("v2");
    start();
    run(kMinute);
    EXPECT_EQ(kube.find(kMap), nullptr);
    const auto events = kube.paths_below("/api/v1/namespaces/tailscale/events");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(kube.find(events[0])->at({"reason"})->text(), "UnknownContract");
    EXPECT_EQ(kube.find(events[0])->at({"involvedObject", "name"})->text(), "nameserver");
}

TEST_F(DnsRecordsWriting, TriesAgain) {
    add_nameserver();
    bool is_broken = true;
    network.fault = [&](const HttpRequest& request) {
        return is_broken && request.url.ends_with("/configmaps") && request.method == "POST"
                   ? Fault::Broken
                   : Fault::None;
    };
    kube.put("/api/v1/namespaces/tailscale/configmaps/tailrender-devices",
             records_json(R"({"metadata":{"name":"tailrender-devices","namespace":"tailscale"}})"));
    start();
    run(kSecond);
    EXPECT_EQ(kube.find(kMap), nullptr);
    is_broken = false;
    run(11 * kSecond);
    EXPECT_EQ(written(), kEmpty);
}

}  // namespace
}  // namespace runtime::controller

#include "runtime/controller/ingress_groups/service_table.h"

#include <gtest/gtest.h>

#include "runtime/controller/records/ledger.h"
#include "runtime/controller/view/api_proxy_config.h"
#include "runtime/testing/groups_test.h"

namespace runtime::controller {
namespace {

using renderer::Value;

class ServiceTable : public GroupsTest {
protected:
    // Returns the ledger's line about a service; "" if it has none.
    std::string line(const std::string& service) {
        const Value* ledger = kube.find(FakeCluster::path("configmaps", kLedgerName));
        const std::string all(
            ledger == nullptr ? "" : renderer::text_of(ledger->at({"data", kServicesKey})));
        const std::size_t begin = all.find("{\"service\":\"" + service + "\"");
        return begin == std::string::npos ? "" : all.substr(begin, all.find('\n', begin) - begin);
    }
    static std::string docs(const std::string& addresses, const std::string& end) {
        return R"({"service":"svc:docs","group":"front","parent":"Ingress/apps/docs",)"
               R"("fqdn":"docs.tail1a2b3.ts.net","addresses":)" +
               addresses + R"(,"tailnet":"",)" + end;
    }
    std::string addresses_of(const std::string& service) {
        return renderer::write_json(*tailnet.services.at(service).find("addrs"));
    }
};

TEST_F(ServiceTable, SaysWhatHasBecomeOfEachService) {
    start_front();
    EXPECT_EQ(line("svc:docs"), docs(addresses_of("svc:docs"),
                                     R"("state":"waiting","problem":"no replica advertises it"})"));
    cluster.advertise("front-0", {"svc:docs", "svc:broker"});
    run(kMinute);
    EXPECT_EQ(line("svc:docs"),
              docs(addresses_of("svc:docs"),
                   R"("state":"registered","problem":"it has no certificate yet"})"));
    fill_certificate("docs.tail1a2b3.ts.net", "one");
    run(kMinute);
    EXPECT_EQ(line("svc:docs"), docs(addresses_of("svc:docs"), R"("state":"registered"})"));
    EXPECT_EQ(line("svc:broker"),
              R"({"service":"svc:broker","group":"front","parent":"Service/apps/broker",)"
              R"("fqdn":"broker.tail1a2b3.ts.net","addresses":)" +
                  addresses_of("svc:broker") + R"(,"tailnet":"","state":"registered"})");
    const std::size_t writes = kube.writes;
    start(2);
    run(kMinute);
    EXPECT_EQ(kube.writes, writes) << "another process says the same";
    cluster.offer("front", Value::map({{"broker.json", Value(kBroker)}}));
    run(kMinute);
    EXPECT_EQ(line("svc:docs"), docs("[]", R"("state":"leaving"})"));
    run(10 * kMinute);
    EXPECT_EQ(line("svc:docs"), "");
    EXPECT_NE(line("svc:broker"), "");
}

TEST_F(ServiceTable, SaysThatHttpsIsOffInTheTailnet) {
    start_front();
    cluster.advertise("front-0", {"svc:docs", "svc:broker"});
    kube.set_datum(secret("front-0"), "https_endpoint", "no-https");
    run(kMinute);
    const std::string problem =
        "HTTPS certificates are off in its tailnet: enable them in the admin console (DNS)";
    EXPECT_EQ(line("svc:docs"), docs(addresses_of("svc:docs"),
                                     R"("state":"registered","problem":")" + problem + R"("})"));
    EXPECT_EQ(line("svc:broker").find("problem"), std::string::npos) << "it needs no certificate";
    EXPECT_EQ(events("HttpsIsOff"), std::vector<std::string>{"Ingress/docs: " + problem});
    kube.set_datum(secret("front-0"), "https_endpoint", "front-0.tail1a2b3.ts.net");
    run(kMinute);
    EXPECT_EQ(line("svc:docs"),
              docs(addresses_of("svc:docs"),
                   R"("state":"registered","problem":"it has no certificate yet"})"));
}

TEST_F(ServiceTable, SaysWhyAServiceIsRefused) {
    tailnet.services["svc:docs"] = Value::map({{"name", "svc:docs"}});
    start_front();
    EXPECT_NE(line("svc:docs").find(R"("state":"refused","problem":")"), std::string::npos)
        << line("svc:docs");
}

TEST_F(ServiceTable, WaitsForAReplica) {
    cluster.add_group("front", 0, false);
    cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}}));
    start();
    run(kMinute);
    EXPECT_EQ(line("svc:docs"),
              docs("[]", R"("state":"waiting","problem":"no replica of its group has joined"})"));
}

TEST_F(ServiceTable, SaysThatItsGroupDoesNotExist) {
    start_front();
    kube.erase(FakeCluster::path("statefulsets", "front"));
    run(kMinute);
    EXPECT_EQ(line("svc:docs"),
              docs("[]", R"("state":"waiting","problem":"group \"front\" is blocked: its )"
                         R"(ConfigMap cannot be read, or it has no StatefulSet"})"));
}

TEST(ServicesTable, KeepsToItsRoomAndSaysWhatIsLeftOut) {
    const std::string all = "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n";
    EXPECT_EQ(lines_that_fit(all, all.size()), all);
    EXPECT_EQ(lines_that_fit(all, all.size() - 1), "{\"a\":1}\n{\"b\":2}\n{\"omitted\":1}\n");
    EXPECT_EQ(lines_that_fit("", 10), "");
}

}  // namespace
}  // namespace runtime::controller

#include "renderer/kube/proxy_class_rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer::inline kube {
namespace {

std::string dump(std::string_view spec) {
    const Value value = std::move(*read_json(spec));
    std::string text;
    for (const ClassFault& fault : proxy_class_faults(value)) {
        text += fmt::format("{} {} {}{}\n", static_cast<int>(fault.rule), fault.path,
                            write_json(*fault.at), fault.reason);
    }
    return text;
}

std::vector<ClassPort> ports(std::string_view list) {
    const Value spec = std::move(
        *read_json(fmt::format(R"({{"staticEndpoints":{{"nodePort":{{"ports":[{}]}}}}}})", list)));
    return class_ports(&spec);
}

TEST(ProxyClassRules, FindsWhatIsWrongInTheOrderOfTheChecks) {
    EXPECT_EQ(dump("{}"), "");
    EXPECT_EQ(dump(R"({"statefulSet":{"labels":{"-a":""},"annotations":{"A.b/C":"","/x":""},
        "pod":{"labels":{"a/b/c":""},"annotations":[],"tailscaleContainer":{"image":"a:"},
        "tailscaleInitContainer":{"image":"","debug":{}}}},
        "metrics":{"serviceMonitor":{"labels":{"":""}}}})"),
              "0 spec.statefulSet.labels \"-a\"\n"
              "1 spec.statefulSet.annotations \"/x\"\n"
              "0 spec.statefulSet.pod.labels \"a/b/c\"\n"
              "3 spec.statefulSet.pod.tailscaleContainer.image \"a:\"invalid reference format\n"
              "4 spec.statefulSet.pod.tailscaleInitContainer.debug {}\n"
              "0 spec.metrics.serviceMonitor.labels \"\"\n");
}

TEST(ProxyClassRules, CountsKeysAndTextsOfAnnotations) {
    const auto found = [](std::size_t bytes) {
        return dump(fmt::format(R"({{"statefulSet":{{"annotations":{{"a":"{}"}}}}}})",
                                std::string(bytes - 1, 'b')))
            .substr(0, 1);
    };
    EXPECT_EQ(found(kMaxAnnotations), "");
    EXPECT_EQ(found(kMaxAnnotations + 1), "2");
}

TEST(ProxyClassRules, ReadsPorts) {
    EXPECT_EQ(port_list(ports(R"({"port":31000},{"port":30000,"endPort":30009},{"endPort":1})")),
              "31000, 30000-30009");
    EXPECT_TRUE(ports("").empty());
}

TEST(ProxyClassRules, KnowsPortsFromOtherNumbers) {
    for (const auto& [port, want] : std::vector<std::pair<std::string_view, PortFault>>{
             {R"({"port":1})", PortFault::None},
             {R"({"port":65535,"endPort":65535})", PortFault::None},
             {R"({"port":0})", PortFault::Port},
             {R"({"port":65536})", PortFault::Port},
             {R"({"port":1,"endPort":65536})", PortFault::End},
             {R"({"port":2,"endPort":1})", PortFault::Order}}) {
        EXPECT_EQ(port_fault(ports(port).at(0)), want) << port;
    }
}

TEST(ProxyClassRules, FindsPortsThatTwoRangesHave) {
    const std::vector<ClassPort> sorted =
        ports(R"({"port":1,"endPort":5},{"port":6},{"port":6,"endPort":8},{"port":8})");
    const auto found = find_overlaps(sorted);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0], &sorted[2]);
    EXPECT_EQ(found[1], &sorted[3]);
    EXPECT_TRUE(overlaps(sorted[0], ports(R"({"port":9},{"port":5})")));
    EXPECT_FALSE(overlaps(sorted[0], ports(R"({"port":6},{"port":9})")));
}

}  // namespace
}  // namespace renderer::inline kube

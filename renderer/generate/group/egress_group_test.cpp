#include "renderer/generate/group/egress_group.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "renderer/core/json.h"
#include "renderer/generate/generate.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::generate {
namespace {

std::string member(const std::string& name) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Service\nmetadata: {{name: {}, namespace: shop, annotations: "
        "{{tailscale.com/proxy-group: out, tailscale.com/tailnet-fqdn: {}.tail1234.ts.net}}}}\n"
        "spec: {{type: ExternalName, externalName: x, ports: [{{name: a, port: 80}}, {{name: b, "
        "port: 53, protocol: UDP}}]}}\n",
        name, name);
}

std::string group_of_size(int count) {
    std::string stream =
        "apiVersion: tailscale.com/v1alpha1\nkind: ProxyGroup\nmetadata: {name: out}\n"
        "spec: {type: egress}\n";
    for (int i = 0; i < count; ++i) {
        stream += member(fmt::format("target-{:03}", i));
    }
    return stream;
}

// Returns every object of a run as JSON; the keys of the ConfigMap are separate entries.
std::map<std::string, std::string> rendered(const plan::Planned& run) {
    EXPECT_EQ(run.dump(), "");
    std::map<std::string, std::string> texts;
    for (const Object& object : generate(run.plan)) {
        if (object.kind() != "ConfigMap") {
            texts.emplace(object.object_name(), write_json(object.root));
            continue;
        }
        Value rest = object.root.clone();
        const Value* data = object.root.find("binaryData");
        for (const Member& entry : data->members()) {
            texts.emplace(fmt::format("{} {}", object.object_name(), entry.name()),
                          write_json(entry.value));
        }
        rest.erase("binaryData");
        texts.emplace(object.object_name(), write_json(rest));
    }
    return texts;
}

std::vector<std::string> differences(const std::map<std::string, std::string>& before,
                                     const std::map<std::string, std::string>& after) {
    std::vector<std::string> names;
    for (const auto& [name, text] : after) {
        const auto old = before.find(name);
        if (old == before.end() || old->second != text) {
            names.push_back(name);
        }
    }
    EXPECT_LE(before.size(), after.size());
    return names;
}

// Adds Services in the middle of the order, at both ends, and so many that their ports collide with
// taken ones.
TEST(EgressGroup, OneServiceMoreInAGroupOf200ChangesItsOwnObjectsAndOneKey) {
    const plan::Planned small(group_of_size(200));
    const auto before = rendered(small);
    ASSERT_EQ(before.size(), 200U + 5 + 2 + 2) << "Services, the group's objects, config, keys";
    for (int i = 0; i < 20; ++i) {
        const std::string name = fmt::format("{}-{}", i % 3 == 0 ? "a" : "target-1", i);
        const auto with_lock = [&](load::Loaded& loaded) {
            loaded.locked_ports = small.plan.locked_ports;
        };
        const plan::Planned grown(group_of_size(200) + member(name), "", with_lock);
        std::vector<std::string> own;
        for (const plan::EgressMember& each : grown.plan.egress_members) {
            if (each.parent_name == name) {
                own.push_back("Service/tailscale/" + each.name);
            }
        }
        ASSERT_EQ(own.size(), 1U);
        own.insert(own.begin(), "ConfigMap/tailscale/out-egress-config egress-services");
        EXPECT_EQ(differences(before, rendered(grown)), own) << name;
        EXPECT_EQ(grown.plan.locked_ports.size(), small.plan.locked_ports.size() + 2);
    }
}

TEST(EgressGroup, TakesItsPortsFromTheLockOfItsCluster) {
    const auto port_of = [](const plan::Planned& run) {
        return run.plan.egress_members.at(0).ports.at(0).match_port;
    };
    const plan::Planned free(group_of_size(1));
    load::LockedPort line;
    line.key = "out/shop/target-000/80/TCP";
    line.number = 10999;
    const plan::Planned locked(group_of_size(1), "",
                               [&](load::Loaded& loaded) { loaded.locked_ports = {line}; });
    EXPECT_EQ(port_of(locked), 10999);
    EXPECT_NE(port_of(free), 10999);
    line.cluster = "home";
    const plan::Planned other(group_of_size(1), "",
                              [&](load::Loaded& loaded) { loaded.locked_ports = {line}; });
    EXPECT_EQ(port_of(other), port_of(free));
    const plan::Planned own(group_of_size(1), "", [&](load::Loaded& loaded) {
        loaded.locked_ports = {line};
        loaded.cluster = "home";
        loaded.cluster_level = true;
    });
    EXPECT_EQ(port_of(own), 10999);
    EXPECT_EQ(own.plan.locked_ports.at(0).cluster, "home");
}

}  // namespace
}  // namespace renderer::generate

// The controller and the pod rely on testdata/contract/proxy.md: each of its tables is compared
// with the objects of proxies that together use every row.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/generate/contract_testing.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::generate {
namespace {

constexpr std::string_view kProxyPage = "proxy.md";

std::string filled_with(std::string text, const std::string& name) {
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"<pod>", "<sts>-0"}, {"<sts>", name}, {"<n>", "0"}}) {
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
            text.replace(at, from.size(), to);
        }
    }
    return text;
}

std::string parent_of(plan::Target target) {
    if (target == plan::Target::Serve) {
        return plan::ingress(
                   "tls: [{hosts: [web]}], defaultBackend: {service: {name: a, port: {number: "
                   "80}}}",
                   "tailscale.com/experimental-forward-cluster-traffic-via-ingress: 'false'",
                   "web") +
               "---\n" + plan::service("a", "ports: [{port: 80}]");
    }
    if (target == plan::Target::TailnetIp || target == plan::Target::TailnetName) {
        return fmt::format(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop, annotations: "
            "{{tailscale.com/hostname: web, tailscale.com/tailnet-{}}}}}\nspec: {{type: "
            "ExternalName, externalName: x}}\n",
            target == plan::Target::TailnetIp ? "ip: 100.64.0.7" : "fqdn: nas.tail1.ts.net");
    }
    return plan::exposed("tailscale.com/hostname: web, tailscale.com/tags: 'tag:a,tag:b'",
                         target == plan::Target::ClusterIp
                             ? "clusterIP: 10.0.0.1, ports: [{port: 80}]"
                             : "ports: [{port: 80}]");
}

struct RenderedContract {
    plan::Planned run;
    Objects objects;

    explicit RenderedContract(plan::Target target) : RenderedContract(parent_of(target)) {}
    explicit RenderedContract(std::string stream, std::string_view more = "")
        : run(std::move(stream), fmt::format("loginServer: https://hs.lan\n{}", more)) {
        EXPECT_EQ(run.dump(), "");
        generate_feature(run.plan, run.workload(), run.proxy(), objects);
    }
    [[nodiscard]] const std::string& name() const { return run.workload().name; }
};

const Value& root_of(const Objects& objects, std::string_view kind) {
    return std::ranges::find_if(objects, [&](const Object& one) { return one.kind() == kind; })
        ->root;
}

TEST(ProxyContract, EveryObjectOfTheRendererAndNoOther) {
    const RenderedContract rendered(plan::Target::DnsName);
    std::vector<std::string> wanted;
    for (const Row& row : table_after(kProxyPage, "## Who writes what")) {
        for (const std::string& kind : names_in(row.at(0))) {
            if (row.at(2) == "renderer" && kind != "headless") {
                wanted.push_back(
                    fmt::format("{}/tailscale/{}", kind, filled_with(row.at(1), rendered.name())));
            }
        }
    }
    std::vector<std::string> made;
    for (const Object& object : rendered.objects) {
        made.push_back(object.object_name());
    }
    std::ranges::sort(wanted);
    std::ranges::sort(made);
    EXPECT_EQ(made, wanted);
}

TEST(ProxyContract, AnnotationsOfTheStatefulSet) {
    const RenderedContract rendered(plan::Target::DnsName);
    const Objects& objects = rendered.objects;
    const Value& set = root_of(objects, "StatefulSet");
    const Value& annotations = *set.at({"metadata", "annotations"});
    std::size_t always = 0;
    for (const Row& row : table_after(kProxyPage, "## Annotations of the StatefulSet")) {
        EXPECT_EQ(annotations.find(row.at(0)) != nullptr, row.at(2) == "always") << row.at(0);
        always += row.at(2) == "always" ? 1 : 0;
    }
    EXPECT_EQ(annotations.size(), always);
    EXPECT_EQ(annotations.find("tailrender.dev/contract")->text(), "v1");
    const Value& inner = *set.at({"spec", "template", "metadata", "annotations"});
    for (const Row& row : table_after(kProxyPage, "The pod template has one annotation of ours")) {
        EXPECT_NE(inner.find(row.at(0)), nullptr) << row.at(0);
    }
    for (const Member& annotation : inner.members()) {
        EXPECT_TRUE(annotation.name() == "tailrender.dev/config-hash" ||
                    annotation.name().starts_with("tailscale.com/operator-last-set-cluster"))
            << annotation.name();
    }
}

TEST(ProxyContract, KeysOfTheConfigSecret) {
    const RenderedContract rendered(plan::Target::Serve);
    const Objects& objects = rendered.objects;
    std::vector<std::string> keys;
    for (const Row& row : table_after(kProxyPage, "## Secret `<pod>-config`")) {
        keys.push_back(row.at(0));
    }
    std::vector<std::string> made;
    for (const Member& entry : root_of(objects, "Secret").find("data")->members()) {
        made.emplace_back(entry.name());
    }
    EXPECT_EQ(made, keys);
}

TEST(ProxyContract, ConfigHasTheKeysOfThePage) {
    const RenderedContract rendered(plan::Target::DnsName);
    std::string want = filled_with(json_of(kProxyPage, "{\"Version\""), rendered.name());
    for (const std::string_view value : {"https://hs.lan", "web"}) {
        const std::size_t at = want.find("…");
        ASSERT_NE(at, std::string::npos) << want;
        want.replace(at, std::string_view("…").size(), value);
    }
    EXPECT_EQ(tailscaled_config(rendered.run.workload(), rendered.run.proxy(), 0, true), want);
}

TEST(ProxyContract, RightsOfThePod) {
    const RenderedContract rendered(parent_of(plan::Target::DnsName),
                                    "tailrender: {dataplane: containerboot}");
    const Objects& objects = rendered.objects;
    const std::vector<Row> rows = table_after(kProxyPage, "## Rights of the pod");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].at(0), "\"\"");
    EXPECT_EQ(rows[0].at(2), "<pod> of every replica");
    const Value& rules = *root_of(objects, "Role").find("rules");
    ASSERT_EQ(rules.size(), 1U);
    const Value& rule = rules.items()[0];
    EXPECT_EQ(rule.size(), 4U);
    EXPECT_EQ(write_json(*rule.find("apiGroups")), "[\"\"]");
    EXPECT_EQ(write_json(*rule.find("resources")), "[\"" + rows[0].at(1) + "\"]");
    EXPECT_EQ(write_json(*rule.find("resourceNames")), fmt::format("[\"{}-0\"]", rendered.name()));
    std::vector<std::string_view> verbs;
    for (const Value& verb : rule.find("verbs")->items()) {
        verbs.push_back(verb.text());
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(verbs, ", ")), rows[0].at(3));
}

TEST(ProxyContract, FollowedObjects) {
    for (const plan::Target target : {plan::Target::DnsName, plan::Target::Serve}) {
        const RenderedContract rendered(target);
        const std::vector<Row> rows = table_after(kProxyPage, "## Followed objects");
        ASSERT_GE(rows.size(), 1U);
        EXPECT_EQ(rows[0].at(0), "all");
        EXPECT_EQ(rows[0].at(2), "<pod>-config, <pod>-auth of every replica");
        const Value& rules = *root_of(rendered.objects, "Role").find("rules");
        ASSERT_EQ(rules.size(), 2U);
        EXPECT_EQ(write_json(rules.items()[1]),
                  fmt::format(R"({{"apiGroups":[""],"resources":["{0}"],)"
                              R"("resourceNames":["{1}-0-config","{1}-0-auth"],)"
                              R"("verbs":["get","watch"]}})",
                              rows[0].at(1), rendered.name()));
        EXPECT_EQ(rows[0].at(3), "get, watch");
    }
}

TEST(ProxyContract, VolumesAndMountsInTheirOrder) {
    const RenderedContract rendered(plan::Target::Serve);
    const Objects& objects = rendered.objects;
    const Value& pod = *root_of(objects, "StatefulSet").at({"spec", "template", "spec"});
    const auto volumes = pod.find("volumes")->items();
    const auto mounts = pod.find("containers")->items()[0].find("volumeMounts")->items();
    const std::vector<Row> rows = table_after(kProxyPage, "## Pod");
    ASSERT_EQ(volumes.size(), rows.size());
    ASSERT_EQ(mounts.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name =
            filled_with(rows[i].at(0).substr(0, rows[i].at(0).find(',')), rendered.name());
        EXPECT_EQ(volumes[i].find("name")->text(), name);
        EXPECT_EQ(mounts[i].find("name")->text(), name);
        EXPECT_EQ(mounts[i].find("readOnly") != nullptr, name != "tmp") << name;
        EXPECT_TRUE(filled_with(rows[i].at(3), rendered.name())
                        .starts_with(mounts[i].find("mountPath")->text()))
            << name;
        const Value* secret = volumes[i].find("secret");
        ASSERT_EQ(secret != nullptr, name != "tmp") << name;
        if (secret != nullptr) {
            EXPECT_EQ(secret->find("secretName")->text(),
                      filled_with(rows[i].at(1), rendered.name()));
            EXPECT_EQ(secret->find("optional"), nullptr);
            const Value* items = secret->find("items");
            EXPECT_EQ(items == nullptr ? "all" : items->items()[0].find("key")->text(),
                      rows[i].at(2));
        }
    }
}

// The pods have every variable of the page, in the page's order, and no others.
TEST(ProxyContract, EnvironmentInItsOrder) {
    std::vector<std::string> wanted;
    for (const Row& row : table_after(kProxyPage, "gets its environment")) {
        const std::vector<std::string> names = names_in(row.at(0));
        wanted.insert(wanted.end(), names.begin(), names.end());
    }
    std::string forwards = parent_of(plan::Target::Serve);
    forwards.replace(forwards.find("'false'"), 7, "'true'");
    std::vector<std::string> seen;
    for (const std::string& stream :
         {parent_of(plan::Target::ClusterIp), parent_of(plan::Target::DnsName),
          parent_of(plan::Target::TailnetIp), parent_of(plan::Target::TailnetName), forwards}) {
        const RenderedContract rendered(stream, "tailrender: {operatorVersion: 1.104.5}");
        const Objects& objects = rendered.objects;
        const Value& container = root_of(objects, "StatefulSet")
                                     .at({"spec", "template", "spec", "containers"})
                                     ->items()[0];
        auto place = wanted.begin();
        for (const Value& variable : container.find("env")->items()) {
            const std::string name(variable.find("name")->text());
            place = std::find(place, wanted.end(), name);
            ASSERT_NE(place, wanted.end()) << name << " is not on the page, or not at this place";
            seen.push_back(name);
        }
    }
    for (const std::string& name : wanted) {
        EXPECT_NE(std::ranges::find(seen, name), seen.end()) << name << " is never set";
    }
}

}  // namespace
}  // namespace renderer::generate

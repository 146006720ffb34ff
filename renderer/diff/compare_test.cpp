#include "renderer/diff/compare.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/diff/formats.h"
#include "renderer/diff/outline.h"
#include "renderer/emit/tree/generated_file.h"

namespace renderer::diff {
namespace {

const secrets::SecretHash kHash("a key of sixteen bytes or more");

emit::OutputFile service(const std::string& name, const std::string& selector) {
    return {name + ".yaml", fmt::format("apiVersion: v1\nkind: Service\nmetadata:\n  name: {}\n"
                                        "  namespace: shop\nspec:\n  selector:\n    app: {}\n"
                                        "    tier: front\n  ports:\n  - port: 80\n",
                                        name, selector)};
}

Comparison compare(std::vector<emit::OutputFile> base, std::vector<emit::OutputFile> head) {
    std::vector<ClusterTree> before;
    std::vector<ClusterTree> after;
    before.push_back({"", std::move(base)});
    after.push_back({"", std::move(head)});
    return compare_trees(std::move(before), std::move(after), kHash);
}

const ObjectChanges& objects(const Comparison& comparison) {
    return comparison.clusters.front().objects;
}

TEST(Compare, KnowsTheParentByTheOperatorsLabels) {
    const auto made_for = [](std::string_view type) {
        return emit::OutputFile{
            "x.yaml", fmt::format("{}apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: x\n"
                                  "  namespace: tailscale\n  labels:\n"
                                  "    tailscale.com/parent-resource: web\n"
                                  "    tailscale.com/parent-resource-ns: shop\n"
                                  "    tailscale.com/parent-resource-type: {}\n",
                                  emit::kGeneratedMark, type)};
    };
    const std::pair<std::string_view, std::string_view> cases[] = {{"svc", "Service/shop/web"},
                                                                   {"connector", "Connector/web"},
                                                                   {"nameserver", "DNSConfig/web"},
                                                                   {"other", ""}};
    for (const auto& [type, parent] : cases) {
        const Comparison found = compare({}, {made_for(type)});
        ASSERT_EQ(objects(found).changes.size(), 1U);
        EXPECT_EQ(objects(found).changes[0].parent, parent);
    }
}

TEST(Compare, FindsARename) {
    const Comparison found = compare({service("web", "web"), service("api", "x")},
                                     {service("site", "site"), service("api", "x")});
    ASSERT_EQ(objects(found).changes.size(), 1U);
    EXPECT_EQ(objects(found).changes[0].edit, ObjectEdit::Renamed);
    EXPECT_EQ(objects(found).changes[0].old_title, "Service/shop/web");
    EXPECT_EQ(objects(found).changes[0].title, "Service/shop/site");
}

TEST(Compare, DoesNotGuessBetweenEquals) {
    const Comparison found = compare({service("web", "one"), service("api", "one")},
                                     {service("a", "one"), service("b", "one")});
    EXPECT_EQ(objects(found).changes.size(), 4U);
    EXPECT_TRUE(objects(found).renames.empty());
}

TEST(Compare, DoesNotCallAnotherThingARename) {
    emit::OutputFile other = {
        "x.yaml",
        "apiVersion: v1\nkind: Service\nmetadata: {name: x, namespace: shop}\n"
        "spec: {type: ExternalName, externalName: example.com}\n"};
    EXPECT_TRUE(objects(compare({service("web", "web")}, {other})).renames.empty());
}

TEST(Compare, TellsTwoCopiesOfAnObjectApart) {
    emit::OutputFile first = service("web", "web");
    emit::OutputFile second = service("web", "web");
    second.path = "other/web.yaml";
    emit::OutputFile changed = service("web", "site");
    changed.path = "other/web.yaml";
    EXPECT_EQ(objects(compare({first, second}, {first, changed})).changes.size(), 1U);
    EXPECT_TRUE(compare({first, second}, {first, second}).is_equal());
}

TEST(Compare, ReadsItemsOfAList) {
    emit::OutputFile list = {
        "all.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n"
        "  metadata: {name: web, namespace: shop}\n  spec:\n    selector: {app: web, "
        "tier: front}\n    ports: [{port: 80}]\n"};
    EXPECT_TRUE(compare({list}, {service("web", "web")}).is_equal());
}

TEST(Compare, ShowsNoPlainSecret) {
    const std::string head =
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: shop\n";
    const emit::OutputFile before = {"s.yaml", head +
                                                   "  annotations: {note: canary-one}\n"
                                                   "stringData: {a: canary-two, b: canary-three}\n"
                                                   "extra: [canary-four]\n"};
    const emit::OutputFile after = {"s.yaml",
                                    head +
                                        "  annotations: {note: canary-five}\n"
                                        "data: {a: Y2FuYXJ5LXNpeA==}\nextra: [canary-7]\n"};
    const emit::OutputFile file = {"fleet.yaml", "helm: {values: {clientSecret: canary-8}}\n"};
    const emit::OutputFile opaque = {"x.yaml", "{{ canary-9 }}\n"};
    for (const Comparison& found :
         {compare({before}, {after, file}), compare({after}, {before, opaque}),
          compare({}, {before, file}), compare({before, file, opaque}, {})}) {
        for (const std::string& report :
             {terminal_report(found, false), markdown_report(found), json_report(found)}) {
            EXPECT_EQ(report.find("canary"), std::string::npos) << report;
            EXPECT_EQ(report.find("Y2FuYXJ5"), std::string::npos) << report;
        }
        EXPECT_FALSE(found.is_equal());
    }
}

TEST(Compare, PairsASingleClusterWithAnUnnamedOne) {
    std::vector<ClusterTree> before;
    std::vector<ClusterTree> after;
    before.push_back({"", {service("web", "web")}});
    after.push_back({"home", {service("web", "web")}});
    const Comparison found = compare_trees(std::move(before), std::move(after), kHash);
    ASSERT_EQ(found.clusters.size(), 1U);
    EXPECT_EQ(found.clusters[0].cluster, "home");
    EXPECT_TRUE(found.is_equal());
}

TEST(Compare, TakesAClusterOfOneSideAsNew) {
    std::vector<ClusterTree> before;
    std::vector<ClusterTree> after;
    before.push_back({"home", {service("web", "web")}});
    after.push_back({"home", {service("web", "web")}});
    after.push_back({"lab", {service("web", "web")}});
    const Comparison found = compare_trees(std::move(before), std::move(after), kHash);
    ASSERT_EQ(found.clusters.size(), 2U);
    EXPECT_EQ(found.clusters[1].objects.changes.size(), 1U);
}

}  // namespace
}  // namespace renderer::diff

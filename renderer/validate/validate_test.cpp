#include "renderer/validate/validate.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace renderer::validate {
namespace {

Value pod(Value image) {
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Pod"},
         {"metadata", Value::map({{"name", "web"}, {"namespace", "shop"}})},
         {"spec",
          Value::map({{"containers", Value::list({Value::map(
                                         {{"name", "web"}, {"image", std::move(image)}})})}})}});
}

std::string faults_of(Value root, Pos parent, std::string_view version = "") {
    load::Loaded loaded;
    loaded.sources.add("web.yaml", "kind: Service\nimage: 7\n");
    if (!version.empty()) {
        loaded.kubernetes_version = Value(version);
    }
    std::vector<Object> objects(1);
    objects[0].root = std::move(root);
    objects[0].origin.pos = parent;
    Diagnostics diagnostics;
    validate_objects(loaded, objects, 1, diagnostics);
    return diagnostics.print(loaded.sources, false);
}

TEST(ValidateObjects, ReportsAtTheParent) {
    EXPECT_EQ(faults_of(pod("web:1"), Pos{1}), "");
    EXPECT_EQ(faults_of(pod(7), Pos{7}),
              "web.yaml:1:7: error: Pod/shop/web: \"spec.containers[0].image\" has the wrong type "
              "[schema-type]\n"
              "    1 | kind: Service\n"
              "      |       ^\n"
              "  found: a number\n"
              "  expected: a string\n"
              "  hint: put it in quotes\n");
}

TEST(ValidateObjects, ReportsWhereTheValueCameFrom) {
    Value image = 7;
    image.set_pos(Pos{22});
    EXPECT_EQ(faults_of(pod(std::move(image)), Pos{7}),
              "web.yaml:2:8: error: Pod/shop/web: \"spec.containers[0].image\" has the wrong type "
              "[schema-type]\n"
              "    2 | image: 7\n"
              "      |        ^\n"
              "  found: a number\n"
              "  expected: a string\n"
              "  hint: put it in quotes\n");
}

TEST(ValidateObjects, PassesKindsOfOthers) {
    EXPECT_EQ(faults_of(Value::map({{"apiVersion", "monitoring.coreos.com/v1"},
                                    {"kind", "ServiceMonitor"},
                                    {"anything", 1}}),
                        Pos{1}),
              "");
}

TEST(ValidateObjects, KnowsVersionsHoweverTheyAreSpelled) {
    for (const std::string_view version : {"1.32", "v1.33", "v1.37.2+k3s1"}) {
        EXPECT_EQ(faults_of(pod("web:1"), Pos{1}, version), "") << version;
    }
    for (const std::string_view version : {"1.31", "1.38", "1", "1.3", "1.3x", "v", ""}) {
        const std::string text = faults_of(pod("web:1"), Pos{1}, version);
        EXPECT_EQ(text.empty(), version.empty()) << version;
    }
}

}  // namespace
}  // namespace renderer::validate

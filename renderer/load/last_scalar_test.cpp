#include "renderer/load/last_scalar.h"

#include <gtest/gtest.h>

#include "renderer/load/load_testing.h"

namespace renderer::load {
namespace {

constexpr std::string_view kConfigMapHead =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n";

std::string built(const std::string& data,
                  const std::string& kustomization = "resources: [a.yaml]") {
    const std::string text = edited(
        {{"a.yaml", std::string(kConfigMapHead) + data}, {"kustomization.yaml", kustomization}},
        "a.yaml");
    return text.substr(kConfigMapHead.size());
}

TEST(LastScalar, KeepsItsValueInABuild) {
    EXPECT_EQ(built("  k: |\n    abc"), "  k: |-\n    abc");
    EXPECT_EQ(built("  k: |+\n    abc\n\n    d"), "  k: |-\n    abc\n\n    d");
    EXPECT_EQ(built("  k: |2+ # a\n    abc"), "  k: |2- # a\n    abc");
    EXPECT_EQ(built("  k: >2\n    abc\n    d"), "  k: >-2\n    abc\n    d");
    EXPECT_EQ(built("  k: &a |\n    abc\n      "), "  k: &a |-\n    abc\n      ");
    EXPECT_EQ(built("  j: |\n    abc\n  k: !!str |\n    abc"),
              "  j: |\n    abc\n  k: !!str |-\n    abc");
}

TEST(LastScalar, LeavesTheOthers) {
    for (const char* data :
         {"  k: |\n    abc\n", "  k: |-\n    abc", "  k: |\n    abc\n    ", "  k: |\n    abc\n# a",
          "  j: |\n    abc\n  k: x", "  k: '|'", "  k: |", "  j: &a |\n    abc\n  k: *a"}) {
        SCOPED_TRACE(data);
        EXPECT_EQ(built(data), data);
    }
}

// kubectl, helm and Argo CD read a line end there.
TEST(LastScalar, StaysAsItIsOutsideOfBuilds) {
    const std::string text = std::string(kConfigMapHead) + "  k: |\n    abc";
    EXPECT_EQ(edited({{"a.yaml", text}}, "a.yaml"), text);
}

}  // namespace
}  // namespace renderer::load

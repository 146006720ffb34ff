#include "renderer/kube/name_grammar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "renderer/base/ascii.h"

namespace renderer::inline kube {
namespace {

TEST(NameGrammar, ReadsQualifiedNames) {
    for (const std::string name : {"tailscale", "Tail_scale.1", "io.cilium/l2-announcer"}) {
        EXPECT_TRUE(is_qualified_name(name)) << name;
    }
    for (const std::string name : {"", "${CLASS}", "a/", "/a", "A.io/b", "a/b/c", "-a"}) {
        EXPECT_FALSE(is_qualified_name(name)) << name;
    }
    EXPECT_FALSE(is_qualified_name(std::string(kMaxLabel + 1, 'a')));
}

TEST(NameGrammar, TellsLabelsAndDottedNamesFromOtherTexts) {
    struct Row {
        std::string text;
        bool label, dotted;
    };
    for (const Row& row : std::vector<Row>{{"web", true, true},
                                           {"1web", true, true},
                                           {"80", true, true},
                                           {"a--b", true, true},
                                           {std::string(63, 'a'), true, true},
                                           {std::string(64, 'a'), false, true},
                                           {"a.b", false, true},
                                           {std::string(300, 'a') + ".b", false, true},
                                           {"", false, false},
                                           {"-a", false, false},
                                           {"a-", false, false},
                                           {"Web", false, false},
                                           {"a_b", false, false},
                                           {"../x", false, false},
                                           {"käse", false, false},
                                           {"a..b", false, false},
                                           {".a", false, false},
                                           {"a.", false, false},
                                           {"a.-b", false, false}}) {
        EXPECT_EQ(is_dns1123_label(row.text), row.label) << row.text;
        EXPECT_EQ(is_dotted_name(row.text), row.dotted) << row.text;
    }
}

TEST(NameGrammar, LimitsThePartsOfADottedName) {
    EXPECT_TRUE(is_dotted_name("b." + std::string(63, 'a'), kMaxLabel));
    EXPECT_FALSE(is_dotted_name("b." + std::string(64, 'a'), kMaxLabel));
}

TEST(NameGrammar, TakesOtherBytesOnlyInside) {
    for (const std::string_view text : {"A", "a_b", "A.b-C"}) {
        EXPECT_TRUE(is_name_of(text, is_alphanumeric, "-_.")) << text;
    }
    for (const std::string_view text : {"", "_", "_a", "a.", "a/b"}) {
        EXPECT_FALSE(is_name_of(text, is_alphanumeric, "-_.")) << text;
    }
}

}  // namespace
}  // namespace renderer::inline kube

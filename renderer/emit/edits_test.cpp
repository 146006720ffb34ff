#include "renderer/emit/edits.h"

#include <gtest/gtest.h>

namespace renderer::emit {
namespace {

std::string applied(const std::vector<Edit>& edits, std::string_view text, RawDocument range) {
    std::string out;
    EditIndex(edits).append(out, text, 0, range);
    return out;
}

TEST(Edits, ReplaceInsertAndRemoveInsideTheRange) {
    const std::string_view text = "0123456789";
    const std::vector<Edit> edits = {
        {0, 7, 8, "", "remove"}, {0, 2, 4, "xyz", "replace"}, {0, 5, 5, "+", "insert"}};
    EXPECT_EQ(applied(edits, text, {0, 10}), "01xyz4+5689");
}

TEST(Edits, OfOtherPlacesAndSourcesDoNotCount) {
    const std::string_view text = "0123456789";
    const std::vector<Edit> edits = {{0, 0, 1, "x", ""}, {1, 4, 5, "x", ""}, {0, 9, 10, "x", ""}};
    EXPECT_EQ(applied(edits, text, {2, 8}), "234567");
}

TEST(Edits, AtTheEndOfTheRangeInsert) {
    EXPECT_EQ(applied({{0, 4, 4, "!", ""}}, "0123", {0, 4}), "0123!");
}

TEST(Edits, CutADocumentOnlyWhenTheyCoverAllOfIt) {
    const std::vector<Edit> edits = {{0, 10, 20, "", "cut"},
                                     {0, 30, 39, "", "part"},
                                     {0, 50, 60, "x", "replacement"},
                                     {0, 69, 81, "", "larger"}};
    const EditIndex index(edits);
    EXPECT_TRUE(index.cuts(0, {10, 20}));
    EXPECT_FALSE(index.cuts(1, {10, 20}));
    EXPECT_FALSE(index.cuts(0, {30, 40}));
    EXPECT_FALSE(index.cuts(0, {50, 60}));
    EXPECT_TRUE(index.cuts(0, {70, 80}));
    EXPECT_FALSE(index.cuts(0, {90, 95}));
}

TEST(Edits, InsideACutDocumentVanishWithIt) {
    const std::vector<Edit> edits = {{0, 4, 4, "namespace", ""}, {0, 2, 8, "", "cut"}};
    const EditIndex index(edits);
    EXPECT_TRUE(index.cuts(0, {2, 8}));
    EXPECT_EQ(applied(edits, "0123456789", {0, 10}), "0189");
}

}  // namespace
}  // namespace renderer::emit
